/**
 * Compares a schema's keywords for the value itself: `type`, `format`, `enum` and the limits (JSON Schema, Validation
 * §6).
 */
import { lowerLimits, upperLimits } from "../../openapi/shapes/limits.ts";
import { numberFormats, type Shape, typesFit, typeText } from "../../openapi/shapes/shape.ts";
import type { ChangeClass } from "../report.ts";
import type { ShapeChange, ShapePair } from "./shape-pair.ts";

type Add = (change: ShapeChange) => void;

/** Returns false if the old and the new types have nothing in common: then the parts are not worth a comparison. */
export function compareKeywords({ direction, old, new: now }: ShapePair, add: Add): boolean {
  const answer = direction === "response";
  const [before, after] = [old.shape, now.shape];
  const widened = !covers(before, after);
  const narrowed = !covers(after, before);
  if (widened || narrowed) {
    const breaks = answer ? widened : narrowed;
    const message = `is ${typeText(after)} now, it was ${typeText(before)}`;
    add({
      rule: "rest-type-changed",
      class: breaks ? "breaking" : "safe",
      message,
      before: typeText(before),
      after: typeText(after),
    });
    if (widened && narrowed) return false;
  }
  const isNumber = ({ format }: Shape): boolean => format === undefined || numberFormats.has(format);
  // a number that became another kind of number is one change: the format follows from the type
  const isCovered = (widened || narrowed) && isNumber(before) && isNumber(after);
  if (!isCovered) compareFormats(answer, before, after, add);
  compareEnums(answer, before, after, add);
  compareLimits(answer, before, after, add);
  return true;
}

/** Whether `outer` allows every type that `inner` allows. A schema without types allows all. */
const covers = (outer: Shape, inner: Shape): boolean =>
  outer.types.size === 0 || (inner.types.size > 0 && typesFit(inner, outer));

function compareFormats(answer: boolean, before: Shape, after: Shape, add: Add): void {
  const [was, is] = answer ? [sentFormat(before), sentFormat(after)] : [before.format, after.format];
  if (was === is) return;
  // a response that gains a format promises more, unless the format is the width of a number
  const isPromise = was === undefined && !numberFormats.has(is ?? "");
  // an integer without a width may be as large as one of 64 bits
  const isWidest = was === "int64" && is === undefined;
  const kind: ChangeClass = answer
    ? isPromise || isWidest
      ? "safe"
      : "dangerous"
    : is === undefined || isWiderFormat(before, after)
      ? "safe"
      : "breaking";
  const [old, now] = [was ?? "no format", is ?? "no format"];
  const message = `has ${is ? `format ${is}` : now} now, it had ${was ?? "none"}`;
  add({ rule: "rest-format-changed", class: kind, message, before: old, after: now });
}

/**
 * The format of the values that REST may send. A joined shape has the integers of each of its shapes, which may have 64
 * bits.
 */
const sentFormat = ({ format, integers }: Shape): string | undefined =>
  format ?? (integers.some((each) => each.format === "int64") ? "int64" : undefined);

const isWiderFormat = (before: Shape, after: Shape): boolean =>
  (before.format === "int32" && after.format === "int64") ||
  (before.format === "float" && after.format === "double");

function compareEnums(answer: boolean, before: Shape, after: Shape, add: Add): void {
  const [was, is] = [before.values, after.values];
  if (!was && !is) return;
  const added = is ? is.filter((value) => was && !was.includes(value)) : [];
  const removed = was ? was.filter((value) => is && !is.includes(value)) : [];
  const facts = {
    rule: "rest-enum-changed",
    before: was ?? null,
    after: is ?? null,
    below: ["enum"],
  } as const;
  if (!is)
    add({ ...facts, class: answer ? "dangerous" : "safe", message: "takes any value now, it was an enum" });
  else if (!was)
    add({ ...facts, class: answer ? "safe" : "breaking", message: `is an enum now: ${quoted(is)}` });
  if (added.length > 0)
    add({ ...facts, class: answer ? "dangerous" : "safe", message: `may be ${quoted(added)} too now` });
  if (removed.length > 0)
    add({ ...facts, class: answer ? "safe" : "breaking", message: `is never ${quoted(removed)} now` });
}

/** A value of an enum may read as a word of the sentence: `"voided"`, `"new"`, the empty text. */
const quoted = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");

/** A limit matters in a request only. The default is compared with its parameter. */
function compareLimits(answer: boolean, before: Shape, after: Shape, add: Add): void {
  for (const key of new Set([...Object.keys(before.limits), ...Object.keys(after.limits)])) {
    const [was, is] = [before.limits[key], after.limits[key]];
    if (key === "default" || JSON.stringify(was) === JSON.stringify(is)) continue;
    const loosened =
      is === undefined ||
      (typeof was === "number" &&
        typeof is === "number" &&
        (upperLimits.has(key) ? is > was : lowerLimits.has(key) && is < was));
    const message = `has ${key} ${JSON.stringify(is) ?? "unset"} now, it was ${JSON.stringify(was) ?? "unset"}`;
    const kind = answer || loosened ? "safe" : "breaking";
    add({
      rule: "rest-limit-changed",
      class: kind,
      message,
      below: [key],
      before: { [key]: was ?? null },
      after: { [key]: is ?? null },
    });
  }
}
