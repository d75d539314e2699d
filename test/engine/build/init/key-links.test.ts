/** The links that `restbound init` makes of keys: a wrong link is worse than none. */
import { expect, test } from "vitest";
import { startProject } from "../../../../src/engine/build/init/start-project.ts";
import { restDocument } from "../openapi/rest-document.ts";

const text = { type: "string" };
const integer = { type: "integer", format: "int32" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: "array", items });
const object = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });

type Get = readonly [answer: object, parameters?: readonly object[]];

/** Posts, whose keys are `keys`, and the operations that may bring what the keys name. */
function projectOn(
  keys: object,
  gets: Readonly<Record<string, Get>>,
  schemas: Readonly<Record<string, object>> = {},
) {
  const all: Readonly<Record<string, Get>> = {
    "/posts": [list(ref("Post"))],
    "/posts/{id}": [ref("Post")],
    ...gets,
  };
  const paths = Object.entries(all).map(([path, [schema, parameters = []]]) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: text,
    }));
    const get = {
      operationId: `get${path.replaceAll(/[^a-z]+(\w?)/g, (_, first) => first.toUpperCase())}`,
      parameters: [...inPath, ...parameters],
      responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
    };
    return [path, { get }];
  });
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: Object.fromEntries(paths),
    components: {
      schemas: { User: object({ id: text, name: text }), Post: object({ id: text, ...keys }), ...schemas },
    },
  };
  return startProject(restDocument(document), { tag: [], operation: [], query: [] });
}

