/** A GraphQL operation for each root field: a value for each argument, and all fields down to a depth. */
import fc from "fast-check";
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from "graphql";

type Limits = Readonly<Record<string, unknown>>;

/** By field coordinate and argument: the JSON Schemas that codegen writes. */
export type ArgumentSchemas = Readonly<Record<string, Readonly<Record<string, Limits>>>>;

export type Question = {
  readonly field: GraphQLField<unknown, unknown>;
  readonly document: string;
  readonly variables: Limits;
  /** The levels of objects that the document asks for. */
  readonly depth: number;
};

/** The most levels, and characters, of a question: unions in unions grow fast. */
const mostLevels = 5;
const mostCharacters = 300_000;

/** The fields of an object that a question asks for, at this distance from the last level. */
export const fieldsShown = (type: GraphQLObjectType, left: number): GraphQLField<unknown, unknown>[] =>
  Object.values(type.getFields()).filter((field) => left > 0 || isLeafType(getNamedType(field.type)));

export function questionsOf(schema: GraphQLSchema, schemas: ArgumentSchemas): Question[] {
  const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => !!type);
  return roots.flatMap((root) =>
    Object.values(root.getFields()).map((field) => question(schema, schemas, root, field)),
  );
}

function question(
  schema: GraphQLSchema,
  schemas: ArgumentSchemas,
  root: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): Question {
  const given = field.args.filter(({ type }) => isNonNullType(type));
  const limits = schemas[`${root.name}.${field.name}`] ?? {};
  const variables = Object.fromEntries(given.map(({ name, type }) => [name, sampleOf(type, limits[name])]));
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
  const args = given.map(({ name }) => `${name}: $${name}`).join(", ");
  const kind = root === schema.getMutationType() ? "mutation" : "query";
  const of = (depth: number): string =>
    `${kind}${declared && `(${declared})`} { ${field.name}${args && `(${args})`} ${selection(schema, getNamedType(field.type), depth)} }`;
  let depth = mostLevels;
  while (depth > 1 && of(depth).length > mostCharacters) depth--;
  return { field, document: of(depth), variables, depth };
}

/** The fields of a member have its name in their alias: members may have fields of one name and different types. */
function selection(schema: GraphQLSchema, type: GraphQLNamedType, left: number, alias = ""): string {
  if (isUnionType(type) || isInterfaceType(type)) {
    const members = schema
      .getPossibleTypes(type)
      .map((member) => `... on ${member} ${selection(schema, member, left, `${member.name}__`)}`);
    return `{ __typename ${members.join(" ")} }`;
  }
  if (!isObjectType(type)) return "";
  const fields = fieldsShown(type, left).map((field) => {
    const name = alias === "" ? field.name : `${alias}${field.name}: ${field.name}`;
    return `${name} ${selection(schema, getNamedType(field.type), left - 1)}`;
  });
  return `{ ${fields.length > 0 ? fields.join(" ") : "__typename"} }`;
}

/** A value that REST takes, as far as the limits say. */
function sampleOf(type: GraphQLInputType, limits: Limits = {}): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, limits);
  if (isListType(type)) {
    const item = sampleOf(type.ofType, (limits.items ?? {}) as Limits);
    return Array.from({ length: Number(limits.minItems ?? 1) || 1 }, () => item);
  }
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const properties = (limits.properties ?? {}) as Record<string, Limits>;
    const needed = Object.values(type.getFields()).filter(({ type: each }) => isNonNullType(each));
    return Object.fromEntries(needed.map(({ name, type: each }) => [name, sampleOf(each, properties[name])]));
  }
  if (Array.isArray(limits.enum)) return limits.enum.find((value) => value !== null);
  if (type.name === "Boolean") return true;
  if (type.name === "Int" || type.name === "Float")
    return Number(limits.minimum ?? Math.min(1, Number(limits.maximum ?? 1)));
  return textOf(type.name, limits);
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  email: "a@b.example",
  uri: "https://a.example/b",
  url: "https://a.example/b",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

function textOf(type: string, limits: Limits): string {
  const format = type === "DateTime" ? "date-time" : type === "Date" ? "date" : String(limits.format);
  if (formats[format] !== undefined) return formats[format];
  if (typeof limits.pattern === "string") {
    const texts = fc.sample(fc.stringMatching(new RegExp(limits.pattern, "u")), { numRuns: 50, seed: 7 });
    const least = Number(limits.minLength ?? 0);
    const most = Number(limits.maxLength ?? Number.POSITIVE_INFINITY);
    return texts.find(({ length }) => length >= least && length <= most) ?? "";
  }
  return "1".padEnd(Number(limits.minLength ?? 1), "1");
}
