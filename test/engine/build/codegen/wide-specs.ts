/** Valid pairs of a document and a schema in which one thing stands `count` times: hostile by their width alone. */

export type Pair = { readonly openapi: string; readonly schema: string };

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const lines = (count: number, line: (index: number) => string): string => many(count, line).join("\n");
const named = (count: number, make: (index: number) => [string, object]): Record<string, object> =>
  Object.fromEntries(many(count, make));

const string = { type: "string" };
const json = (schema: object) => ({ description: "ok", content: { "application/json": { schema } } });
const thing = { type: "object", required: ["id"], properties: { id: string } };
const document = (paths: object, schemas: object = {}): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths,
    components: { schemas: { Thing: thing, ...schemas } },
  });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const get = (id: string, more: object = {}, schema: object = ref("Thing")) => ({
  get: { operationId: id, responses: { "200": json(schema) }, ...more },
});
const query = (index: number, schema: object = string) => ({ name: `p${index}`, in: "query", schema });
const field = `thing: Thing @rest(operation: "thing")`;
const things = "type Thing { id: String! }";

/** A document of one operation, whose response has one of many schemas. */
const choiceOf = (count: number) =>
  document(
    { "/thing": get("thing", {}, ref("Choice")) },
    {
      Choice: { oneOf: many(count, (at) => ref(`C${at}`)), discriminator: { propertyName: "kind" } },
      ...named(count, (at) => [
        `C${at}`,
        {
          type: "object",
          required: ["kind"],
          properties: { kind: { type: "string", enum: [`C${at}`] }, id: string },
        },
      ]),
    },
  );

/** A document of one operation, whose response has many properties. */
const wideObject = (count: number) =>
  document(
    { "/thing": get("thing", {}, ref("Wide")) },
    { Wide: { type: "object", properties: named(count, (at) => [`p${at}`, string]) } },
  );

/** A property of the values `V0`, `V1`, …; its enum has values of the given letter. */
const wideEnum = (count: number, letter: string): Pair => ({
  openapi: document(
    { "/thing": get("thing", {}, ref("Kinded")) },
    {
      Kinded: {
        type: "object",
        properties: { kind: { type: "string", enum: many(count, (at) => `V${at}`) } },
      },
    },
  ),
  schema: `type Query { thing: Kinded @rest(operation: "thing") } type Kinded { kind: Kind } enum Kind { ${lines(count, (at) => `${letter}${at}`)} }`,
});

/** A mutation that takes an object of properties `p0`, `p1`, …; its input has fields of the given letter. */
const wideInput = (count: number, letter: string): Pair => {
  const content = {
    "application/json": {
      schema: { type: "object", properties: named(count, (at) => [`p${at}`, string]) },
    },
  };
  return {
    openapi: document({
      "/thing": {
        ...get("thing"),
        post: { ...get("change").get, requestBody: { required: true, content } },
      },
    }),
    schema: `type Query { ${field} } ${things}
      type Mutation { change(value: Wide!): Thing @rest(operation: "change", body: "args.value") }
      input Wide { ${lines(count, (at) => `${letter}${at}: String`)} }`,
  };
};

