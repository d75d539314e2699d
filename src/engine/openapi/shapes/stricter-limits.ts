/**
 * Compares the limits of two schemas that one value meets, first `from` and then `to`. A limit counts where both schemas
 * state one of its kind: what `from` does not limit may be anything.
 */
import { ajv } from "../../standards/json-schema.ts";
import { limitSchema } from "./limit-schema.ts";
import { validLimits } from "./limits.ts";
import { isOnly, numberFormats, type Shape, typesFit } from "./shape.ts";

type Stricter = { readonly from: string; readonly to: string };

/** Keywords that bound the same thing on the same side. */
const sides = [
  { open: "maximum", closed: "exclusiveMaximum", sign: 1 },
  { open: "minimum", closed: "exclusiveMinimum", sign: -1 },
  { open: "maxLength", sign: 1 },
  { open: "minLength", sign: -1 },
] as const;

/** The limits of `to` that refuse a value which `from` allows, each as both schemas write it. */
export function stricterLimits(from: Shape, to: Shape): Stricter[] {
  const [one, other] = [from, to].map(({ limits }) => Object.fromEntries(validLimits(limits)));
  if (!one || !other) return [];
  const found: Stricter[] = [...valuesRefused(from, to)];
  for (const side of sides) {
    const [wide, narrow] = [edgeOf(from, one, side), edgeOf(to, other, side)];
    if (wide && narrow && (narrow.at < wide.at || (narrow.at === wide.at && narrow.closed && !wide.closed)))
      found.push({ from: wide.text, to: narrow.text });
  }
  const isMultiple =
    typeof one.multipleOf !== "number" ||
    typeof other.multipleOf !== "number" ||
    Number.isInteger(one.multipleOf / other.multipleOf);
  if (!isMultiple) found.push(written("multipleOf", one.multipleOf, other.multipleOf));
  if (one.pattern !== undefined && other.pattern !== undefined && one.pattern !== other.pattern)
    found.push(written("pattern", one.pattern, other.pattern));
  const [format, wanted] = [from, to].map((shape) =>
    numberFormats.has(shape.format ?? "") ? "" : shape.format,
  );
  if (format && wanted && format !== wanted) found.push(written("format", format, wanted));
  return found;
}

const written = (keyword: string, from: unknown, to: unknown): Stricter => ({
  from: `${keyword}: ${JSON.stringify(from)}`,
  to: `${keyword}: ${JSON.stringify(to)}`,
});

/** The strictest limit of a side, as if it were an upper one. For integers `< 10` is `<= 9`. */
function edgeOf(
  shape: Shape,
  limits: Readonly<Record<string, unknown>>,
  { sign, ...keywords }: (typeof sides)[number],
): { readonly at: number; readonly closed: boolean; readonly text: string } | undefined {
  const isInteger = isOnly(shape, "integer");
  const edges = Object.entries(keywords).flatMap(([kind, keyword]) => {
    const limit = limits[keyword];
    if (typeof limit !== "number") return [];
    const text = `${keyword}: ${limit}`;
    const closed = kind === "closed";
    const at = sign * limit;
    return [
      isInteger
        ? { at: closed ? Math.ceil(at) - 1 : Math.floor(at), closed: false, text }
        : { at, closed, text },
    ];
  });
  return edges.sort((one, other) => one.at - other.at || Number(other.closed) - Number(one.closed))[0];
}

/** With a list of values in `from`, each of them is held to all limits of `to`. */
function valuesRefused(from: Shape, to: Shape): Stricter[] {
  if (!from.values || !typesFit(from, to)) return [];
  const taken = ajv.compile({ ...limitSchema(to), ...(to.values && { enum: to.values }) });
  const refused = from.values.filter((value) => !taken(value));
  if (refused.length === 0) return [];
  const limits = Object.entries(limitSchema(to)).map(
    ([keyword, limit]) => `${keyword}: ${JSON.stringify(limit)}`,
  );
  const enumerated = to.values ? [`enum: ${JSON.stringify(to.values)}`] : [];
  return [{ from: `enum: ${JSON.stringify(from.values)}`, to: [...enumerated, ...limits].join(", ") }];
}
