/** Matches GraphQL enum values with REST enum values. */
import type { GraphQLEnumType } from "graphql";
import type { Shape } from "../openapi/shapes/shape.ts";
import { enumValueName } from "../schema/graphql-names.ts";
import type { RestNames } from "../schema/rest-names.ts";
import { isIntegerText } from "./scalar-rules.ts";

/** GraphQL enum value → REST value. */
export const enumValues = (names: RestNames, type: GraphQLEnumType): Map<string, string> =>
  new Map(type.getValues().map((value) => [value.name, names.of(value)]));

export const isStringEnum = ({ values, types }: Shape): boolean =>
  values !== undefined && [...types].every((type) => type === "string");

/** Maps the GraphQL enum's values to the values of the REST enum, for all uses of the GraphQL enum. */
export function settleEnumValues(
  names: RestNames,
  type: GraphQLEnumType,
  { values = [] }: Shape,
  coordinate: string,
): void {
  if (values.length > 0) names.settleEnumValues(type.getValues(), new Set(values.map(String)), coordinate);
}

/** A GraphQL enum value with two REST names. */
type NameConflict = {
  /** `name`: the GraphQL name. `rest`: the second REST name. */
  readonly name: string;
  readonly rest: string;
  readonly message: string;
};

/** Returns the GraphQL enum values that `@restName` or another REST enum has already mapped to a different REST value. */
export function enumNameConflicts(
  names: RestNames,
  type: GraphQLEnumType,
  { values = [] }: Shape,
  coordinate: string,
): NameConflict[] {
  const byName = new Map(type.getValues().map((value) => [value.name, value]));
  const texts = values.map(String);
  return texts.flatMap((rest) => {
    const value = byName.get(enumValueName(rest));
    const known = value && names.of(value);
    const by = value && names.whatNamed(value);
    if (known === undefined || by === undefined || texts.includes(known)) return [];
    const both =
      by === "@restName"
        ? [`"${known}" by @restName`, `"${rest}" at ${coordinate}`]
        : [`"${known}" at ${by}`, `"${rest}" at ${coordinate}`].sort();
    const message = `${type}.${value?.name} is ${both.join(", and ")}: an enum value has one REST name`;
    return [{ name: enumValueName(rest), rest, message }];
  });
}

export const enumConflictHint = "give each enum of REST an enum of its own";

/** Returns the REST values that the GraphQL enum lacks. */
export function uncoveredEnumValues(names: RestNames, type: GraphQLEnumType, shape: Shape): string[] {
  const known = new Set(enumValues(names, type).values());
  return (shape.values ?? []).map(String).filter((value) => !known.has(value));
}

/** Returns the GraphQL enum values that REST rejects. */
export function rejectedEnumValues(names: RestNames, type: GraphQLEnumType, shape: Shape): string[] {
  const accepted = shape.values && new Set(shape.values.map(String));
  const isAccepted = (rest: string): boolean =>
    accepted?.has(rest) ?? (!isIntegerText(type, shape) || /^(?:0|-?[1-9][0-9]{0,14})$/.test(rest));
  return [...enumValues(names, type)].filter(([, rest]) => !isAccepted(rest)).map(([name]) => name);
}
