/** The conditions under which the name of a key suggests a link: a row for each, with the least document that shows it. */
import { expect, test } from "vitest";
import { bindSdl } from "../../../../src/engine/build/bind/bind.ts";
import { startProject } from "../../../../src/engine/build/init/start-project.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { modelWithoutFields } from "../../../../src/engine/build/propose/empty-schema.ts";
import { addedKeyLinks, keyLinks } from "../../../../src/engine/build/propose/key-links.ts";
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

const parameter = (name: string, schema: object, more: object = {}) => ({
  name,
  in: "query",
  schema,
  ...more,
});
const required = { required: true };
const ids = parameter("ids", list(text));

type Operation = { readonly answer: object; readonly parameters: readonly object[]; readonly more?: object };

const get = (answer: object, ...parameters: object[]): Operation => ({ answer, parameters });
const user = ref("User");
const users = list(ref("User"));

const posts = { "/posts": get(list(ref("Post"))), "/posts/{id}": get(ref("Post")) };

type Api = {
  /** Properties of Post, of which there is a list and a get. */
  readonly keys?: object;
  /** `/users/{id}`, or `POST /users` for another method. The `operationId` is the method with the words of the path. */
  readonly paths: Readonly<Record<string, Operation>>;
  readonly schemas?: Readonly<Record<string, object>>;
};

function documentOf({ keys = {}, paths, schemas }: Api) {
  const found: Record<string, Record<string, object>> = {};
  for (const [name, { answer, parameters, more }] of Object.entries({ ...posts, ...paths })) {
    const [path = "", method = "GET"] = name.split(" ").toReversed();
    const inPath = [...path.matchAll(/\{(\w+)\}/g)]
      .filter(([, own]) => !parameters.some((each) => "name" in each && each.name === own))
      .map(([, own = ""]) => parameter(own, text, { in: "path", ...required }));
    const words = path.replaceAll(/[^a-zA-Z]+(\w?)/g, (_, first: string) => first.toUpperCase());
    found[path] ??= {};
    found[path][method.toLowerCase()] = {
      operationId: method.toLowerCase() + words,
      parameters: [...inPath, ...parameters],
      responses: { 200: { description: "ok", content: { "application/json": { schema: answer } } } },
      ...more,
    };
  }
  return restDocument({
    openapi: "3.2.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: found,
    components: {
      schemas: { User: object({ id: text, name: text }), Post: object({ id: text, ...keys }), ...schemas },
    },
  });
}

const emptyModel = (api: Api) => {
  const document = documentOf(api);
  return modelWithoutFields({ document, operations: readOperations(document) });
};

/** `Post.user = getUsers(ids)` for each link of the SDL, after `# ` if it is a comment. */
const linksIn = (sdl: string): string[] =>
  [
    ...sdl.matchAll(
      /^(# )?extend type (\w+) \{\n(?:# )? {2}(\w+): \S+\n.*?@rest\(operation: "(\w+)"(.*)\)$/gm,
    ),
  ].map(([, comment = "", owner, field, operation, rest = ""]) => {
    const params = [...rest.matchAll(/\{ name: "([^"]+)"(, in: ITEM)?(?:, value: (\d+))?/g)].map(
      ([, name, isItem, value]) => `${name}${isItem ? " in ITEM" : ""}${value ? `: ${value}` : ""}`,
    );
    const [, result] = /result: "([^"]+)"/.exec(rest) ?? [];
    return `${comment}${owner}.${field} = ${operation}(${params.join(", ")})${result ? `.${result}` : ""}`;
  });

/** The links that `init` writes. */
const initialLinks = (api: Api): string[] =>
  linksIn(startProject(documentOf(api), { tag: [], operation: [], query: [] }).schema);

/** The links for the objects of a schema that somebody wrote. */
function linksOf(sdl: string, api: Api): string[] {
  const model = emptyModel(api);
  const { model: bound, diagnostics } = bindSdl(model, sdl);
  // errors of the schema itself are not blamed on links
  const wrong = new Set(
    diagnostics.filter(({ severity }) => severity === "error").map((each) => each.coordinate),
  );
  return linksIn(keyLinks(model, { sdl, bound, wrong }).sdl);
}

