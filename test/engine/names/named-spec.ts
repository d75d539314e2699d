/** A document and a schema in which every kind of name is one and the same name. */

/** The name in REST, and the name in GraphQL, where a name may not begin with two underscores. */
export type Names = { readonly rest: string; readonly graphql: string };

const ok = (schema: object, description = "ok") => ({
  "200": { description, content: { "application/json": { schema } } },
});
const text = { type: "string" };
const object = (properties: Record<string, object>, required: string[] = []) => ({
  type: "object",
  required,
  properties,
});
const list = (items: object) => ({ type: "array", items });

/** On many lines, so that findings show a line in full. */
const indented = (document: object): string => JSON.stringify(document, null, 1);

/** Node drops a header named `__proto__`. */
const headerOf = (name: string): string => (name.startsWith("__") ? "x-header" : name);

/** As JSON, which is YAML too. */
export function openapi({ rest: name }: Names): string {
  const parameter = (location: string, schema: object, more: object = {}) => ({
    name,
    in: location,
    schema,
    ...(location === "path" && { required: true }),
    ...more,
  });
  const ref = (component: string) => ({ $ref: `#/components/schemas/${component}` });
  const thing = object(
    {
      id: text,
      [name]: text,
      deep: object({ [name]: text }),
      kind: { type: "string", enum: [name, "other"] },
    },
    ["id"],
  );
  const body = object(
    {
      [name]: { type: "string", maxLength: 20 },
      below: object({ [name]: text, plain: text }),
      open: { type: "object", additionalProperties: true },
    },
    [],
  );
  const read = (operationId: string, parameters: object[], schema: object) => ({
    get: { operationId, tags: [name], "x-permission": name, parameters, responses: ok(schema) },
  });
  const write = (operationId: string, media: string, schema: object) => ({
    post: {
      operationId,
      tags: [name],
      requestBody: { required: true, content: { [media]: { schema } } },
      responses: ok(object({ ok: text })),
    },
  });
  const member = (value: string, more: Record<string, object>) =>
    object({ [name]: { type: "string", enum: [value] }, ...more }, [name]);
  const paths = {
    [`/${name}/{${name}}`]: {
      get: {
        operationId: name,
        tags: [name],
        summary: name,
        parameters: [
          parameter("path", { type: "string", maxLength: 20 }),
          parameter("query", { type: "string", maxLength: 20 }),
          { name: headerOf(name), in: "header", schema: text },
        ],
        responses: {
          ...ok(ref(name)),
          "400": { description: "bad", content: { "application/problem+json": { schema: object({}) } } },
        },
      },
    },
    "/optional": read(
      "listOptional",
      [
        parameter("query", { type: "string", maxLength: 20, pattern: "^[a-z]*$" }),
        { name: "kind", in: "query", schema: { type: "string", enum: [name, "other"] } },
        { name: "filter", in: "query", style: "deepObject", schema: object({ [name]: text }) },
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1 } },
      ],
      list(ref(name)),
    ),
    "/many": read(
      "listMany",
      [parameter("query", { type: "array", items: text, maxItems: 10 }, { required: true })],
      object({ [name]: list(object({ [name]: text, label: text }, [name])) }, [name]),
    ),
    [`/needed/{${name}}`]: read("getNeeded", [parameter("path", text)], object({ label: text })),
    "/search": read("search", [parameter("query", text)], object({ label: text })),
    "/maps": read("getMap", [], { type: "object", additionalProperties: text }),
    "/pages": read(
      "listPages",
      [parameter("query", text), { name: "cursor", in: "query", schema: text }],
      object({ [name]: list(ref(name)), next: { type: "string" } }, [name]),
    ),
    "/members": read("listMembers", [], list(ref("Member"))),
    "/holders": read(
      "listHolders",
      [],
      list({
        oneOf: [
          { ...object({ [name]: text }, [name]), additionalProperties: false },
          { ...object({ other: text }, ["other"]), additionalProperties: false },
        ],
      }),
    ),
    "/json": write("addJson", "application/json", body),
    "/form": write(
      "addForm",
      "application/x-www-form-urlencoded",
      object({ [name]: text, list: list(text) }),
    ),
    "/parts": write("addParts", "multipart/form-data", object({ [name]: text, other: text })),
    "/inherited": read(
      "getInherited",
      [parameter("query", text, { required: true })],
      object({ label: text }),
    ),
  };
  return indented({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    tags: [{ name }],
    security: [{ [name]: [] }],
    paths,
    components: {
      securitySchemes: { [name]: { type: "apiKey", in: "header", name: "X-API-Key" } },
      schemas: {
        [name]: thing,
        Member: {
          oneOf: [member(name, { label: text }), member("second", { label: text })],
          discriminator: { propertyName: name },
        },
      },
    },
  });
}

/** The same document with a tighter hold on everything of that name. */
export function stricter(names: Names): string {
  const { rest: name } = names;
  const document = JSON.parse(openapi(names));
  const { schemas, securitySchemes } = document.components;
  securitySchemes[name] = { type: "apiKey", in: "header", name: "X-Other-Key" };
  const { [name]: _, ...others } = schemas[name].properties;
  schemas[name].properties = { ...others, kind: { type: "string", enum: ["other", "new"] } };
  schemas.Member.oneOf[1].properties[name].enum = ["third"];
  for (const item of Object.values<Record<string, { tags: string[]; parameters?: object[] }>>(document.paths))
    for (const operation of Object.values(item)) {
      operation.tags = ["moved"];
      operation.parameters = operation.parameters?.map((each) =>
        "name" in each && each.name === name
          ? { ...each, required: true, schema: { type: "string", maxLength: 5 } }
          : each,
      );
    }
  return indented(document);
}

