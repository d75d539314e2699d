/**
 * The rules of types: which GraphQL scalar or enum fits which REST value. Outputs must cover all that REST may send
 * (GraphQL spec §3.5); inputs must stay within what REST takes, or be refused at run time by the parameter's own rules.
 */
import {
  type GraphQLEnumType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isSpecifiedScalarType,
} from "graphql";
import type { Binding } from "./binding.ts";
import { readRestName } from "./directives.ts";
import type { Where } from "./findings.ts";
import { type Shape, typesOf } from "./shape.ts";

const fitting: Record<string, readonly string[]> = {
  String: ["string"],
  ID: ["string", "integer"],
  Int: ["integer"],
  Float: ["number", "integer"],
  Boolean: ["boolean"],
};

const takenBy: Record<string, readonly string[]> = {
  String: ["string"],
  ID: ["string", "integer"],
  Int: ["integer", "number"],
  Float: ["number"],
  Boolean: ["boolean"],
};

/** Whether a value of this shape may be sent out as `type`. A custom scalar takes anything. */
export const scalarCovers = (type: GraphQLScalarType, shape: Shape): boolean =>
  !isSpecifiedScalarType(type) ||
  (shape.types.size > 0 && [...shape.types].every((name) => fitting[type.name]?.includes(name)));

/** Whether REST takes what `type` may hold. */
export const scalarFits = (type: GraphQLScalarType, shape: Shape): boolean =>
  !isSpecifiedScalarType(type) ||
  shape.types.size === 0 ||
  (takenBy[type.name] ?? []).some((name) => shape.types.has(name as never));

/** An integer that may leave the 32 bits of `Int`. */
export const exceedsInt = (shape: Shape): boolean =>
  exceeds(shape, ["int64", "uint64", "uint32"], -(2 ** 31), 2 ** 31 - 1);

/** What names a record must be exact, and a number of JSON is read as a double, which is so to 53 bits. */
export function checkExact({ findings }: Binding, where: Where, what: string, shape: Shape): void {
  if (!shape.types.has("integer")) return;
  if (!exceeds(shape, ["int64", "uint64"], Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)) return;
  findings.add(
    "int64-rounded",
    where,
    `${what} is ${describe(shape)}, which is rounded above 2^53 and then names another record`,
    "have REST send a string, or say its minimum and maximum there, or approve it",
    [what],
  );
}

function exceeds({ format, limits }: Shape, wide: readonly string[], least: number, most: number): boolean {
  const { maximum, minimum } = limits;
  const bounded =
    typeof maximum === "number" && typeof minimum === "number" && maximum <= most && minimum >= least;
  const beyond =
    (typeof maximum === "number" && maximum > most) || (typeof minimum === "number" && minimum < least);
  return beyond || (format !== undefined && wide.includes(format) && !bounded);
}

/** GraphQL enum value → REST value. */
export const enumValues = (schema: GraphQLSchema, type: GraphQLEnumType): Map<string, string> =>
  new Map(type.getValues().map((value) => [value.name, readRestName(schema, value).name ?? value.name]));

/** REST values that no GraphQL value stands for. */
export function uncovered(schema: GraphQLSchema, type: GraphQLEnumType, shape: Shape): string[] {
  const known = new Set(enumValues(schema, type).values());
  return (shape.values ?? []).map(String).filter((value) => !known.has(value));
}

/** GraphQL values that REST would refuse. */
export function refused(schema: GraphQLSchema, type: GraphQLEnumType, shape: Shape): string[] {
  if (!shape.values) return [];
  const taken = new Set(shape.values.map(String));
  return [...enumValues(schema, type)].filter(([, rest]) => !taken.has(rest)).map(([name]) => name);
}

/** How a shape is called in a message. */
export function describe(shape: Shape): string {
  const format = shape.format ? ` (${shape.format})` : "";
  return typesOf(shape) + format;
}
