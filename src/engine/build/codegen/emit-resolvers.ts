/** `generated/resolvers.ts`: one expression for each field, in schema order, with the field's binding in its comment. */
import {
  type AbstractType,
  type BoundField,
  describeBatch,
  type Model,
  type ModelField,
  type PlainField,
} from "../bind/model.ts";
import { methodAndPath } from "../openapi/operation.ts";
import { boundRoots } from "../schema/object-types.ts";
import { boundResolver } from "./emit-calls.ts";
import { conversionFunction } from "./emit-inputs.ts";
import { restFunctions, type TypeNames } from "./type-names.ts";
import { comment, literal, objectKey, read, withoutTextAndComments } from "./typescript-text.ts";

export function emitResolvers(model: Model, typeNames: TypeNames): string {
  const types = Map.groupBy(model.fields.values(), ({ type }) => type);
  const conversions = model.inputConversions.map((input) => conversionFunction(typeNames, input));
  const objects = [...types].map(([type, fields]) => emitType(model, typeNames, type, fields));
  const abstracts = [...model.abstracts.values()].map((abstract) => emitAbstract(typeNames, abstract));
  const enums = [...model.enums].map(([name, values]) => emitEnum(typeNames, name, values));
  const body = [...conversions, ...objects, ...abstracts, ...enums].join("\n\n");
  return `${imports(model, typeNames, [...types.keys()], body)}\n\n${body}\n`;
}

function emitType(model: Model, typeNames: TypeNames, type: string, fields: readonly ModelField[]): string {
  const lines = fields.map((field) =>
    field.kind === "bound"
      ? `${comment(boundText(field))}\n${field.definition.name}: ${boundResolver(field)},`
      : `${plainComment(field)}${field.definition.name}: ${plainResolver(field)},`,
  );
  const own = typeNames.ofResolvers(type);
  const isRoot = boundRoots(model.schema).some(({ name }) => name === type);
  const resolvers = isRoot ? `Required<${own}>` : own;
  return exported(typeNames, type, lines.join("\n"), resolvers);
}

function boundText({ coordinate, operation, batch, entries }: BoundField): string {
  const { id } = operation;
  const at = methodAndPath(operation);
  const aside = [
    ...(id === at ? [] : [id]),
    ...(entries ? ["entries"] : []),
    ...(batch ? [describeBatch(batch)] : []),
  ];
  return `${coordinate} → ${at}${aside.length > 0 ? ` (${aside.join(", ")})` : ""}`;
}

const plainComment = ({ coordinate, definition, path, entries }: PlainField): string =>
  path.length === 1 && path[0] === definition.name && !entries
    ? ""
    : `${comment(`${coordinate} ← ${entries ? "the entries of " : ""}${path.join(".") || "its parent's own object"}`)}\n`;

/** The function of `src/engine/runtime/rest/property.ts` that reads the field. */
const readerOf = ({ path, entries }: PlainField): string =>
  entries ? "entries" : path.length === 0 ? "itself" : path.length === 1 ? "property" : "propertyAt";

const plainResolver = (field: PlainField): string =>
  readerOf(field) === "itself"
    ? "itself"
    : `${readerOf(field)}(${field.path.map((step) => literal(step)).join(", ")})`;

/** The resolvers of a type under its GraphQL name, which TypeScript may not take for a constant. */
function exported(typeNames: TypeNames, type: string, lines: string, resolvers: string): string {
  const name = typeNames.of(type);
  const value = `const ${name} = {\n${lines}\n} satisfies ${resolvers};`;
  return name === type ? `export ${value}` : `${value}\nexport { ${name} as ${type} };`;
}

function emitAbstract(typeNames: TypeNames, { name, property, members, otherwise }: AbstractType): string {
  const names = [...members].map(([value, type]) => `${objectKey(value)}: ${literal(type)}`).join(", ");
  const chooser =
    property === undefined
      ? "resolveTypeByProperty(parent"
      : `resolveTypeByValue(${read("parent", [property])}`;
  const line = `__resolveType: (parent) => ${chooser}, { ${names} }${otherwise === undefined ? "" : `, ${literal(otherwise)}`}),`;
  return exported(
    typeNames,
    name,
    `${comment(`chosen by ${property ?? "the property that it has"}`)}\n${line}`,
    typeNames.ofResolvers(name),
  );
}

function emitEnum(typeNames: TypeNames, name: string, values: ReadonlyMap<string, string>): string {
  const entries = [...values].map(([value, rest]) => `${value}: ${literal(rest)},`);
  const text = exported(typeNames, name, entries.join("\n"), typeNames.ofResolvers(name));
  return `${comment(`${name}: GraphQL name → REST value`)}\n${text}`;
}

/** The functions of `restbound/rest` that the body calls, and the types of this file's objects and conversions. */
function imports(model: Model, typeNames: TypeNames, types: readonly string[], body: string): string {
  const used = new Set(withoutTextAndComments(body).match(/(?<![\w$.])(?:\w+(?=\()|itself(?=,))/g));
  const called = restFunctions.filter((name) => used.has(name));
  const line = called.length > 0 ? `import { ${called.join(", ")} } from "restbound/rest";\n` : "";
  const inputs = new Set(model.inputConversions.map(({ type }) => typeNames.of(type)));
  const resolvers = [...types, ...model.abstracts.keys(), ...model.enums.keys()];
  const names = [...inputs, ...resolvers.map((name) => typeNames.ofResolvers(name))];
  return `${line}import type { ${names.sort().join(", ")} } from "./graphql.ts";`;
}
