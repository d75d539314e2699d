/**
 * Random composed schemas of a response, and values that they allow. Every schema names its types, as documents do:
 * `properties` without a type, and a null beside an `enum` that does not list it, are read as people mean them.
 */
import fc from "fast-check";

export type Schema = Readonly<Record<string, unknown>>;

const names = ["a", "b"] as const;
const components = ["One", "Two", "Three"] as const;
const nullable = (schema: Schema): Schema => ({ oneOf: [schema, { type: "null" }] });

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>(
    { type: "string" },
    { type: ["string", "null"] },
    { type: "integer" },
    { type: "integer", format: "int64" },
    { type: "integer", minimum: 0, maximum: 5_000_000_000 },
    { type: "integer", format: "int64", minimum: 0, maximum: 9 },
    { type: "number" },
    { type: "boolean" },
    { type: "string", enum: ["x", "y"] },
    { type: "string", enum: ["y", "z"] },
    { type: "integer", enum: [1, 3_000_000_000] },
    { const: "x" },
  ),
);

const { schema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: tie("object") },
    { weight: 1, arbitrary: tie("schema").map((items) => ({ type: "array", items })) },
    { weight: 1, arbitrary: tie("schema").map(nullable) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("oneOf", "anyOf"), fc.array(tie("schema"), { minLength: 2, maxLength: 3 }))
        .map(([keyword, members]) => ({ [keyword]: members })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...components).map(ref) },
  ),
  object: fc.oneof(
    { maxDepth: 4 },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constantFrom("object", ["object", "null"]),
        required: fc.subarray([...names]),
        properties: fc.record({ a: tie("schema"), b: tie("schema") }, { requiredKeys: [] }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          type: fc.constantFrom("object", ["object", "null"]),
          required: fc.constant([]),
          properties: fc.record({ a: tie("schema") }, { requiredKeys: [] }),
          patternProperties: fc.record({ "^[bc]$": tie("schema") }),
          additionalProperties: fc.oneof(tie("schema"), fc.constant(false)),
        })
        .chain((map) => fc.subarray(["properties", "patternProperties"]).map((left) => without(map, left))),
    },
    {
      weight: 2,
      arbitrary: fc.array(tie("object"), { minLength: 2, maxLength: 2 }).map((allOf) => ({ allOf })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("object"), tie("object"), tie("object")).map(([one, two, base]) => ({
        allOf: [base, { oneOf: [one, two] }],
      })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...components).map(ref) },
  ),
})) as { schema: fc.Arbitrary<Schema> };

/** A map: its properties stay, as a key that they may be left out of the schema. */
function without(map: Schema, left: readonly string[]): Schema {
  const { properties, patternProperties, ...rest } = map;
  return {
    ...rest,
    properties: left.includes("properties") ? {} : properties,
    ...(!left.includes("patternProperties") && { patternProperties }),
  };
}

function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export type World = {
  readonly answers: readonly Schema[];
  readonly schemas: Readonly<Record<string, Schema>>;
};

/** Two answers, so that a type may have two backings; components that refer to each other below a property. */
export const world: fc.Arbitrary<World> = fc
  .tuple(schema, schema, ...components.map(() => fc.tuple(schema, schema)))
  .map(([one, two, ...pairs]) => ({
    answers: [one, two],
    schemas: Object.fromEntries(
      pairs.map(([a, b], index) => [
        components[index],
        { type: "object", required: index === 0 ? ["a"] : [], properties: { a, b } },
      ]),
    ),
  }));

export const openapi = ({ answers, schemas }: World): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Composed", version: "1" },
    paths: Object.fromEntries(
      answers.map((answer, index) => [
        `/f${index}`,
        {
          get: {
            operationId: `f${index}`,
            responses: { 200: { description: "it", content: { "application/json": { schema: answer } } } },
          },
        },
      ]),
    ),
    components: { schemas },
  });

export type Random = () => number;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

const byType: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  boolean: [true],
  string: ["x", "y", "z", "text"],
  integer: [1, 7, 3_000_000_000, 4_000_000_000],
  number: [0.5, 1],
};

