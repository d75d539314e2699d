/** JSON values that fill a request body, for a type or for any: the most expensive ones that the tests know. */
import {
  coerceInputValue,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { valuesPerRequest } from "../../../../src/engine/runtime/settings/capacity.ts";
import { isRecord } from "../../../../src/engine/shared/json-object.ts";
import { ajv } from "../../../../src/engine/shared/json-schema.ts";
import { countValues } from "../../../../src/engine/shared/json-values.ts";

/** A sixteenth of MAX_BODY_BYTES: a quadratic cost exceeds the bound by far at this size too. */
export const bodyBytes = Number(process.env.BODY_BYTES ?? 65_536);
/** Characters of a value: beside it a body has a query. */
const size = bodyBytes - 1_000;
/** Values that a body holds at most, with some for those beside the repeated ones. */
const mostValues = valuesPerRequest - 1_000;
/** Characters of an operation's arguments (MAX_BODY_BYTES); each value counts for eight more, and a text may become a list. */
const mostCharacters = 1_047_000;
const perValue = 16;

/** Fills a body with repetitions of `one`, separated by `between`; with no more values than a body and arguments may hold. */
export const filled = (
  open: string,
  one: (index: number) => string,
  close: string,
  between = ",",
): string => {
  let text = open + one(0);
  const values = 1 + countValues(one(0), mostValues);
  const fits = (index: number) =>
    text.length < size &&
    index * values < mostValues &&
    text.length + perValue * index * values < mostCharacters;
  for (let index = 1; fits(index); index++) text += between + one(index);
  return text + close;
};
const nested = (open: string, close: string): string => {
  const count = Math.min(mostValues, Math.floor(size / (open.length + close.length)));
  return open.repeat(count) + close.repeat(count);
};

/** JSON of the most expensive values for any type. */
export const hostile: [name: string, json: string][] = [
  ["unknown members", filled("{", (index) => `"k${index}":0`, "}")],
  ["one member's name, long", `{"${"n".repeat(size)}":0}`],
  ["a short text that few patterns take", '"!"'],
  ["a long text", `"${"s".repeat(size)}"`],
  ["a long text of spaces", `"${" ".repeat(size)}"`],
  ["a long text of digits and dashes", `"${"1-".repeat(size / 2)}"`],
  ["a list of numbers", filled("[", () => "1", "]")],
  ["a list of other numbers each", filled("[", (index) => `${index}`, "]")],
  ["a list of texts", filled("[", (index) => `"t${index}"`, "]")],
  ["a list of nulls", filled("[", () => "null", "]")],
  ["a list of empty objects", filled("[", () => "{}", "]")],
  ["a list of empty lists", filled("[", () => "[]", "]")],
  ["a list of objects with unknown members", filled("[", (index) => `{"k${index}":0}`, "]")],
  ["deep lists", nested("[", "]")],
  ["deep objects", `${nested('{"a":', "}").replace('"a":}', '"a":0}')}`],
  ["duplicate members", filled("{", () => '"k":0', "}")],
  ["a long number", "1".repeat(size)],
  ["a list of long fractions", filled("[", (index) => `0.${"7".repeat(18)}${index}`, "]")],
  ["a list of small numbers", filled("[", (index) => `${index + 1}e-300`, "]")],
  ["a list of escaped texts", filled("[", () => '"\\u0041\\n\\\\"', "]")],
  [
    "a list of texts as large as the bound on values lets them be",
    filled("[", () => `"${"a b".repeat(7)}"`, "]"),
  ],
  ["a long escaped text", `"${"\\u00e9".repeat(size / 6)}"`],
  ["a text of emoji", `"${"😀".repeat(size / 4)}"`],
];

const leaves: Readonly<Record<string, string>> = { Int: "1", Float: "1", Boolean: "true" };

/** JSON of a valid value of `type`. Nested objects leave out optional members. */
export function valid(type: GraphQLInputType, nesting = 0): string {
  if (isNonNullType(type)) return valid(type.ofType, nesting);
  if (isListType(type)) return `[${valid(type.ofType, nesting)}]`;
  if (isEnumType(type)) return JSON.stringify(type.getValues()[0]?.name);
  if (!isInputObjectType(type)) return leaves[type.name] ?? '"1"';
  const all = Object.values(type.getFields()).filter((field) => nesting < 3 || isNonNullType(field.type));
  const fields = type.isOneOf ? all.slice(0, 1) : all;
  return `{${fields.map((field) => `"${field.name}":${valid(field.type, nesting + 1)}`).join(",")}}`;
}

type Limits = {
  readonly properties?: Readonly<Record<string, Limits>>;
  readonly items?: Limits;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
};
/** Texts for the formats and patterns of the tests' documents. */
const texts = [
  "2026-11-25",
  "2026-11-25T12:00:00Z",
  "12345",
  "12345678",
  "abc",
  "a@example.com",
  "a".repeat(32),
];

/** The value, or one like it that REST's limits let through. */
export function fitting(limits: Limits | undefined, value: unknown): unknown {
  if (!limits || value === "@") return value;
  if (Array.isArray(value)) return value.map((item) => fitting(limits.items, item));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, fitting(limits.properties?.[name], member)]),
    );
  const fits = ajv.compile(limits);
  const others = [...(limits.enum ?? []), limits.minimum, ...texts];
  return [value, ...others].find((one) => typeof one === typeof value && fits(one));
}

