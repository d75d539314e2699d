/**
 * Finds the description of an argument in the schema, for a client whose value is refused. A description may state a
 * rule that JSON Schema cannot: that a day must not be after another one, or that an address depends on the channel.
 */
import { type GraphQLArgument, type GraphQLInputField, getNamedType, isInputObjectType } from "graphql";
import type { JsonSchema } from "../../../shared/json-schema.ts";
import { own } from "../../../shared/own.ts";

/** Maximum number of characters of a description in an error. */
const maxLength = 300;

/** Returns the argument, or the field of its input object, at a dotted path. */
export function argumentAt(
  args: readonly GraphQLArgument[],
  path: string,
): GraphQLArgument | GraphQLInputField | undefined {
  const [name, ...below] = path.split(".").filter((step) => !/^\d+$/.test(step)); // a list index is not a field
  let found: GraphQLArgument | GraphQLInputField | undefined = args.find((each) => each.name === name);
  for (const step of below) {
    const type = found && getNamedType(found.type);
    found = isInputObjectType(type) ? type.getFields()[step] : undefined;
  }
  return found;
}

/** Returns the description of an argument; empty if it has none. */
export function argumentDescription(args: readonly GraphQLArgument[], path: string): string {
  const text = argumentAt(args, path)?.description?.replaceAll(/\s+/g, " ").replaceAll("`", "").trim() ?? "";
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Descriptions of the formats that the REST document can require of a value. */
const formats: Record<string, string> = {
  date: "a date such as 2026-01-31",
  "date-time": "a time such as 2026-01-31T12:00:00Z",
  time: "a time of day such as 12:00:00Z",
  duration: "a duration such as P1D",
  email: "an e-mail address",
  uri: "a URI",
  uuid: "a UUID",
  hostname: "a host name",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
};

/** Returns an example for a known format, and the name of any other format. */
export const describeFormat = (format: string): string => own(formats, format) ?? `of the format ${format}`;

/** Patterns longer than this are left out of messages, because readers would not understand them. */
const maxPattern = 40;

/** Describes all limits of a schema. The text is empty if the schema has no limit that words can describe. */
export function describeLimits(schema: JsonSchema): string {
  const { format, pattern, minLength, maxLength, minimum, maximum, enum: values } = schema;
  const words = [
    Array.isArray(values) && `one of ${values.filter((value) => value !== null).join(", ")}`,
    typeof format === "string" && describeFormat(format),
    range(minLength, maxLength, " characters long"),
    range(minimum, maximum, ""),
    typeof pattern === "string" && pattern.length <= maxPattern && `of the form ${pattern}`,
  ];
  return words.filter((word) => typeof word === "string").join(", ");
}

function range(least: unknown, most: unknown, unit: string): string | undefined {
  if (typeof least === "number" && typeof most === "number") return `from ${least} to ${most}${unit}`;
  if (typeof most === "number") return `at most ${most}${unit}`;
  return typeof least === "number" ? `at least ${least}${unit}` : undefined;
}
