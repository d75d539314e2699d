/**
 * The limits that a schema sets on a value (JSON Schema 2020-12 §6), and which of them a value can be held to. A flag of
 * OpenAPI 3.0 (`exclusiveMinimum: true`) is read as the number that it goes with.
 */

type Limits = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

const sound: Readonly<Record<string, (value: unknown) => boolean>> = {
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  pattern: (value) => typeof value === "string" && regexOf(value) !== undefined,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: (value) => typeof value === "boolean",
};

/** The limits and the default as written, but for OpenAPI 3.0's flags. */
export function readLimits(schema: Limits): Limits {
  const keywords = [...Object.keys(sound), "default"].filter((key) => key in schema);
  const limits = new Map(keywords.map((key) => [key, schema[key]]));
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

export const upper: ReadonlySet<string> = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems"]);
export const lower: ReadonlySet<string> = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems"]);

/** Both hold: the narrower of each; where neither can be told to be it (two patterns, two defaults), the left one. */
export function narrower(left: Limits, right: Limits): Limits {
  const limits: Record<string, unknown> = { ...right, ...left };
  for (const [key, one] of Object.entries(left)) {
    const other = right[key];
    if (key === "uniqueItems") limits[key] = one === true || other === undefined ? one : other;
    if (typeof one !== "number" || typeof other !== "number") continue;
    if (upper.has(key)) limits[key] = Math.min(one, other);
    if (lower.has(key)) limits[key] = Math.max(one, other);
  }
  return limits;
}

/** Keyword and value of each limit that a value can be held to. */
export const soundLimits = (limits: Limits): [string, unknown][] =>
  Object.entries(limits).filter(([key, value]) => sound[key]?.(value) === true);

/** Keyword and value of each limit that no value can be held to: `minLength: -1`. */
export const unsoundLimits = (limits: Limits): [string, unknown][] =>
  Object.entries(limits).filter(([key, value]) => sound[key]?.(value) === false);

/** ECMA-262 in Unicode mode, as JSON Schema has it (2020-12 §6.4); `undefined` for what is none. */
function regexOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