/** A place whose neighbours are within REST's limits: no neighbour is refused before the value is. */
export function around(limits: Limits | undefined, [before, after]: [string, string]): [string, string] {
  const [head = "", tail = ""] = JSON.stringify(fitting(limits, JSON.parse(`${before}"@"${after}`))).split(
    '"@"',
  );
  return [head, tail];
}

/** Each place for a value below `type`, as the text before and after the value. */
export function places(type: GraphQLInputType, nesting = 0): [before: string, after: string][] {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return [["", ""], ...within("[", places(bare.ofType, nesting), "]")];
  if (!isInputObjectType(bare) || nesting === 2) return [["", ""]];
  return [
    ["", ""],
    ...oneOfEachType(bare).flatMap((field) => {
      const others = Object.values(bare.getFields())
        .filter((other) => other !== field && isNonNullType(other.type))
        .map((other) => `,"${other.name}":${valid(other.type)}`);
      return within(`{"${field.name}":`, places(field.type, nesting + 1), `${others.join("")}}`);
    }),
  ];
}
const oneOfEachType = (type: GraphQLInputObjectType): GraphQLInputField[] => [
  ...new Map(Object.values(type.getFields()).map((field) => [String(field.type), field])).values(),
];

const within = (open: string, inner: [string, string][], close: string): [string, string][] =>
  inner.map(([before, after]) => [open + before, after + close]);

/** Lists that fill the body: with equal items, and with different items for numbers and strings. */
export function repeated(type: GraphQLInputType): string[] {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (!isListType(bare)) return [];
  const item = valid(bare.ofType);
  return [filled("[", () => item, "]"), filled("[", (index) => item.replace("1", String(index)), "]")];
}

/** Nested objects of one type that fill the body. */
export function recursive(type: GraphQLInputType): string[] {
  const bare = getNamedType(type);
  if (!isInputObjectType(bare)) return [];
  return Object.values(bare.getFields())
    .filter((field) => getNamedType(field.type) === bare)
    .map(({ name }) => {
      const count = Math.min(mostValues, Math.floor(size / (name.length + 5)));
      return `${`{"${name}":`.repeat(count)}null${"}".repeat(count)}`;
    });
}

/** What the argument's value is answered with: graphql-js says whether it fits the type. */
export function saidOf({ name, type }: GraphQLArgument, json: string): RegExp {
  const ofBody = "variables may hold at most 50000 values$"; // with the defaults of a type
  const refused = String.raw`Variable "\$${name}" got invalid value `;
  if (!fits(type, json)) return new RegExp(`^BAD_USER_INPUT (?:${ofBody}|${refused})`);
  // what graphql-js takes may be beyond our own bounds, or break the limits of REST
  const own = `${refused}.*(?:may be nested up to 100 levels|beyond 2\\^53)`;
  const limit = `argument "${name}[\\w.]*" (?:must (?:be|hold|not be empty)|does not have the form|must NOT have duplicate items$)`;
  const entity = "(?:the __typename of )?a representation |_entities takes at most ";
  return new RegExp(
    `^(?:taken$|(?:BAD_USER_INPUT|LIMIT_EXCEEDED) (?:${ofBody}|${own}|${limit}|${entity}|an id is not the integer that REST expects$))`,
  );
}

/** It stops at the first fault, for their number is not bounded. */
function fits(type: GraphQLInputType, json: string): boolean {
  try {
    coerceInputValue(withoutPrototypes(JSON.parse(json)), type, (_path, _value, error) => {
      throw error;
    });
    return true;
  } catch {
    return false;
  }
}

/** graphql-js reads a member that is not there from the prototype (`toString`). The types of the tests are less deep. */
function withoutPrototypes(value: unknown, levels = 5): unknown {
  if (levels === 0 || typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) withoutPrototypes(member, levels - 1);
  return Array.isArray(value) ? value : Object.setPrototypeOf(value, null);
}