const byId = { "/users/{id}": get(user) };
const byIds = { "/users": get(users, ids) };
const userId = { userId: text };
const single = "# Post.user = getUsersId(id)";
const batched = "Post.user = getUsers(ids)";
const lookedUp = "# Post.user = getUsers(id in ITEM)";
const Team = object({ id: text, title: text });
const Person = object({ id: text, age: integer });

test.each<[rule: string, api: Api, links: string[]]>([
  // which key
  ["a key with a leading underscore", { keys: { _userId: text }, paths: byIds }, [batched]],
  [
    "a key with a leading underscore beside a qualified key: a comment, because the first may be an internal id",
    { keys: { _userId: text, externalUserId: text }, paths: byIds },
    [`# ${batched}`],
  ],
  [
    "a key without an underscore beside a qualified key",
    { keys: { userId: text, externalUserId: text }, paths: byIds },
    [batched],
  ],
  // which operation
  [
    "two types that the key may name: no link, though their objects have the same properties",
    {
      keys: userId,
      paths: { "/users/{id}": get(ref("Member")), "/people": get(users, ids) },
      schemas: { Member: object({ id: text, name: text }) },
    },
    [],
  ],
  [
    "a list of another type does not replace a get whose id has another type",
    {
      keys: userId,
      paths: {
        "/users/{id}": get(user, parameter("id", integer, { in: "path", ...required })),
        "/users": get(list(ref("Member"))),
      },
      schemas: { Member: object({ id: text, name: text }) },
    },
    [],
  ],
  [
    "keys in a list: a get of one object is ignored, also if it returns another type than the list",
    {
      keys: { userIds: list(text) },
      paths: { ...byId, "/users": get(list(ref("Person"))) },
      schemas: { Person },
    },
    ["# Post.users = getUsers(id in ITEM)"],
  ],
  [
    "a key and a list of keys with one name for their fields: no link, though one can only be a list",
    { keys: { usersId: text, userIds: list(text) }, paths: { ...byId, ...byIds } },
    [],
  ],
  [
    "a binding that fails does not affect the other links",
    {
      keys: { ...userId, teamId: text },
      paths: {
        ...byId,
        ...byIds,
        "/teams": get(list(ref("Team")), parameter("ids", list({ type: "boolean" }))),
        "/teams/{id}": get(ref("Team")),
      },
      schemas: { Team },
    },
    [batched, "# Post.team = getTeamsId(id)"],
  ],
  [
    "the linked type has only properties that the owner has too, but not the key",
    { keys: { ...userId, name: text }, paths: byId },
    [single],
  ],
  [
    "the key is the id of the owner itself: no link",
    { paths: byId, schemas: { User: object({ userId: text, name: text }) } },
    [],
  ],
  // references
  ["an object { id, href } without type is not a reference", reference({ id: text, href: text }), []],
  ["a type that is not text does not make a reference", reference({ id: text, type: integer }), []],
  [
    "a type whose example is not text does not make a reference",
    reference({ id: text, type: { ...text, example: 12 } }),
    [],
  ],
  [
    "a reference without stated type is named by its field",
    reference({ id: text, type: text }),
    ["# UserLink.user = getUsersId(id)"],
  ],
  [
    "a reference without stated type in fields of two names is ambiguous",
    reference({ id: text, type: text }, { editor: ref("UserLink") }),
    [],
  ],
  [
    "a reference without stated type that is also in a list is ambiguous",
    {
      keys: { user: ref("UserLink") },
      paths: { ...byId, "/teams/{id}": get(ref("Team")) },
      schemas: {
        UserLink: object({ id: text, type: text }),
        Team: object({ id: text, user: list(ref("UserLink")) }),
      },
    },
    [],
  ],
  // namesakes
  [
    "a parameter of the name is not a namesake",
    {
      keys: userId,
      paths: { "/fdx/users": get(users, ids), "/payments/{user}": get(ref("Team")) },
      schemas: { Team },
    },
    ["Post.user = getFdxUsers(ids)"],
  ],
  [
    "the resource again after a parameter is not a namesake",
    {
      keys: userId,
      paths: { "/fdx/users": get(users, ids), "/fdx/users/{x}/users": get(ref("Team")) },
      schemas: { Team },
    },
    ["Post.user = getFdxUsers(ids)"],
  ],
  [
    "a namesake before the resource in the document",
    { keys: userId, paths: { "/payments/users": get(Team), "/fdx/users": get(users, ids) } },
    ["# Post.user = getFdxUsers(ids)"],
  ],
  [
    "paths that end with a slash are not namesakes",
    { keys: userId, paths: { "/fdx/users/": get(users, ids), "/payments/teams/": get(Team) } },
    ["Post.user = getFdxUsers(ids)"],
  ],
  // other keys than ids
  ["a code", byCode({ planCode: text }), ["# Post.plan = getPlansCode(code)"]],
  [
    "a code whose parameter has the name of the key",
    byCode({ plan_code: text }, "plan_code"),
    ["# Post.plan = getPlansPlanCode(plan_code)"],
  ],
  [
    "a parameter whose words are around the resource's name in the key",
    byCode({ lago_plan_id: text }, "lago_id"),
    ["# Post.plan = getPlansLagoId(lago_id)"],
  ],
  [
    "an id with the qualifier of the parameter",
    { keys: { externalUserId: text }, paths: { "/users/{external_user_id}": get(user) } },
    ["# Post.user = getUsersExternalUserId(external_user_id)"],
  ],
  [
    "an id without the qualifier of the parameter: no link",
    { keys: userId, paths: { "/users/{external_user_id}": get(user) } },
    [],
  ],
  ["a code that does not name the resource: no link", byCode({ code: text }), []],
  [
    "an external id that does not name the resource: no link, though it has the name of the parameter",
    { keys: { external_id: text }, paths: { "/users/{external_id}": get(user) } },
    [],
  ],
  ["a name where the parameter is a code: no link", byCode({ plan_name: text }), []],
  ["a word that only begins like the resource: no link", byCode({ planetCode: text }), []],
  ["codes in a list: no link", byCode({ plan_code: list(text) }), []],
  ["the name of the resource alone as the parameter: no link", byCode({ plan_plan: text }, "plan"), []],
  [
    "a code that two operations accept: no link",
    {
      ...byCode({ plan_code: text }),
      paths: { "/plans/{code}": get(ref("Plan")), "/admin/plans/{plan_code}": get(ref("Plan")) },
    },
    [],
  ],
  [
    "an id is preferred to another key of the same object",
    {
      keys: { external_user_id: text, ...userId },
      paths: { ...byId, "/external/users/{external_user_id}": get(user) },
    },
    ["# Post.user = getUsersId(id)"],
  ],
  // the call
  [
    "a page is as long as the list of keys may be",
    { keys: userId, paths: { "/users": get(users, ids, parameter("limit", { ...integer, maximum: 200 })) } },
    ["Post.user = getUsers(ids, limit: 100)"],
  ],
  [
    "a page size that counts objects per key gets no value",
    {
      keys: userId,
      paths: {
        "/users": get(users, ids, parameter("limit", { ...integer, maximum: 200 }, { "x-limit-per": "ids" })),
      },
    },
    [batched],
  ],
  [
    "a get that needs another parameter does not compete",
    { keys: userId, paths: { ...byId, "/admin/users/{id}": get(user, parameter("as", text, required)) } },
    [single],
  ],
  [
    "a list that needs another parameter does not compete",
    {
      keys: userId,
      paths: { "/users": get(users), "/admin/users": get(users, parameter("as", text, required)) },
    },
    [lookedUp],
  ],
  [
    "an operation that needs a body does not compete",
    {
      keys: userId,
      paths: {
        ...byId,
        "QUERY /admin/users/{id}": {
          ...get(user),
          more: {
            requestBody: {
              required: true,
              content: { "application/json": { schema: object({ as: text }) } },
            },
          },
        },
      },
    },
    [single],
  ],
  [
    "a list of text does not compete",
    { keys: userId, paths: { ...byId, "/users": get(list(text), ids) } },
    [single],
  ],
  // envelopes
  ["a count is not a list", { keys: userId, paths: { ...byId, "/users/count": get(integer) } }, [single]],
  [
    "the only list of objects in an envelope with a list of text and an object",
    envelope({ tags: list(text), meta: Team, users }),
    ["# Post.user = getUsers(id in ITEM).users"],
  ],
  [
    "of two lists of objects in an envelope the one that the path names",
    envelope({ users, admins: list(Person) }),
    ["# Post.user = getUsers(id in ITEM).users"],
  ],
  ["two lists of the type in an envelope: no link", envelope({ active: users, former: users }), []],
  [
    "a list in an envelope with the resource's name as its type",
    envelope({ title: text, items: users }),
    ["# Post.user = getUsers(id in ITEM).items"],
  ],
  [
    "a list in an envelope with the resource's name as its property",
    { ...envelope({ title: text, users: list(ref("Person")) }), schemas: { Person } },
    ["# Post.user = getUsers(id in ITEM).users"],
  ],
  [
    "a list in an envelope with another name: no link",
    { keys: userId, paths: { "/team": get(object({ title: text, members: users })) } },
    [],
  ],
  // ids
  ["ids in the query, named ids", { keys: userId, paths: byIds }, [batched]],
  ["ids in the query, named id", queried("id", list(text)), ["Post.user = getUsers(id)"]],
  ["ids in the query, named userIds", queried("userIds", list(text)), ["Post.user = getUsers(userIds)"]],
  [
    "ids in the query, named user_id[]",
    queried("user_id[]", list(text)),
    ["Post.user = getUsers(user_id[])"],
  ],
  ["a list in the query with another name is not ids", queried("emails", list(text)), [lookedUp]],
  ["a list of ids of other objects is not ids", queried("teamIds", list(text)), [lookedUp]],
  ["one id in the query is not ids", queried("id", text), [lookedUp]],
  ["ids in a header are not ids", queried("ids", list(text), { in: "header" }), [lookedUp]],
  [
    "an id of another object in the path is not the id",
    { keys: userId, paths: { "/users/{teamId}": get(user) } },
    [],
  ],
  [
    "the id of the object in the path",
    { keys: userId, paths: { "/users/{userId}": get(user) } },
    ["# Post.user = getUsersUserId(userId)"],
  ],
])("init: %s", (_rule, api, links) => {
  expect(initialLinks(api)).toEqual(links);
});

