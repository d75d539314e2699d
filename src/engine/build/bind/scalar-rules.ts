/**
 * Decides which GraphQL scalars fit which REST values. An output scalar must cover every value that REST may send (GraphQL §3.5).
 * An input scalar only needs a JSON type that REST accepts, because limits are checked at run time.
 */
import { type GraphQLNamedType, type GraphQLScalarType, isEnumType, isSpecifiedScalarType } from "graphql";
import { dateScalars } from "../../shared/date-scalars.ts";
import { own } from "../../shared/own.ts";
import { describeShape, isOnly, type Shape } from "../openapi/shapes/shape.ts";
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

/** Checks that a field or argument of type `DateTime` or `Date` is bound to strings of that format. */
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

/** Whether `type` can represent every value of this shape. Custom scalars always can. */
export const scalarCoversOutput = (type: GraphQLScalarType, shape: Shape): boolean =>
  !isSpecifiedScalarType(type) ||
  (shape.types.size > 0 && [...shape.types].every((name) => own(outputTypes, type.name)?.includes(name)));

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

/** Whether REST accepts at least some values of `type`. */
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

/** Whether `Float` may round an integer of this shape. */
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