export const widePairs: Record<string, (count: number) => Pair> = {
  "keys of a map in YAML": (count) => ({
    openapi: `${document({ "/thing": get("thing") }).replace(/.$/, ",\n")}"x-wide":\n  {${lines(5 * count, (at) => `k${at}: 1,`)}}}`,
    schema: `type Query { ${field} } ${things}`,
  }),
  "parameters of an operation": (count) => ({
    openapi: document({ "/thing": get("thing", { parameters: many(count, (at) => query(at)) }) }),
    schema: `type Query { ${field} } ${things}`,
  }),
  "arguments of a field": (count) => ({
    openapi: document({ "/thing": get("thing", { parameters: many(count, (at) => query(at)) }) }),
    schema: `type Query { thing(${lines(count, (at) => `p${at}: String`)}): Thing @rest(operation: "thing") } ${things}`,
  }),
  "named arguments of a field": (count) => ({
    openapi: document({ "/thing": get("thing", { parameters: many(count, (at) => query(at)) }) }),
    schema: `type Query { thing(${lines(count, (at) => `a${at}: String @restName(name: "p${at}")`)}): Thing @rest(operation: "thing") } ${things}`,
  }),
  "constants of a field": (count) => ({
    openapi: document({ "/thing": get("thing", { parameters: many(count, (at) => query(at)) }) }),
    schema: `type Query { thing: Thing @rest(operation: "thing", params: [${lines(count, (at) => `{ name: "p${at}", value: "x" }`)}]) } ${things}`,
  }),
  "responses of an operation": (count) => ({
    openapi: document({
      "/thing": get("thing", {
        responses: {
          "200": json(ref("Thing")),
          ...named(Math.min(count, 399), (at) => [String(201 + at), { description: "no" }]),
          ...named(count, (at) => [`x-${at}`, { description: "no" }]),
        },
      }),
    }),
    schema: `type Query { ${field} } ${things}`,
  }),
  "fields of a type": (count) => ({
    openapi: wideObject(count),
    schema: `type Query { thing: Wide @rest(operation: "thing") } type Wide { ${lines(count, (at) => `p${at}: String`)} }`,
  }),
  "renamed fields of a type": (count) => ({
    openapi: wideObject(count),
    schema: `type Query { thing: Wide @rest(operation: "thing") } type Wide { ${lines(count, (at) => `f${at}: String @restName(name: "p${at}")`)} }`,
  }),
  "members of a union": (count) => ({
    openapi: choiceOf(count),
    schema: `type Query { thing: Choice @rest(operation: "thing") } union Choice = ${many(count, (at) => `C${at}`).join(" | ")}
      ${lines(count, (at) => `type C${at} { id: String }`)}`,
  }),
  "types of an interface": (count) => ({
    openapi: choiceOf(count),
    schema: `type Query { thing: Choice @rest(operation: "thing") } interface Choice { id: String }
      ${lines(count, (at) => `type C${at} implements Choice { id: String }`)}`,
  }),
  "values of an enum": (count) => wideEnum(count, "V"),
  "fields of an input": (count) => wideInput(count, "p"),
  "fields of Query": (count) => ({
    openapi: document(named(count, (at) => [`/t${at}`, get(`thing${at}`)])),
    schema: `type Query { ${lines(count, (at) => `thing${at}: Thing @rest(operation: "thing${at}")`)} } ${things}`,
  }),
  "links of a type": (count) => ({
    openapi: document({
      "/thing": get("thing"),
      "/thing/{id}/part": get("part", {
        parameters: [{ name: "id", in: "path", required: true, schema: string }],
      }),
    }),
    schema: `type Query { ${field} } type Thing { id: String! ${lines(count, (at) => `part${at}: Thing @rest(operation: "part", params: [{ name: "id", from: "parent.id" }])`)} }`,
  }),
  "types on a path": (count) => ({
    openapi: document(
      { "/thing": get("thing", {}, ref("Wide")) },
      {
        Wide: {
          type: "object",
          properties: named(count, (at) => [`p${at}`, { type: "object", properties: { id: string } }]),
        },
      },
    ),
    schema: `type Query { thing: Wide @rest(operation: "thing") } type Wide { ${lines(count, (at) => `p${at}: T${at}`)} } ${lines(count, (at) => `type T${at} { id: String }`)}`,
  }),
  "arguments that feed nothing": (count) => ({
    openapi: document({ "/thing": get("thing", { parameters: many(count, (at) => query(at)) }) }),
    schema: `type Query { thing(${lines(count, (at) => `q${at}: String`)}): Thing @rest(operation: "thing") } ${things}`,
  }),
  "required parameters that nothing feeds": (count) => ({
    openapi: document({
      "/thing": get("thing", { parameters: many(count, (at) => ({ ...query(at), required: true })) }),
    }),
    schema: `type Query { thing(${lines(count, (at) => `q${at}: String`)}): Thing @rest(operation: "thing") } ${things}`,
  }),
  "constants that feed nothing": (count) => ({
    openapi: document({ "/thing": get("thing", { parameters: many(count, (at) => query(at)) }) }),
    schema: `type Query { thing: Thing @rest(operation: "thing", params: [${lines(count, (at) => `{ name: "q${at}", value: "x" }`)}]) } ${things}`,
  }),
  "fields without a property": (count) => ({
    openapi: wideObject(count),
    schema: `type Query { thing: Wide @rest(operation: "thing") } type Wide { ${lines(count, (at) => `q${at}: String`)} }`,
  }),
  "fields of an input without a property": (count) => wideInput(count, "q"),
  "unknown values of an enum": (count) => wideEnum(count, "W"),
  "unknown operations": (count) => ({
    openapi: document({ "/thing": get("thing"), ...named(count, (at) => [`/t${at}`, get(`thing${at}`)]) }),
    schema: `type Query { ${lines(count, (at) => `thing${at}: Thing @rest(operation: "thung${at}")`)} } ${things}`,
  }),
  "unknown types of a union": (count) => ({
    openapi: choiceOf(count),
    schema: `type Query { thing: Choice @rest(operation: "thing") } union Choice = ${many(count, (at) => `D${at}`).join(" | ")}
      ${lines(count, (at) => `type D${at} { id: String }`)}`,
  }),
  "backings of a type": (count) => ({
    openapi: document(
      { "/thing": get("thing", {}, ref("Wide")) },
      {
        Wide: {
          type: "object",
          properties: named(count, (at) => [
            `p${at}`,
            { type: "object", properties: { id: string, [`own${at}`]: string } },
          ]),
        },
      },
    ),
    schema: `type Query { thing: Wide @rest(operation: "thing") } type Wide { ${lines(count, (at) => `p${at}: Part`)} } type Part { id: String }`,
  }),
};