/** A post with a reference to a user, which has these properties. */
function reference(properties: object, keys: object = {}): Api {
  return { keys: { user: ref("UserLink"), ...keys }, paths: byId, schemas: { UserLink: object(properties) } };
}

/** Posts with these keys, and plans by the parameter. */
function byCode(keys: object, parameter = "code", plan: object = { [parameter]: text }): Api {
  return {
    keys,
    paths: { [`/plans/{${parameter}}`]: get(ref("Plan")) },
    schemas: { Plan: object({ ...plan, title: text }) },
  };
}

function envelope(properties: object): Api {
  return { keys: userId, paths: { "/users": get(object(properties)) } };
}

function queried(name: string, schema: object, more: object = {}): Api {
  return { keys: userId, paths: { "/users": get(users, parameter(name, schema, more)) } };
}

const draft = (properties: object): Api => ({
  keys: userId,
  paths: { ...byId, "/drafts/{id}": get(ref("Draft")) },
  schemas: { Draft: object({ id: text, ...properties }) },
});

const queryOf = (...fields: string[]): string => `type Query {\n  ${fields.join("\n  ")}\n}\n`;
const postField = 'post(id: ID!): Post @rest(operation: "getPostsId")';
const draftField = 'draft(id: ID!): Post @rest(operation: "getDraftsId")';
const userField = 'user(id: ID!): User @rest(operation: "getUsersId")';
const Post = "type Post { id: ID! userId: ID! }";
const User = "type User { id: ID! name: String! }";
const found = "Post.user = getUsersId(id)";

