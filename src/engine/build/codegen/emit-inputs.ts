/** Prints the expressions for values in REST requests, and the functions that convert input objects. */
import type {
  ConversionId,
  ConvertedField,
  InputConversion,
  SentValue,
} from "../bind/requests/rest-request.ts";
import type { TypeNames } from "./type-names.ts";
import { literal, objectLiteral, propertyAccess } from "./typescript-text.ts";

export function requestExpression(sent: SentValue, value: string): string {
  const { nulls, items, conversion, isInteger } = sent;
  if (isInteger) return `integer(${value})${nulls === "omitted" ? " ?? undefined" : ""}`;
  const each = items && itemFunction(items);
  const whole = each
    ? `${value}.map(${each})`
    : conversion
      ? `${conversionName(conversion)}(${value})`
      : undefined;
  if (!whole) return nulls === "omitted" ? `${value} ?? undefined` : value;
  if (nulls === "never") return whole;
  if (nulls === "sent") return `${value} && ${whole}`;
  return each ? `${value}?.map(${each})` : `${value} ? ${whole} : undefined`;
}

export function conversionFunction(names: TypeNames, input: InputConversion): string {
  const result = input.isRecursive ? ": any" : "";
  const value = input.isChoice
    ? choiceExpression(input.fields)
    : `(${objectLiteral(input.fields.map(entryOf))})`;
  return `const ${conversionName(input)} = (input: ${names.of(input.type)})${result} => ${value};`;
}

const sentValue = ({ field, sent }: ConvertedField): string =>
  requestExpression(sent, propertyAccess("input", [field]));

const entryOf = (field: ConvertedField): [name: string, value: string] => [
  field.restName ?? field.field,
  sentValue(field),
];

/** Prints `input.a != null ? … : input.b != null ? … : undefined`, because exactly one field of a `@oneOf` input is set. */
const choiceExpression = (fields: readonly ConvertedField[]): string =>
  [
    ...fields.map((each) => `${propertyAccess("input", [each.field])} != null ? ${chosenValue(each)}`),
    "undefined",
  ].join(" : ");

function chosenValue(field: ConvertedField): string {
  const { restName, constants } = field;
  const beside = Object.entries(constants ?? {}).map(([name, value]) => [name, literal(value)] as const);
  if (restName !== undefined) return objectLiteral([...beside, entryOf(field)]);
  return constants ? objectLiteral(beside, sentValue(field)) : sentValue(field);
}

const itemFunction = (item: SentValue): string =>
  item.conversion && item.nulls === "never"
    ? conversionName(item.conversion)
    : `(item) => ${requestExpression(item, "item")}`;

/** A `$` separates the number, because it cannot occur in a GraphQL name: `toFilter$2`. */
const conversionName = ({ type, ordinal }: ConversionId): string =>
  `to${type}${ordinal > 1 ? `$${ordinal}` : ""}`;
