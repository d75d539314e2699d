/** What a schema says of its own value, compared: types, format, enum, limits. The parts of a value are compared elsewhere. */
import { lower, upper } from "../spec/limits.ts";
import { fits, numberFormats, type Shape, typesOf } from "../spec/shape.ts";
import type { ChangeClass } from "./report.ts";
import type { Facet, Spot } from "./spot.ts";

/** Returns whether the types still have something in common, so that a look below is worth it. */
export function compareFacets({ direction, old, new: now }: Spot, add: (facet: Facet) => void): boolean {
  const answer = direction === "answer";
  const [before, after] = [old.shape, now.shape];
  const widened = !covers(before, after);
  const narrowed = !covers(after, before);
  if (widened || narrowed) {
    const breaks = answer ? widened : narrowed;
    const message = `is ${typesOf(after)} now, it was ${typesOf(before)}`;
    add({
      rule: "rest-type-changed",
      class: breaks ? "breaking" : "safe",
      message,
      before: typesOf(before),
      after: typesOf(after),
    });
    if (widened && narrowed) return false;
  }
  const isNumber = ({ format }: Shape): boolean => format === undefined || numberFormats.has(format);
  // the range of a number that became another kind of number is told with its type
  const isTold = (widened || narrowed) && isNumber(before) && isNumber(after);
  if (!isTold) formats(answer, before, after, add);
  enums(answer, before, after, add);
  limits(answer, before, after, add);
  return true;
}

/** Whether every value of `inner`'s types is one of `outer`'s; no types at all are every type. */
const covers = (outer: Shape, inner: Shape): boolean =>
  outer.types.size === 0 || (inner.types.size > 0 && fits(inner, outer));

function formats(answer: boolean, before: Shape, after: Shape, add: (facet: Facet) => void): void {
  if (before.format === after.format) return;
  const name = (shape: Shape): string => shape.format ?? "no format";
  const kind: ChangeClass = answer
    ? "dangerous"
    : after.format === undefined || wider(before, after)
      ? "safe"
      : "breaking";
  const message = `has ${name(after)} now, it had ${name(before)}`;
  add({ rule: "rest-format-changed", class: kind, message, before: name(before), after: name(after) });
}

const wider = (before: Shape, after: Shape): boolean =>
  (before.format === "int32" && after.format === "int64") ||
  (before.format === "float" && after.format === "double");

function enums(answer: boolean, before: Shape, after: Shape, add: (facet: Facet) => void): void {
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
    add({ ...facts, class: answer ? "safe" : "breaking", message: `is an enum now: ${is.join(", ")}` });
  if (added.length > 0)
    add({ ...facts, class: answer ? "dangerous" : "safe", message: `may be ${added.join(", ")} too now` });
  if (removed.length > 0)
    add({ ...facts, class: answer ? "safe" : "breaking", message: `is never ${removed.join(", ")} now` });
}

/** Limits bind a request; an answer's limits promise nothing that a field shows. Defaults belong to the parameter. */
function limits(answer: boolean, before: Shape, after: Shape, add: (facet: Facet) => void): void {
  for (const key of new Set([...Object.keys(before.limits), ...Object.keys(after.limits)])) {
    const [was, is] = [before.limits[key], after.limits[key]];
    if (key === "default" || JSON.stringify(was) === JSON.stringify(is)) continue;
    const loosened =
      is === undefined ||
      (typeof was === "number" &&
        typeof is === "number" &&
        (upper.has(key) ? is > was : lower.has(key) && is < was));
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