function started(...args: Parameters<typeof projectOn>) {
  const { schema, keyLinks } = projectOn(...args);
  const lines = schema.split("\n");
  const [first = lines.length] = [...lines.keys()].filter((index) =>
    /^(?:# )?extend type|^# Links/.test(lines[index] ?? ""),
  );
  return { links: lines.slice(first).join("\n").trim(), counts: [keyLinks.fields, keyLinks.comments] };
}

const users = (...parameters: object[]): Get => [list(ref("User")), parameters];

test("a list that takes ids is one call for all parents, and a field", () => {
  expect(
    started({ user_id: text }, { "/users": users(query("ids", list(text))), "/users/{id}": [ref("User")] }),
  ).toEqual({
    links: `extend type Post {
  user: User
    @rest(operation: "getUsers", params: [{ name: "ids", from: "parent.user_id" }], batchBy: "id")
}`,
    counts: [1, 0],
  });
});

test("keys in a list become a list, and its page is as long as the call's keys", () => {
  const page = object({ items: list(ref("Category")) });
  const categories: Get = [
    page,
    [query("id", { ...list(text), maxItems: 20 }), query("limit", { ...integer, default: 10, maximum: 50 })],
  ];
  const schemas = { Category: object({ id: text, title: text }) };
  expect(started({ categoryIds: list(text) }, { "/categories": categories }, schemas)).toEqual({
    links: `extend type Post {
  categories: [Category]
    @rest(operation: "getCategories", params: [{ name: "id", from: "parent.categoryIds" }, { name: "limit", value: 20 }], result: "items", batchBy: "id")
}`,
    counts: [1, 0],
  });
});

test("a get by id makes a call for each parent, and is a comment", () => {
  const people = { "/people/{personId}": [object({ data: ref("Person") })] } as const;
  expect(
    started({ personID: { type: ["string", "null"] } }, people, { Person: object({ id: text, name: text }) }),
  ).toEqual({
    links: `# Links that the names of keys suggest: remove the # of those that you want.
# Each one makes a call for each parent: approve the finding of \`npm run check\`.
# extend type Post {
#   person: Person
#     @rest(operation: "getPeoplePersonD", params: [{ name: "personId", from: "parent.personID" }], result: "data")
# }`,
    counts: [0, 1],
  });
});

test("a get by id is used where the list cannot return everything", () => {
  const { links } = started(
    { userId: text },
    {
      "/users": users(query("ids", list(text)), query("limit", { ...integer, maximum: 50 })),
      "/users/{id}": [ref("User")],
    },
  );
  expect(links).toMatch(/^# {3}user: User$/m);
});

test.each<[what: string, keys: object, answer: object, link: string]>([
  [
    "a list",
    { user_id: text },
    list(ref("User")),
    `user: User
#     @rest(operation: "getUsers", params: [{ name: "id", in: ITEM, from: "parent.user_id" }])`,
  ],
  [
    "a list beside other things, and keys in a list",
    { userIds: list(integer) },
    object({ type: text, users: list(ref("User")) }),
    `users: [User]
#     @rest(operation: "getUsers", params: [{ name: "id", in: ITEM, from: "parent.userIds" }], result: "users")`,
  ],
])(
  "where REST gives all objects and takes no id, the link looks them up, and is a comment: %s",
  (_what, keys, answer, link) => {
    const { links, counts } = started(keys, { "/users": [answer] });
    expect(links).toContain(`\n# extend type Post {\n#   ${link}\n# }`);
    expect(links).toContain(" One with ITEM needs a list that is always complete.\n# Each other one makes");
    expect(counts).toEqual([0, 1]);
  },
);

test("a get by id is preferred to a list of everything, and another type's list of the same name is not used", () => {
  const gets = { "/users": users(), "/users/{id}": [ref("User")] } as const;
  expect(started({ userId: text }, gets).links).toContain('@rest(operation: "getUsersId"');
  const person = { "/users": [list(ref("Person"))], "/users/{id}": [ref("User")] } as const;
  const { links } = started({ userId: text }, person, { Person: object({ id: text, pen: text }) });
  expect(links).toContain("#   user: User\n");
});

test("an object that is found by its id is no list of the objects in it", () => {
  const user = object({ id: text, users: list(ref("User")) });
  const { links } = started({ userId: text }, { "/users/{id}": [ref("User")] }, { User: user });
  expect(links).toContain('@rest(operation: "getUsersId", params: [{ name: "id", from: "parent.userId" }])');
});

test("the key of an object that the link would bring again makes no link", () => {
  const user = { user_id: text, name: text };
  const answers = { "/authors": [list(ref("Author"))], "/users/{user_id}": [ref("User")] } as const;
  const links = (author: object): string =>
    started({}, answers, { User: object(user), Author: object(author) }).links;
  expect(links({ ...user, pen: text })).toBe("");
  expect(links({ user_id: text, pen: text })).toContain("# extend type Author {\n#   user: User\n");
});

const byId: Get = [ref("User")];

test.each<[what: string, keys: object, gets: Readonly<Record<string, Get>>]>([
  ["a key of another name", { ownerId: text }, { "/users/{id}": byId }],
  [
    "a key of another type",
    { userId: integer },
    { "/users": users(query("ids", list({ type: "boolean" }))) },
  ],
  ["two gets of one type", { userId: text }, { "/users/{id}": byId, "/admin/users/{id}": byId }],
  ["a get by another key", { userId: text }, { "/users/{email}": byId }],
  ["a get with another parameter", { userId: text }, { "/teams/{team}/users/{id}": byId }],
  ["a get of a part", { userId: text }, { "/users/{id}/avatar": [ref("User")] }],
  [
    "a get that needs more",
    { userId: text },
    { "/users/{id}": [ref("User"), [query("as", text, { required: true })]] },
  ],
  ["an object that stands beside its key", { userId: text, user: ref("User") }, { "/users/{id}": byId }],
  ["an object's own id", { postId: text }, {}],
  ["a word that ends with id", { paid: text, userid: text }, { "/users/{id}": byId }],
  ["keys in a list, without a list that takes ids", { userIds: list(text) }, { "/users/{id}": byId }],
  ["a list of all that has pages", { userId: text }, { "/users": users(query("limit", integer)) }],
  ["a list of all without ids", { tagId: text }, { "/tags": [list(object({ label: text }))] }],
  [
    "a list of all that needs more",
    { userId: text },
    { "/users": users(query("team", text, { required: true })) },
  ],
  [
    "a list in an object of another name",
    { userId: text },
    { "/team": [object({ name: text, members: list(ref("User")) })] },
  ],
  [
    "a get and a list of different types",
    { userId: text },
    { "/users/{id}": byId, "/users": [list(object({ id: text, age: integer })), [query("ids", list(text))]] },
  ],
  ["two keys for one name", { userId: text, user_id: text }, { "/users/{id}": byId }],
])("%s makes no link", (_what, keys, gets) => {
  expect(started(keys, gets)).toEqual({ links: "", counts: [0, 0] });
});

test("a path's link that holds no more below the keys' links is not offered", () => {
  // a user's id may be a number, so the forms' path takes it from the arguments above: a zone has none
  const gets = {
    "/users/{id}": [ref("User")],
    "/users/{id}/forms": [list(object({ label: text }))],
  } as const;
  const schemas = {
    User: object({ id: { type: ["string", "integer"] }, name: text }),
    Zone: object({ zone: text, user_id: text }),
  };
  expect(projectOn({}, gets, schemas).links).toEqual(["getUsersIdForms"]);
  const { links, keyLinks } = projectOn({}, { ...gets, "/zones/{zone}": [ref("Zone")] }, schemas);
  expect([links, keyLinks.fields]).toEqual([[], 1]);
});

const ulid = { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" };

/** The links of a key to users whose id has this schema. */
const linksTo = (id: object, key: object, more: object = {}) => {
  const user = { schema: "User", gets: { "/users": users(query("ids", list(id))) } };
  return started({ user_id: key, ...more }, user.gets, { User: object({ id, name: text }) });
};

test.each<[what: string, id: object, key: object, says: string]>([
  ["an example", ulid, { ...text, example: "cus_123" }, 'user_id may be "cus_123", but ids refuses it'],
  ["examples", ulid, { ...text, examples: ["cus_123"] }, 'user_id may be "cus_123"'],
  ["an enum", ulid, { ...text, enum: ["me", "owner"] }, 'user_id may be "me"'],
  ["a default", ulid, { ...text, default: "nobody" }, 'user_id may be "nobody"'],
  [
    "another pattern",
    ulid,
    { ...text, pattern: "^cus_" },
    'user_id has pattern "^cus_", but ids has pattern',
  ],
  ["a value in its description", ulid, { ...text, description: "Such as `cus_123`." }, 'may be "cus_123"'],
  ["a prefix in its description", ulid, { ...text, description: "Starts with cus_." }, 'begins with "cus_"'],
  ["its title", text, { ...text, title: "Stripe user ID" }, "the title of user_id is of another system"],
  [
    "its description",
    text,
    { ...text, description: "Id of the user in Zendesk." },
    'the description of user_id is of another system: "user in Zendesk"',
  ],
  ["an external owner", text, { ...text, description: "The external user id." }, '"external user"'],
  [
    "another format",
    { ...text, format: "uuid" },
    { ...text, format: "email" },
    'has format "email", but ids has format "uuid"',
  ],
  [
    "a value of no such format",
    { ...text, format: "uuid" },
    { ...text, example: "cus_123" },
    "must match format",
  ],
  [
    "lengths",
    { ...text, minLength: 26 },
    { ...text, maxLength: 20 },
    "has maxLength 20, but ids has minLength 26",
  ],
  [
    "an example with another prefix",
    { ...text, example: "usr_1" },
    { ...text, example: "cus_1" },
    'user_id may be "cus_1", but ids is like "usr_1"',
  ],
])("a link that %s contradicts is a comment that says so", (_what, id, key, says) => {
  const { links, counts } = linksTo(id, key);
  expect(links).toContain("# Links that the names of keys suggest and the document contradicts");
  expect(links).toContain(says);
  expect(links).toContain("\n# extend type Post {\n#   user: User\n");
  expect(counts).toEqual([0, 1]);
});

test("an example of the whole object contradicts a link, too", () => {
  const post = { ...object({ id: text, user_id: text }), example: { id: "1", user_id: "cus_123" } };
  const gets = { "/users": users(query("ids", list(ulid))) };
  const { links } = started({}, gets, { User: object({ id: ulid, name: text }), Post: post });
  expect(links).toContain('# user_id may be "cus_123"');
});

test.each<[what: string, id: object, key: object]>([
  ["an example of the pattern", ulid, { ...text, example: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }],
  ["a title without another owner", ulid, { ...text, title: "User ID" }],
  ["a usual description", text, { ...text, description: "The ID of the user who wrote the post." }],
  ["an example that is a number", text, { ...text, example: 12 }],
  ["the prefix of the ids", { ...text, example: "usr_1" }, { ...text, example: "usr_2" }],
])("%s contradicts no link", (_what, id, key) => {
  expect(linksTo(id, key).counts).toEqual([1, 0]);
});

test.each<[what: string, path: string, other: string, counts: [number, number]]>([
  ["the only one", "/fdx/users", "/posts/recent", [1, 0]],
  ["in another area", "/fdx/users", "/payments/user/get", [0, 1]],
  ["in another area of a version", "/v1/fdx/users", "/v1/payments/users", [0, 1]],
  ["in none", "/fdx/users", "/users/search", [0, 1]],
  ["in another area, but the own one has none", "/users", "/admin/users", [1, 0]],
  ["in another area, but it has only a version", "/api/v1/users", "/admin/users", [1, 0]],
  ["part of an object", "/fdx/users", "/teams/{id}/users", [1, 0]],
  ["in the same area", "/fdx/users", "/fdx/user/get", [1, 0]],
])("a link to a resource whose namesake is %s", (_what, path, other, counts) => {
  const found = started(
    { user_id: text },
    { [path]: users(query("ids", list(text))), [other]: [object({ ok: text })] },
  );
  expect(found.counts).toEqual(counts);
  if (counts[1] === 1)
    expect(found.links).toContain(`# user_id may be of another resource of that name: ${other}\n`);
});

const reference = (type: object, more: object = {}) => object({ id: text, type, ...more });
const targets: Readonly<Record<string, Get>> = { "/users/{id}": [ref("User")], "/teams/{id}": [ref("Team")] };

test.each<[string, Readonly<Record<string, object>>, string[]]>([
  [
    "its type is the only value",
    { UserReference: reference({ enum: ["user_reference"], ...text }, { summary: text, rank: integer }) },
    ["# UserReference.user: User"],
  ],
  [
    "its type in another case",
    { UserReference: reference({ const: "UserRef", ...text }) },
    ["# UserReference.user: User"],
  ],
  ["an example", { UserReference: reference({ example: "user", ...text }) }, ["# UserReference.user: User"]],
  ["the field's name", { UserReference: reference(text) }, ["# UserReference.user: User"]],
  [
    "several types",
    { UserReference: reference({ enum: ["user_reference", "team_reference"], ...text }) },
    [],
  ],
  ["another type than the field's", { UserReference: reference({ enum: ["bot"], ...text }) }, []],
  ["an object of its own", { UserReference: reference(text, { email: text }) }, []],
  [
    "an id that the document contradicts",
    { UserReference: object({ id: { ...text, example: "cus_123" }, type: { const: "user_ref", ...text } }) },
    ["# contradicted: UserReference.user: User"],
  ],
])("a reference { id, type } is a link to what it names: %s", (_, schemas, links) => {
  const { schema } = projectOn(
    { user: ref("UserReference") },
    {
      ...targets,
      "/users/{id}": [
        ref("User"),
        [{ name: "id", in: "path", required: true, schema: { ...text, example: "usr_1" } }],
      ],
    },
    { Team: object({ id: text, name: text }), ...schemas },
  );
  const [, contradicted = ""] = schema.split("the document contradicts");
  const found = [...schema.matchAll(/^(#? ?)extend type (\w+) \{\n(?:# )? {2}(\w+: \w+)/gm)].map(
    ([text, comment, owner, field]) =>
      `${comment}${contradicted.includes(text) ? "contradicted: " : ""}${owner}.${field}`,
  );
  expect(found).toEqual(links);
});

test("a reference { id, type } is a field if one call brings the objects of many", () => {
  const { schema } = projectOn(
    { user: ref("UserReference"), editors: list(ref("UserReference")) },
    { "/users": [list(ref("User")), [query("ids", list(text))]] },
    { UserReference: reference({ const: "user_reference", ...text }) },
  );
  expect(schema).toMatch(
    /^extend type UserReference \{\n {2}user: User\n {4}@rest\(operation: "getUsers", params: \[\{ name: "ids", from: "parent\.id" \}\], batchBy: "id"\)/m,
  );
});

test("objects { id, type } in a list are not called by the list's name", () => {
  const schemas = { Team: object({ id: text, name: text }), UserReference: reference(text) };
  const { schema } = projectOn({ user: list(ref("UserReference")) }, targets, schemas);
  expect(schema).not.toContain("extend type UserReference");
});
