/**
 * A schema's limits on a value (JSON Schema 2020-12, Validation §6). A limit is invalid if a validator could not apply it. The
 * booleans of OpenAPI 3.0 (`exclusiveMinimum: true`) are converted to the numbers of 3.1 (`exclusiveMinimum: 5`).
 */

import type { JsonSchema } from "../../../shared/json-schema.ts";
import { isLinear } from "../../../shared/linear-pattern.ts";
import { own } from "../../../shared/own.ts";
import { numberFormats, type Shape } from "./shape.ts";

type LimitValues = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

const isValid: Readonly<Record<string, (value: unknown) => boolean>> = {
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  pattern: (value) => typeof value === "string" && isLinear(value),
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: (value) => typeof value === "boolean",
};

/** Annotations about the content of a string, which validators do not apply (JSON Schema 2020-12, Validation §8.1). */
const contents = ["contentEncoding", "contentMediaType", "contentSchema"];

export const limitKeywords: readonly string[] = [...Object.keys(isValid), ...contents];

/** Returns the schema's limits and default. Converts the boolean limits and the patterns of OpenAPI 3.0 to those of 3.1. */
export function readLimits(schema: LimitValues, is30: boolean): LimitValues {
  const keywords = [...limitKeywords, "default"].filter((key) => Object.hasOwn(schema, key));
  const limits = new Map(keywords.map((key) => [key, own(schema, key)]));
  const { pattern } = schema;
  if (is30 && typeof pattern === "string" && !isPattern(pattern))
    limits.set("pattern", inUnicodeMode(pattern));
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof limits.get(flag) !== "boolean") continue;
    if (limits.get(flag) && limits.has(bound)) {
      limits.set(flag, limits.get(bound));
      limits.delete(bound);
    } else limits.delete(flag);
  }
  return Object.fromEntries(limits);
}

const upperLimits: ReadonlySet<string> = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems"]);
const lowerLimits: ReadonlySet<string> = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems"]);

/** For a keyword that both sides have, keeps the stricter limit. Of two patterns or two defaults, keeps the one of `left`. */
export function mergeLimits(left: LimitValues, right: LimitValues): LimitValues {
  const stricter = Object.entries(left).map(([key, one]) => {
    const other = own(right, key);
    if (key === "uniqueItems") return [key, one === true || other === undefined ? one : other];
    if (typeof one !== "number" || typeof other !== "number") return [key, one];
    if (upperLimits.has(key)) return [key, Math.min(one, other)];
    return [key, lowerLimits.has(key) ? Math.max(one, other) : one];
  });
  return { ...right, ...Object.fromEntries(stricter) };
}

/** Returns the valid limits as a JSON Schema (2020-12), without type, enum, items and properties. */
export const limitSchema = ({ limits, format }: Shape): JsonSchema => ({
  ...Object.fromEntries(Object.entries(limits).filter(([key, value]) => own(isValid, key)?.(value) === true)),
  ...(format && !numberFormats.has(format) && { format }),
});

/** Returns the keyword and the value of each invalid limit. */
export const invalidLimits = (limits: LimitValues): [string, unknown][] =>
  Object.entries(limits).filter(([key, value]) => own(isValid, key)?.(value) === false);

/** Whether the value is an ECMA-262 regular expression in Unicode mode (JSON Schema 2020-12 §6.4). */
export function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") !== undefined;
  } catch {
    return false;
  }
}

const patternToken =
  /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[pP]\{[^}]*\}|[\s\S])|\[\^?|\]|\{\d+(?:,\d*)?\}|[{}]|-|[\s\S]/gu;

/**
 * Rewrites a pattern for Unicode mode, if possible. OpenAPI 3.0 uses the patterns of ECMA-262 5.1 (OpenAPI 3.0 §4.7.24), which
 * has no such mode. There, any character may be escaped, and `{`, `}`, `]` and a `-` next to `\w` may be unescaped literals.
 */
function inUnicodeMode(pattern: string): string {
  let isInClass = false;
  let before = "";
  const tokens = pattern.match(patternToken) ?? [];
  const written = tokens.map((token, index) => {
    const last = before;
    before = token;
    if (isInClass) {
      if (token === "]") isInClass = false;
      const isBesideClass = [last, tokens[index + 1] ?? ""].some((each) => /^\\[dDsSwW]$/.test(each));
      if (token === "-" && isBesideClass && tokens[index + 1] !== "]") return "\\-";
    } else if (token.startsWith("[")) isInClass = true;
    else if (/^[{}\]]$/.test(token)) return `\\${token}`;
    const [, escaped] = /^\\([^\dA-Za-z^$\\.*+?()[\]{}|/]|[aeg-jlmoqyzACE-OQRT-VX-Z])$/.exec(token) ?? [];
    if (escaped === undefined) return token;
    return escaped === "-" && isInClass ? token : escaped;
  });
  return isPattern(written.join("")) ? written.join("") : pattern;
}