/** A value near the schema; a validator says whether the document allows it. */
export function sample({ schemas }: World, schema: Schema, random: Random, depth = 0): unknown {
  if (typeof schema !== "object") return undefined; // a property that no value has
  const of = (inner: unknown): unknown =>
    sample({ answers: [], schemas }, inner as Schema, random, depth + 1);
  if (typeof schema.$ref === "string") return of(schemas[schema.$ref.split("/").at(-1) ?? ""]);
  const members = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(members)) return of(pick(random, members));
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map(of);
    return parts.every((part) => typeof part === "object") ? Object.assign({}, ...parts) : parts[0];
  }
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return pick(random, schema.enum);
  const type = pick(random, [schema.type].flat() as string[]);
  if (type === "array") return random() < 0.2 ? [] : [of(schema.items), of(schema.items)];
  if (type !== "object") return pick(random, byType[type] ?? []);
  const required = schema.required as readonly string[];
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  const chosen = properties.filter(([name]) => required.includes(name) || random() < (depth > 4 ? 0 : 0.6));
  const { additionalProperties, patternProperties = {} } = schema;
  const others = [additionalProperties, ...Object.values(patternProperties as Schema)].filter(
    (each) => typeof each === "object" && depth <= 4 && random() < 0.7,
  );
  const undeclared = required.filter((name) => !properties.some(([own]) => own === name));
  return Object.fromEntries([
    ...others.map((inner) => [pick(random, ["b", "c", "1"]), of(inner)]),
    ...undeclared.map((name) => [name, "x"]),
    ...chosen.map(([name, inner]) => [name, depth > 12 ? null : of(inner)]),
  ]);
}

/** Types by coordinate. A coordinate may be left out. */
export type Types = ReadonlyMap<string, string>;

/** Types that show the given values, or nearly: others than the first value of a field may still be wrong for it. */
export function typesFor(values: readonly unknown[], random: Random): Types {
  const types = new Map<string, string>();
  const nameFor = (value: unknown): string => {
    if (typeof value === "string") return random() < 0.3 ? "E" : "String";
    if (typeof value === "boolean") return "Boolean";
    if (typeof value === "number") return Number.isInteger(value) && random() < 0.8 ? "Int" : "Float";
    if (value === null || typeof value !== "object") return pick(random, ["String", "JSON", "T"]);
    if (random() < 0.4) return entriesOf(value);
    const type = pick(random, ["T", "U"]);
    for (const name of names) {
      const at = `${type}.${name}`;
      const inner = (value as Record<string, unknown>)[name];
      if (types.has(at) || inner === undefined) continue;
      types.set(at, "JSON");
      types.set(at, typeFor(inner));
    }
    return type;
  };
  /** The list of a map's entries, whose fields have the directive. */
  const entriesOf = (value: object): string => {
    const one = pick(random, [...Object.values(value), null]);
    if (!types.has("M.key"))
      types.set("M.key", "String!").set("M.value", "JSON").set("M.value", typeFor(one));
    return "[M!]";
  };
  const typeFor = (value: unknown): string => {
    const mark = random() < 0.4 ? "!" : "";
    return Array.isArray(value) && value.length > 0
      ? `[${typeFor(value[0])}]${mark}`
      : `${nameFor(value)}${mark}`;
  };
  for (const [index, value] of values.entries()) types.set(`Query.f${index}`, typeFor(value));
  return types;
}

export function sdl(types: Types): string {
  const type = (name: string, directive: (field: string) => string): string => {
    const fields = [...types].filter(([at]) => at.startsWith(`${name}.`));
    const lines = fields.map(([at, text]) => {
      const field = at.slice(name.length + 1);
      return `  ${field}: ${text}${directive(field)}${text.includes("M!") ? " @restEntries" : ""}`;
    });
    return lines.length > 0 ? `type ${name} {\n${lines.join("\n")}\n}\n` : "";
  };
  return `${type("Query", (field) => ` @rest(operation: "${field}")`)}${type("T", () => "")}${type("U", () => "")}${type("M", () => "")}enum E { x y }\nscalar JSON\n`;
}