/** Posts with a key, and plans by the parameter of the document. */
const planOf = (key: string): string => {
  const parameter = key.includes("external") ? "external_id" : "code";
  const operation = parameter === "code" ? "getPlansCode" : "getPlansExternalId";
  return `${queryOf(postField, `plan(${parameter}: ID!): Plan @rest(operation: "${operation}")`)}
type Post { id: ID! ${key}: ID! } type Plan { title: String! }`;
};

/** Users in pages. */
const paged = get(object({ items: users, next: text }, ["items"]), parameter("cursor", text));
const pagedByIds = { ...paged, parameters: [...paged.parameters, ids] };
const connection = (args: string, params = ""): string =>
  `users(${args}): UserConnection @rest(operation: "getUsers", connection: { items: "items", next: "next" }${params})`;
const userConnection = `${User}
type UserConnection { nodes: [User!]! pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean! endCursor: String }`;

const withEdges = (edge: string): string =>
  `${queryOf(postField, userField, connection('after: String @restName(name: "cursor"), ids: [ID!]'))}${Post} ${User}
type UserConnection { edges: [UserEdge!]! pageInfo: PageInfo! }
type UserEdge { ${edge} }
type PageInfo { hasNextPage: Boolean! endCursor: String }`;

/** Users whose `id`, which the schema does not show, contradicts the example of the key. */
const otherIds = (id: object, other: object = {}): Api => ({
  keys: { userId: { ...text, example: "cus_1" } },
  paths: { ...byId, "/member": get(ref("Member")) },
  schemas: {
    User: object({ id: { ...text, example: "usr_1", ...id }, name: text }, ["name"]),
    Member: object({ name: text, ...other }),
  },
});
const members = 'member: User @rest(operation: "getMember")';

