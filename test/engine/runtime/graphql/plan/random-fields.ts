/** Random schemas whose links take values from random enclosing types and arguments above, each with its OpenAPI document. */
import type { Random } from "../../../../support/random.ts";

export const types = ["A", "B", "C", "D", "E", "F"];

/** `plain`: nested in the parent's REST object. `link`: a call for each parent. `batch`: one for many. */
export type Field = {
  readonly owner: string;
  readonly name: string;
  readonly kind: "root" | "plain" | "link" | "batch";
  readonly target: string;
  readonly isList: boolean;
  /** The enclosing type whose id it takes. */
  readonly inherits?: string;
  /** Whether it has the argument `x`. */
  readonly hasArgument?: boolean;
  /** Whether it takes the argument `x` of the nearest field above that has one. */
  readonly takesArgument?: boolean;
};

export function randomFields(random: Random): Field[] {
  const first = random.pick(types.slice(0, 2));
  const roots = random.times(2, (index): Field => {
    const target = random.chance(0.8) ? first : random.pick(types);
    return {
      ...{ owner: "Query", name: `root${index}`, kind: "root", target, isList: random.chance(0.5) },
      hasArgument: random.chance(0.8),
    };
  });
  const below = types.flatMap((owner, own) =>
    random.times(3, (index): Field => {
      const kind = random.pick(["plain", "link", "batch"] as const);
      // mostly of a later type, but a type may also stand below itself
      const target = random.pick(random.chance(0.6) && own < types.length - 1 ? types.slice(own + 1) : types);
      const field = { owner, name: `${kind}${index}`, kind, target, isList: random.chance(0.5) };
      if (kind === "plain" || random.chance(0.2)) return field;
      const byArgument = { hasArgument: random.chance(0.3), takesArgument: random.chance(0.4) };
      if (random.chance(0.2)) return { ...field, ...byArgument };
      return { ...field, ...byArgument, inherits: random.chance(0.6) ? first : random.pick(types) };
    }),
  );
  return [...roots, ...below];
}

export const operationOf = ({ owner, name }: Field): string => `${owner}_${name}`;
const typeOf = ({ target, isList }: Field): string => (isList ? `[${target}]` : target);

function fieldText(field: Field): string {
  if (field.kind === "plain") return `  ${field.name}: ${typeOf(field)}`;
  const name = field.hasArgument ? `${field.name}(x: String)` : field.name;
  const params = [
    ...(field.kind === "link" ? ['{ name: "own", from: "parent.id" }'] : []),
    ...(field.kind === "batch" ? ['{ name: "ids", from: "parent.key" }'] : []),
    ...(field.inherits ? [`{ name: "from", from: "${field.inherits}.id" }`] : []),
    ...(field.takesArgument ? ['{ name: "above", from: "argsAbove.x" }'] : []),
  ];
  const rest = [
    `operation: "${operationOf(field)}"`,
    ...(params.length > 0 ? [`params: [${params.join(", ")}]`] : []),
    ...(field.kind === "batch" ? [`batchBy: "id"`] : []),
  ];
  return `  ${name}: ${typeOf(field)} @rest(${rest.join(", ")})`;
}

export const schemaText = (fields: readonly Field[]): string =>
  ["Query", ...types]
    .map((type) => {
      const own = fields.filter(({ owner }) => owner === type).map(fieldText);
      return `type ${type} {\n${[...(type === "Query" ? [] : ["  id: ID!", "  note: Int", "  strict: Int!"]), ...own].join("\n")}\n}\n`;
    })
    .join("\n");

export function documentText(fields: readonly Field[]): string {
  const ref = (type: string) => ({ $ref: `#/components/schemas/${type}` });
  const shapeOf = ({ target, isList }: Field) =>
    isList ? { type: "array", items: ref(target) } : ref(target);
  const answer = (field: Field) =>
    field.kind === "batch" ? { type: "array", items: ref(field.target) } : shapeOf(field);
  const text = { type: "string" };
  const integer = { type: "integer", format: "int32" };
  const parameter = (name: string, schema: object = text) => ({ name, in: "query", required: true, schema });
  const paths = fields
    .filter(({ kind }) => kind !== "plain")
    .map((field) => [
      `/${operationOf(field)}`,
      {
        get: {
          operationId: operationOf(field),
          parameters: [
            ...(field.kind === "link" ? [parameter("own")] : []),
            ...(field.kind === "batch"
              ? [parameter("ids", { type: "array", items: text, maxItems: 3 })]
              : []),
            ...(field.inherits ? [parameter("from")] : []),
            ...(field.takesArgument ? [parameter("above")] : []),
            ...(field.hasArgument ? [{ name: "x", in: "query", schema: text }] : []),
          ],
          responses: {
            200: { description: "ok", content: { "application/json": { schema: answer(field) } } },
          },
        },
      },
    ]);
  const objects = types.map((type) => {
    const nested = fields.filter(({ owner, kind }) => owner === type && kind === "plain");
    const properties = Object.fromEntries(nested.map((field) => [field.name, shapeOf(field)]));
    return [
      type,
      {
        type: "object",
        required: ["id", "strict"],
        properties: { id: text, key: text, note: integer, strict: integer, ...properties },
      },
    ];
  });
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Random", version: "1" },
    security: [],
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(objects) },
  });
}
