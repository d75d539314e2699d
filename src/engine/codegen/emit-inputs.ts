/** Prints the values of a request: the expression of a value, and the function of each input conversion. */
import type { ConversionId, InputConversion, SentValue } from "../bind/requests/rest-request.ts";
import { access, object } from "./names.ts";
import type { TypeNames } from "./type-names.ts";

/** The expression that sends `value` to REST. */
export function sentExpression(sent: SentValue, value: string): string {
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
  const entries = input.fields.map(
    ({ restName, field, sent }) => [restName, sentExpression(sent, access("input", [field]))] as const,
  );
  const result = input.isRecursive ? ": any" : "";
  return `const ${conversionName(input)} = (input: ${names.of(input.type)})${result} => (${object(entries)});`;
}

/** The function that converts one item of a list. */
const itemFunction = (item: SentValue): string =>
  item.conversion && item.nulls === "never"
    ? conversionName(item.conversion)
    : `(item) => ${sentExpression(item, "item")}`;

/** No GraphQL name has a `$`. */
const conversionName = ({ type, ordinal }: ConversionId): string =>
  `to${type}${ordinal > 1 ? `$${ordinal}` : ""}`;
