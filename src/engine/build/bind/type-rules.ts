/**
 * The type rules: which GraphQL scalars and enums fit which REST values. An output type must cover every value that
 * REST may send (GraphQL spec §3.5). An input type must share a type with the parameter; its limits are checked at run time.
 */
import {
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLScalarType,
  isEnumType,
  isSpecifiedScalarType,
} from "graphql";
import { dateScalars } from "../../shared/date-scalars.ts";
import { own } from "../../shared/own.ts";
import { isOnly, type Shape, typeText } from "../openapi/shapes/shape.ts";
import { enumValueName } from "../schema/graphql-names.ts";
import type { RestNames } from "../schema/rest-names.ts";
import type { Binder } from "./binder.ts";
import type { FindingTarget } from "./findings.ts";

const outputTypes: Record<string, readonly string[]> = {
  String: ["string"],
  ID: ["string", "integer"],
  Int: ["integer"],
  Float: ["number", "integer"],
  Boolean: ["boolean"],
};

const inputTypes: Record<string, readonly string[]> = {
  String: ["string"],
  ID: ["string", "integer"],
  Int: ["integer", "number"],
  Float: ["number"],
  Boolean: ["boolean"],
};

/** Checks that a `DateTime` or `Date` is bound to strings of its format, in either direction. */
export function checkDateFormat(
  { findings }: Binder,
  {
    where,
    type: { name },
    shape,
    verb,
  }: {
    readonly where: FindingTarget;
    readonly type: GraphQLScalarType;
    readonly shape: Shape;
    readonly verb: "sends" | "takes";
  },
): void {
  const format = dateScalars.get(name);
  const isMet = isOnly(shape, "string") && shape.format === format;
  if (format === undefined || isMet) return;
  findings.add(
    "scalar-format",
    where,
    `${where.coordinate} is ${name}, but REST ${verb} ${describeShape(shape)}`,
    `write ${isOnly(shape, "string") ? coveringType(shape) : `the type that REST ${verb}`}, or document it in REST as a string with \`format: ${format}\``,
  );
}

/** Whether `type` covers every value of this shape. A custom scalar covers any value. */
export const scalarCoversOutput = (type: GraphQLScalarType, shape: Shape): boolean =>
  !isSpecifiedScalarType(type) ||
  (shape.types.size > 0 && [...shape.types].every((name) => own(outputTypes, type.name)?.includes(name)));

/** Suggests a GraphQL type that covers every value of this shape. */
export function coveringType(shape: Shape): string | undefined {
  const { types, values, format } = shape;
  const [type, ...others] = types;
  if (type === undefined || others.length > 0) return undefined;
  if (type === "object") return "an object type, or name the path of one of its values";
  if (type === "array") return "a list";
  if (type === "number") return "Float, or document integers, in an overlay if the document is a vendor's";
  if (type === "string" && values) return "an enum of its values, or String";
  if (type === "integer" && exceedsInt(shape)) return "ID, which is exact, or Float";
  return [...dateScalars].find(([, each]) => each === format)?.[0] ?? scalarFor[type];
}

const scalarFor = { string: "String", integer: "Int", boolean: "Boolean" };

/** Whether REST accepts values of `type`. */
export const scalarFitsInput = (type: GraphQLScalarType, shape: Shape): boolean =>
  !isSpecifiedScalarType(type) ||
  shape.types.size === 0 ||
  (own(inputTypes, type.name) ?? []).some((name) => shape.types.has(name as never));

/** Whether the value is text in GraphQL (an ID or an enum value) but an integer in REST. */
export const isIntegerText = (type: GraphQLNamedType, { types }: Shape): boolean =>
  (isEnumType(type) || type.name === "ID") && types.has("integer") && !types.has("string");

/** Whether an integer of this shape may exceed the 32 bits of `Int`. */
export const exceedsInt = (shape: Shape): boolean =>
  exceeds(shape, ["int64", "uint64", "uint32"], -(2 ** 31), 2 ** 31 - 1);

/** Whether an integer of this shape may be one that `Float` rounds. */
export const exceedsFloat = (shape: Shape): boolean =>
  exceeds(shape, ["int64", "uint64"], Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

function exceeds({ integers }: Shape, wide: readonly string[], least: number, most: number): boolean {
  const isBeyond = (value: unknown): boolean => typeof value === "number" && (value < least || value > most);
  return integers.some(({ format, values, limits, examples }) => {
    if (values) return values.some(isBeyond);
    if (examples.some(isBeyond)) return true;
    const { maximum = limits.exclusiveMaximum, minimum = limits.exclusiveMinimum } = limits;
    if (isBeyond(maximum) || isBeyond(minimum)) return true;
    const isBounded = typeof maximum === "number" && typeof minimum === "number";
    return format !== undefined && wide.includes(format) && !isBounded;
  });
}

/** GraphQL enum value → REST value. */
export const enumValues = (names: RestNames, type: GraphQLEnumType): Map<string, string> =>
  new Map(type.getValues().map((value) => [value.name, names.of(value)]));

/** Whether every value of the shape is one of a known list of strings. */
export const isStringEnum = ({ values, types }: Shape): boolean =>
  values !== undefined && [...types].every((type) => type === "string");

/** Fixes the REST names of the GraphQL enum's values by the shape's values, if the shape is an enum. */
export function settleEnumValues(
  names: RestNames,
  type: GraphQLEnumType,
  { values = [] }: Shape,
  coordinate: string,
): void {
  if (values.length > 0) names.settleEnumValues(type.getValues(), new Set(values.map(String)), coordinate);
}

/** A value of a GraphQL enum that two enums of REST name differently. */
type NameConflict = {
  /** `name`: the value's name in GraphQL. `rest`: its name in the REST enum that is being bound. */
  readonly name: string;
  readonly rest: string;
  readonly message: string;
};

/** The values of the shape that the GraphQL enum has, but under a REST name that another REST enum or `@restName` has fixed. */
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

/** The REST values without a GraphQL enum value. */
export function uncoveredEnumValues(names: RestNames, type: GraphQLEnumType, shape: Shape): string[] {
  const known = new Set(enumValues(names, type).values());
  return (shape.values ?? []).map(String).filter((value) => !known.has(value));
}

/** The GraphQL enum values that REST rejects. */
export function rejectedEnumValues(names: RestNames, type: GraphQLEnumType, shape: Shape): string[] {
  const accepted = shape.values && new Set(shape.values.map(String));
  const isAccepted = (rest: string): boolean =>
    accepted?.has(rest) ?? (!isIntegerText(type, shape) || /^(?:0|-?[1-9][0-9]{0,14})$/.test(rest));
  return [...enumValues(names, type)].filter(([, rest]) => !isAccepted(rest)).map(([name]) => name);
}

/** The type and format of a shape, for messages. */
export function describeShape(shape: Shape): string {
  const format = shape.format ? ` (${shape.format})` : "";
  return typeText(shape) + format;
}
