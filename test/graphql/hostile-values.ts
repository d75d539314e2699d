/** JSON values that fill a request body, for a type or for any: the most expensive ones that the tests know. */
import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";

/** A sixteenth of MAX_BODY_BYTES: a quadratic cost exceeds the bound by far at this size too. */
export const bodyBytes = Number(process.env.BODY_BYTES ?? 65_536);
/** Fills a body with repetitions of `one`, separated by `between`. */
export const filled = (
  open: string,
  one: (index: number) => string,
  close: string,
  between = ",",
): string => {
  let text = open + one(0);
  for (let index = 1; text.length < bodyBytes - 200; index++) text += between + one(index);
  return text + close;
};
const nested = (open: string, close: string): string => {
  const count = Math.floor((bodyBytes - 200) / (open.length + close.length));
  return open.repeat(count) + close.repeat(count);
};

/** JSON of the most expensive values for any type. */
export const hostile: [name: string, json: string][] = [
  ["unknown members", filled("{", (index) => `"k${index}":0`, "}")],
  ["one member's name, long", `{"${"n".repeat(bodyBytes)}":0}`],
  ["a long text", `"${"s".repeat(bodyBytes)}"`],
  ["a long text of spaces", `"${" ".repeat(bodyBytes)}"`],
  ["a long text of digits and dashes", `"${"1-".repeat(bodyBytes / 2)}"`],
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
  ["a long number", "1".repeat(bodyBytes)],
  ["a list of long fractions", filled("[", (index) => `0.${"7".repeat(18)}${index}`, "]")],
  ["a list of small numbers", filled("[", (index) => `${index + 1}e-300`, "]")],
  ["a list of escaped texts", filled("[", () => '"\\u0041\\n\\\\"', "]")],
  [
    "a list of texts as large as the bound on values lets them be",
    filled("[", () => `"${"a b".repeat(7)}"`, "]"),
  ],
  ["a long escaped text", `"${"\\u00e9".repeat(bodyBytes / 6)}"`],
  ["a text of emoji", `"${"😀".repeat(bodyBytes / 4)}"`],
];

const leaves: Readonly<Record<string, string>> = { Int: "1", Float: "1", Boolean: "true" };

/** JSON of a valid value of `type`. Nested objects leave out optional members. */
export function valid(type: GraphQLInputType, nesting = 0): string {
  if (isNonNullType(type)) return valid(type.ofType, nesting);
  if (isListType(type)) return `[${valid(type.ofType, nesting)}]`;
  if (isEnumType(type)) return JSON.stringify(type.getValues()[0]?.name);
  if (!isInputObjectType(type)) return leaves[type.name] ?? '"1"';
  const fields = Object.values(type.getFields()).filter((field) => nesting < 3 || isNonNullType(field.type));
  return `{${fields.map((field) => `"${field.name}":${valid(field.type, nesting + 1)}`).join(",")}}`;
}

/** Each place for a value below `type`, as the text before and after the value. */
export function places(type: GraphQLInputType, nesting = 0): [before: string, after: string][] {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return [["", ""], ...around("[", places(bare.ofType, nesting), "]")];
  if (!isInputObjectType(bare) || nesting === 2) return [["", ""]];
  return [
    ["", ""],
    ...oneOfEachType(bare).flatMap((field) => {
      const others = Object.values(bare.getFields())
        .filter((other) => other !== field && isNonNullType(other.type))
        .map((other) => `,"${other.name}":${valid(other.type)}`);
      return around(`{"${field.name}":`, places(field.type, nesting + 1), `${others.join("")}}`);
    }),
  ];
}
const oneOfEachType = (type: GraphQLInputObjectType): GraphQLInputField[] => [
  ...new Map(Object.values(type.getFields()).map((field) => [String(field.type), field])).values(),
];

const around = (open: string, inner: [string, string][], close: string): [string, string][] =>
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
      const count = Math.floor(bodyBytes / (name.length + 5));
      return `${`{"${name}":`.repeat(count)}null${"}".repeat(count)}`;
    });
}
