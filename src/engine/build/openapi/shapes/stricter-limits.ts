/** Finds the limits of a schema `to` that values of a schema `from` may violate (JSON Schema 2020-12, Validation §6). */
import { isDeepStrictEqual } from "node:util";
import { own } from "../../../shared/own.ts";
import { isOnly, type Shape } from "./shape.ts";

type Limit = { readonly keyword: string; readonly value: unknown };

/** A limit of the schema `to`, and the corresponding limit of the schema `from`, if there is one. */
export type StricterLimit = { readonly from?: Limit; readonly to: Limit };

/** Keywords that limit a value from above (`sign: 1`) or below (`sign: -1`). `least`: a limit equal to it excludes nothing. */
const sides = [
  { inclusive: "maximum", exclusive: "exclusiveMaximum", sign: 1 },
  { inclusive: "minimum", exclusive: "exclusiveMinimum", sign: -1 },
  { inclusive: "maxLength", sign: 1 },
  { inclusive: "minLength", sign: -1, least: 0 },
  { inclusive: "maxItems", sign: 1 },
  { inclusive: "minItems", sign: -1, least: 0 },
] as const;

/** Returns the limits of `to` that reject values allowed by `from`. */
export function stricterLimits(from: Shape, to: Shape): StricterLimit[] {
  const found: StricterLimit[] = sides.flatMap((side) => {
    const wide = edgeOf(from, side);
    const narrow = edgeOf(to, side);
    if (!narrow || ("least" in side && narrow.at >= side.least)) return [];
    const isStricter =
      !wide || narrow.at < wide.at || (narrow.at === wide.at && narrow.exclusive && !wide.exclusive);
    return isStricter ? [pairOf(wide?.limit, narrow.limit)] : [];
  });
  const one = from.limits;
  const other = to.limits;
  const step = one.multipleOf ?? (isOnly(from, "integer") ? 1 : undefined);
  const { multipleOf, pattern, uniqueItems } = other;
  if (typeof multipleOf === "number" && !(typeof step === "number" && isMultiple(step, multipleOf)))
    found.push(written("multipleOf", one.multipleOf, multipleOf));
  if (pattern !== undefined && pattern !== one.pattern) found.push(written("pattern", one.pattern, pattern));
  for (const keyword of ["contentEncoding", "contentMediaType", "contentSchema"])
    if (own(other, keyword) !== undefined && !isDeepStrictEqual(own(other, keyword), own(one, keyword)))
      found.push(written(keyword, own(one, keyword), own(other, keyword)));
  if (uniqueItems === true && one.uniqueItems !== true)
    found.push(written("uniqueItems", one.uniqueItems, uniqueItems));
  return found;
}

const isMultiple = (step: number, of: number): boolean => Number.isInteger(step / of);

const pairOf = (from: Limit | undefined, to: Limit): StricterLimit => ({ ...(from && { from }), to });

const written = (keyword: string, from: unknown, to: unknown): StricterLimit =>
  pairOf(from === undefined ? undefined : { keyword, value: from }, { keyword, value: to });

type Edge = { readonly at: number; readonly exclusive: boolean; readonly limit: Limit };

/**
 * Returns the stricter of the inclusive and the exclusive limit. Negates lower limits, so that the smaller limit is always the
 * stricter one. For integers, an exclusive limit becomes an inclusive one: for example, `< 10` becomes `<= 9`.
 */
function edgeOf(shape: Shape, side: (typeof sides)[number]): Edge | undefined {
  const isInteger = isOnly(shape, "integer");
  const edges = (["inclusive", "exclusive"] as const).flatMap((kind): Edge[] => {
    const keyword = kind in side ? side[kind as "inclusive"] : undefined;
    const value = keyword && shape.limits[keyword];
    if (!keyword || typeof value !== "number") return [];
    const exclusive = kind === "exclusive";
    const at = side.sign * value;
    const limit = { keyword, value };
    return [
      isInteger
        ? { at: exclusive ? Math.ceil(at) - 1 : Math.floor(at), exclusive: false, limit }
        : { at, exclusive, limit },
    ];
  });
  return edges.sort((one, other) => one.at - other.at || Number(other.exclusive) - Number(one.exclusive))[0];
}
