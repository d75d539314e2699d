/** `generated/resolvers.ts`: one expression a field, in schema order, both halves of the binding in its comment. */
import type { AbstractType, BoundField, Model, ModelField, PlainField } from "../spec/model.ts";
import { methodAndPath } from "../spec/operations.ts";
import { boundResolver } from "./emit-calls.ts";
import { type InputFunctions, inputFunctionText } from "./emit-inputs.ts";
import { access, banner, key } from "./names.ts";

export function emitResolvers(model: Model): string {
  const functions: InputFunctions = new Map();
  const types = Map.groupBy(model.fields.values(), ({ type }) => type);
  const objects = [...types].map(([type, fields]) => emitType(model, functions, type, fields));
  const abstracts = [...model.abstracts.values()].map(emitAbstract);
  const enums = [...model.enums].map(([name, values]) => emitEnum(name, values));
  const inputs = [...new Set(functions.values())];
  const body = [...inputs.map(inputFunctionText), ...objects, ...abstracts, ...enums].join("\n\n");
  const inputTypes = new Set(inputs.map(({ type }) => type));
  return `${banner}${imports(model, body, [...types.keys()], [...inputTypes])}\n\n${body}\n`;
}

function emitType(
  model: Model,
  functions: InputFunctions,
  type: string,
  fields: readonly ModelField[],
): string {
  const lines = fields.map((field) =>
    field.kind === "bound"
      ? `/** ${boundComment(field)} */\n${field.field}: ${boundResolver(model, functions, field)},`
      : `${plainComment(field)}${field.field}: ${field.property === undefined ? "itself" : `property(${JSON.stringify(field.property)})`},`,
  );
  const resolvers = roots(model).includes(type) ? `Required<${type}Resolvers>` : `${type}Resolvers`;
  return `export const ${type} = {\n${lines.join("\n")}\n} satisfies ${resolvers};`;
}

function boundComment({ coordinate, operation, batch }: BoundField): string {
  const batched = batch ? `, batched by ${batch.match}` : "";
  return `${coordinate} → ${methodAndPath(operation)} (${operation.id}${batched})`;
}

const plainComment = ({ coordinate, field, property }: PlainField): string =>
  property === field ? "" : `/** ${coordinate} ← ${property ?? "its parent's own object"} */\n`;

function emitAbstract({ name, property, members }: AbstractType): string {
  const names = [...members].map(([value, type]) => `${key(value)}: ${JSON.stringify(type)}`).join(", ");
  return `export const ${name} = {\n/** chosen by ${property} */\n__resolveType: (parent) => member(${access("parent", [property])}, { ${names} }),\n} satisfies ${name}Resolvers;`;
}

function emitEnum(name: string, values: ReadonlyMap<string, string>): string {
  const entries = [...values].map(([value, rest]) => `${value}: ${JSON.stringify(rest)},`);
  return `/** ${name}: GraphQL name → REST value */\nexport const ${name} = {\n${entries.join("\n")}\n} satisfies ${name}Resolvers;`;
}

function imports(model: Model, body: string, types: readonly string[], inputs: readonly string[]): string {
  const names = [...types, ...model.abstracts.keys(), ...model.enums.keys()].map(
    (name) => `${name}Resolvers`,
  );
  const used = (name: string): boolean => new RegExp(`\\b${name}\\(|: ${name},`).test(body);
  const from = (file: string, candidates: string[]): string => {
    const found = candidates.filter(used);
    return found.length > 0 ? `\nimport { ${found.join(", ")} } from "../src/rest/${file}.ts";` : "";
  };
  return [
    from("batch", ["batchEach", "batchMany", "batchOne"]),
    from("level", ["level"]),
    from("member", ["member"]),
    from("property", ["itself", "property"]),
    `\nimport type { ${[...inputs, ...names].sort().join(", ")} } from "./graphql.ts";`,
  ].join("");
}

const roots = ({ schema }: Model): (string | undefined)[] => [
  schema.getQueryType()?.name,
  schema.getMutationType()?.name,
];