test.each<[rule: string, sdl: string, api: Api, links: string[]]>([
  [
    "a key of all objects of a type",
    queryOf(postField, draftField, userField) + Post + User,
    draft(userId),
    [found],
  ],
  [
    "a key that is text in one object of the type and a number in another: no link",
    queryOf(postField, draftField, userField) + Post + User,
    draft({ userId: integer }),
    [],
  ],
  [
    "a key that one object of the type lacks: no link",
    queryOf(postField, draftField, userField) + Post + User,
    draft({}),
    [],
  ],
  [
    "a key that is only sent in requests: no link",
    queryOf(postField, userField) + Post + User,
    { keys: { userId: { ...text, writeOnly: true } }, paths: byId },
    [],
  ],
  [
    "an id of the linked objects contradicts",
    `${queryOf(postField, userField) + Post}type User { name: String! }`,
    otherIds({}),
    [`# ${found}`],
  ],
  [
    "an id of the linked objects that is only sent in requests does not contradict",
    `${queryOf(postField, userField) + Post}type User { name: String! }`,
    otherIds({ writeOnly: true }),
    [found],
  ],
  [
    "an id that not all linked objects have does not contradict",
    `${queryOf(postField, userField, members) + Post}type User { name: String! }`,
    otherIds({}),
    [found],
  ],
  [
    "an id that some of the linked objects only have in requests does not contradict",
    `${queryOf(postField, userField, members) + Post}type User { name: String! }`,
    otherIds({}, { id: { ...text, writeOnly: true } }),
    [found],
  ],
  [
    "an id whose type differs between the linked objects does not contradict",
    `${queryOf(postField, userField, members) + Post}type User { name: String! }`,
    otherIds({}, { id: integer }),
    [found],
  ],
  [
    "an id of all linked objects contradicts",
    `${queryOf(postField, userField, members) + Post}type User { name: String! }`,
    otherIds({}, { id: text }),
    [`# ${found}`],
  ],
  [
    "a reference whose other objects have no type",
    queryOf(
      'post(id: ID!): Post @rest(operation: "getPostsId")',
      'draft(id: ID!): Draft @rest(operation: "getDraftsId")',
      userField,
    ) +
      "type Post { id: ID! user: Link! } type Draft { id: ID! user: Link! } type Link { id: ID! }" +
      User,
    links({ id: text, type: text }, { id: text }),
    [],
  ],
  [
    "a reference whose other objects have more than a reference",
    queryOf(
      'post(id: ID!): Post @rest(operation: "getPostsId")',
      'draft(id: ID!): Draft @rest(operation: "getDraftsId")',
      userField,
    ) +
      "type Post { id: ID! user: Link! } type Draft { id: ID! user: Link! } type Link { id: ID! }" +
      User,
    links({ id: text, type: text }, { id: text, type: text, email: text }),
    [],
  ],
  [
    "a reference that an operation returns is not named by the field of the operation",
    queryOf(
      'user: Link @rest(operation: "getUser")',
      'person(id: ID!): User @rest(operation: "getUsersId")',
    ) +
      "type Link { id: ID! }" +
      User,
    { paths: { ...byId, "/user": get(object({ id: text, type: text })) } },
    [],
  ],
  [
    "a property of an object in the owner is not one of the owner's",
    queryOf('author(id: ID!): Author @rest(operation: "getAuthorsId")', userField) +
      'type Author { userId: ID! name: String! @restName(name: "profile.name") } type User { userId: ID! profile: Profile! } type Profile { name: String! }',
    {
      paths: { ...byId, "/authors/{id}": get(object({ userId: text, profile: object({ name: text }) })) },
      schemas: { User: object({ userId: text, profile: object({ name: text }) }) },
    },
    ["Author.user = getUsersId(id)"],
  ],
  [
    "an operation that a link uses too is one operation",
    queryOf(postField, userField) +
      'type Post { id: ID! userId: ID! author: User @rest(operation: "getUsersId", params: [{ name: "id", from: "parent.userId" }]) }' +
      User,
    { keys: userId, paths: byId },
    [found],
  ],
  [
    "a mutation does not find objects",
    queryOf(postField, userField) +
      'type Mutation { users(ids: [ID!]): [User!] @rest(operation: "postUsers") }' +
      Post +
      User,
    { keys: userId, paths: { ...byId, "POST /users": get(users, ids) } },
    [found],
  ],
  [
    "a POST does not find objects, also if it is a field of Query",
    queryOf(postField, userField, 'users(ids: [ID!]): [User!] @rest(operation: "postUsers")') + Post + User,
    { keys: userId, paths: { ...byId, "POST /users": get(users, ids) } },
    [found],
  ],
  [
    "a list in pages does not compete with a whole list",
    queryOf(
      postField,
      connection('after: String @restName(name: "cursor")'),
      'all: [User!] @rest(operation: "getPeopleUsers")',
    ) +
      Post +
      userConnection,
    { keys: userId, paths: { "/users": paged, "/people/users": get(users) } },
    ["# Post.user = getPeopleUsers(id in ITEM)"],
  ],
  [
    "a list in pages that takes ids",
    queryOf(postField, connection('after: String @restName(name: "cursor"), ids: [ID!]')) +
      Post +
      userConnection,
    { keys: userId, paths: { "/users": pagedByIds } },
    ["Post.user = getUsers(ids).items"],
  ],
  [
    "a list in pages whose connection has only edges",
    withEdges("cursor: String! node: User!"),
    { keys: userId, paths: { ...byId, "/users": pagedByIds } },
    ["Post.user = getUsers(ids).items"],
  ],
  [
    "a list in pages whose connection has no objects does not compete",
    withEdges("cursor: String!"),
    { keys: userId, paths: { ...byId, "/users": pagedByIds } },
    [found],
  ],
  [
    "a list in an envelope that another operation returns is not the list of the envelope",
    queryOf(postField, 'users: Users @rest(operation: "getUsers")') +
      Post +
      User +
      'type Users { title: String! users: [User!] @rest(operation: "getPeople") }',
    { keys: userId, paths: { "/users": get(object({ title: text })), "/people": get(users) } },
    [],
  ],
  [
    "a code of the objects",
    planOf("planCode"),
    byCode({ planCode: text }),
    ["Post.plan = getPlansCode(code)"],
  ],
  [
    "a code that the objects do not have: a comment, because the parameter may accept another value",
    planOf("planCode"),
    byCode({ planCode: text }, "code", { key: text }),
    ["# Post.plan = getPlansCode(code)"],
  ],
  [
    "a code of the objects contradicts",
    planOf("planCode"),
    byCode({ planCode: { ...text, example: "cat_1" } }, "code", { code: { ...text, example: "pln_1" } }),
    ["# Post.plan = getPlansCode(code)"],
  ],
  [
    "an id of the objects does not contradict a code",
    planOf("planCode"),
    byCode({ planCode: text }, "code", { code: text, id: { ...text, format: "uuid" } }),
    ["Post.plan = getPlansCode(code)"],
  ],
  [
    "a qualified id is described by its own qualifier",
    planOf("external_plan_id"),
    byCode({ external_plan_id: { ...text, description: "The external plan id." } }, "external_id"),
    ["Post.plan = getPlansExternalId(external_id)"],
  ],
  [
    "a code is described as that of another system",
    planOf("planCode"),
    byCode({ planCode: { ...text, description: "The external plan code." } }),
    ["# Post.plan = getPlansCode(code)"],
  ],
  ["an invalid schema", "type Query { post: Nope }", { paths: {} }, []],
  [
    "links that break another field are left out",
    queryOf(userField, 'zone(zone: ID!): Zone @rest(operation: "getZonesZone")') +
      'type Zone { zone: ID! userId: ID! } type User { name: String! forms: [Form!] @rest(operation: "getUsersIdForms", params: [{ name: "id", from: "argsAbove.id" }]) } type Form { label: String! }',
    {
      paths: {
        ...byId,
        "/zones/{zone}": get(object({ zone: text, userId: text })),
        "/users/{id}/forms": get(list(object({ label: text }))),
      },
    },
    [],
  ],
])("a schema: %s", (_rule, sdl, api, expected) => {
  expect(linksOf(sdl, api)).toEqual(expected);
});