export function graphqlSchema({ rest, graphql: name }: Names): string {
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  const named = rest === name ? "" : ` @restName(name: "${rest}")`;
  const placed = (place: string): string =>
    rest === name ? ` @restName(in: ${place})` : ` @restName(name: "${rest}", in: ${place})`;
  return `type Query {
  ${name}(path: String!${` @restName(name: "${rest}", in: PATH)`}, ${name}: String${placed("QUERY")}, header: String @restName(name: "${headerOf(rest)}", in: HEADER)): Thing
    @rest(operation: "${rest}")
  optional(${name}: String${named}, kind: Kind, filter: Filter, limit: Int): [Thing!] @rest(operation: "listOptional")
  maps: [Entry!] @rest(operation: "getMap") @restEntries
  pages(after: String @restName(name: "cursor"), ${name}: String${named}): ThingConnection
    @rest(operation: "listPages", connection: { items: "${rest}", next: "next" })
  members: [Member!] @rest(operation: "listMembers")
  holders: [Holder!] @rest(operation: "listHolders")
}

type Mutation {
  addJson(input: NewThing!): Done @rest(operation: "addJson", body: "args.input")
  addJsonParts(${name}: String${named}, below: Below, open: JSON): Done @rest(operation: "addJson")
  addForm(${name}: String${named}, list: [String!]): Done @rest(operation: "addForm")
  addParts(${name}: String${named}, other: String): Done @rest(operation: "addParts")
}

type Thing {
  id: ID!
  ${name}: String${named}
  deep: String @restName(name: "deep.${rest}")
  kind: Kind
  many: [Many!]
    @rest(
      operation: "listMany"
      params: [{ name: "${rest}", from: "parent.${rest}" }]
      result: "${rest}"
      batchBy: "${rest}"
    )
  needed: Label @rest(operation: "getNeeded", params: [{ name: "${rest}", from: "parent.${rest}" }])
  neededBelow: Label @rest(operation: "getNeeded", params: [{ name: "${rest}", from: "parent.deep.${rest}" }])
  search: Label @rest(operation: "search", params: [{ name: "${rest}", from: "parent.${rest}" }])
  searchBelow: Label @rest(operation: "search", params: [{ name: "${rest}", from: "parent.deep.${rest}" }])
  inner: Deep @restName(name: "deep")
}

type Deep {
  ${name}: String${named}
  enclosing: Label @rest(operation: "getInherited", params: [{ name: "${rest}", from: "Thing.${rest}" }])
}

type ThingConnection {
  nodes: [Thing!]
  pageInfo: PageInfo!
}

type PageInfo {
  hasNextPage: Boolean!
  endCursor: String
}

type Many {
  ${name}: String!${named}
  label: String
}

type Label {
  label: String
}

type Entry {
  key: String!
  value: String
}

type Done {
  ok: String
}

union Member = ${capital} | Second
union Holder = ${capital} | Other
"A member is named like the value that chooses it, or like the property that it has."
type ${capital} { ${name}: String!${named} }
type Second { label: String }
type Other { other: String! }

enum Kind {
  ${name}${named}
  other
}

input NewThing {
  ${name}: String${named}
  below: Below
  open: JSON
}

input Below {
  ${name}: String${named}
  plain: String
}

input Filter {
  ${name}: String${named}
}

scalar JSON
`;
}

/** The saved operations by their files: one is a tool for agents. */
export const operations = ({ rest, graphql }: Names): Record<string, string> => ({
  [`${rest}.graphql`]: `# Searches by ${rest}.
# @tool
query ${rest}($${rest}: String) {
  ${rest}: optional(${graphql}: $${rest}) {
    ...${rest}
  }
}

fragment ${rest} on Thing {
  ${rest}: id
  named: ${graphql}
}
`,
});

export const typesOpenapi = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/things": {
      get: {
        operationId: "listThings",
        parameters: [
          { name: "kind", in: "query", schema: { type: "string", enum: ["a-b", "c-d"] } },
          { name: "filter", in: "query", style: "deepObject", schema: object({ "a-b": text }) },
        ],
        responses: ok(list({ $ref: "#/components/schemas/Thing" })),
      },
    },
    "/choices": {
      get: {
        operationId: "listChoices",
        responses: ok(
          list({
            oneOf: ["one", "two"].map((own) => ({
              ...object({ common: text, [own]: text }, ["common", own]),
              additionalProperties: false,
            })),
          }),
        ),
      },
    },
  },
  components: {
    schemas: {
      Thing: object({ id: text, kind: { type: "string", enum: ["a-b", "c-d"] }, value: {} }, ["id"]),
    },
  },
});

/** `names`: those of types of different kinds. */
export const typesSchema = ([
  thing,
  iface,
  union,
  kind,
  input,
  scalar,
]: readonly string[]): string => `type Query {
  things(kind: ${kind}, filter: ${input}): [${thing}!] @rest(operation: "listThings")
  choices: [${union}!] @rest(operation: "listChoices")
  shown: [${iface}!] @rest(operation: "listChoices")
}
interface ${iface} { common: String! }
type ${thing} { id: ID! kind: ${kind} value: ${scalar} }
union ${union} = One | Two
type One implements ${iface} { common: String! one: String! }
type Two implements ${iface} { common: String! two: String! }
enum ${kind} { A_B C_D }
input ${input} { aB: String @restName(name: "a-b") }
scalar ${scalar}
`;