/** Posts and drafts with references to users, which have these properties. */
function links(ofPost: object, ofDraft: object): Api {
  return {
    keys: { user: object(ofPost) },
    paths: { ...byId, "/drafts/{id}": get(object({ id: text, user: object(ofDraft) })) },
  };
}

test("the comment names the first path with a namesake", () => {
  const paths = {
    "/fdx/users": get(users, ids),
    "/payments/users": get(Team),
    "/payments/users/search": get(Team),
  };
  const { schema } = startProject(documentOf({ keys: userId, paths }), { tag: [], operation: [], query: [] });
  expect(schema).toContain("of another resource of that name: /payments/users\n");
});

test("propose: neither a known link nor a field that exists already is written, and errors of the schema remain", () => {
  const api = {
    keys: { ...userId, teamId: text, team: integer, editorId: text },
    paths: { ...byId, "/teams/{id}": get(ref("Team")), "/editors/{id}": get(ref("Editor")) },
    schemas: { Team, Editor: object({ id: text, title: text }) },
  };
  const { model } = bindSdl(
    emptyModel(api),
    `${queryOf(postField, userField)}type Post { id: ID! userId: ID! teamId: ID! team: Team! editorId: ID! } ${User} type Team { id: ID! }`,
  );
  const sdl = `${queryOf(postField, userField)}type Post { id: ID! userId: ID! teamId: ID! team: Boolean editorId: ID! } ${User}`;
  const before = bindSdl(emptyModel(api), sdl).model;
  const added = `extend type Query { team(id: ID!): Team @rest(operation: "getTeamsId") editor(id: ID!): Editor @rest(operation: "getEditorsId") } type Team { id: ID! title: String! } type Editor { id: ID! title: String! }`;
  expect(model && before && linksIn(addedKeyLinks(before, sdl, added))).toEqual([
    "Post.editor = getEditorsId(id)",
  ]);
});
