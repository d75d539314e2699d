/**
 * Compares the old and the new JSON Schema of a value (JSON Schema, Validation §6). Finds differences that the GraphQL type
 * does not show, such as a new enum value in a response or a stricter limit in a request.
 */
import { getNamedType, isEnumType, isNonNullType, isScalarType, isSpecifiedScalarType } from "graphql";
import { membersOf } from "../../../shared/json-object.ts";
import { own } from "../../../shared/own.ts";
import { conditionText } from "../../bind/inputs/check-conditions.ts";
import type { ValueUse } from "../../bind/model.ts";
import { discriminate } from "../../openapi/shapes/discriminate.ts";
import { numberFormats, type Shape, typesFit, typeText } from "../../openapi/shapes/shape.ts";
import { stricterLimits } from "../../openapi/shapes/stricter-limits.ts";
import { type Differing, differing } from "./change.ts";
import { isRelaxed } from "./new-proof-errors.ts";

/** Returns the differences that clients may notice. */
export const differencesOf = (use: ValueUse, before: Shape, after: Shape): Differing[] =>
  use.direction === "response" ? shown(use.type, before, after) : rejectedValues(use.type, before, after);

function shown(type: ValueUse["type"], before: Shape, after: Shape): Differing[] {
  // A value without a GraphQL type is only passed to another REST call, and the proof checks its type there. However, if one key
  // became a list of keys, or the reverse, the other call finds different objects.
  const isPassedOn = type === undefined && before.types.has("array") === after.types.has("array");
  const isNumber = [before, after].every(({ types }) =>
    [...types].every((type) => /number|integer/.test(type)),
  );
  return [
    ...typesDiffer(before, after, !isPassedOn && !covers(before, after), isNumber ? "dangerous" : "breaking"),
    ...formatDiffers(before, after, "dangerous", isLessPromised),
    ...(isEnumType(type && getNamedType(type)) ? [] : enumDiffers(before, after, "dangerous", describeAdded)),
    ...discriminatorDiffers(before, after),
  ];
}

/** Returns the differences that make REST reject values of the GraphQL `type`. */
export function rejectedValues(type: ValueUse["type"], before: Shape, after: Shape): Differing[] {
  const named = type && getNamedType(type);
  const isInt = named?.name === "Int";
  return [
    ...typesDiffer(before, after, !covers(after, before), "breaking"),
    ...formatDiffers(
      before,
      after,
      "breaking",
      (was, is) => isNarrower(was, is) && !(isInt && numberFormats.has(is ?? "")),
    ),
    ...(isEnumType(named) ? [] : enumDiffers(before, after, "breaking", describeRejected)),
    ...limitsDiffer(before, after),
    ...(isScalarType(named) && !isSpecifiedScalarType(named) ? conditionsDiffer(before, after) : []),
    ...(before.nullable && !after.nullable && type && !isNonNullType(type)
      ? [differing("rest-nullable-changed", "is never null now", { before: true, after: false })]
      : []),
  ];
}

/** Whether `outer` allows every type that `inner` allows. A schema without types allows every type. */
const covers = (outer: Shape, inner: Shape): boolean =>
  outer.types.size === 0 || (inner.types.size > 0 && typesFit(inner, outer));

function typesDiffer(before: Shape, after: Shape, differs: boolean, kind: Differing["class"]): Differing[] {
  const was = typeText(before);
  const is = typeText(after);
  return differs
    ? [differing("rest-type-changed", `is ${is} now, it was ${was}`, { before: was, after: is, class: kind })]
    : [];
}

type Format = string | undefined;

function formatDiffers(
  before: Shape,
  after: Shape,
  kind: Differing["class"],
  matters: (was: Format, is: Format) => boolean,
): Differing[] {
  const { format: was } = before;
  const { format: is } = after;
  if (was === is || !matters(was, is)) return [];
  const phrase = `has ${is ? `format ${is}` : "no format"} now, it had ${was ?? "none"}`;
  const details = { before: was ?? "no format", after: is ?? "no format", class: kind };
  return [differing("rest-format-changed", phrase, details)];
}

/** Whether a response had a format. Ignores number formats, because the proof compares them with `Int` and `Float`. */
const isLessPromised = (was: Format): boolean => was !== undefined && !numberFormats.has(was);

/** Whether values of the old format may violate the new one. */
const isNarrower = (was: Format, is: Format): boolean =>
  is !== undefined && !(was === "int32" && is === "int64") && !(was === "float" && is === "double");

type EnumValues = Shape["values"];

/** Not for GraphQL enums: the proof compares an enum with REST's values, and graphql-js compares it with the base. */
function enumDiffers(
  { values: was }: Shape,
  { values: is }: Shape,
  kind: Differing["class"],
  describe: (was: EnumValues, is: EnumValues) => string | undefined,
): Differing[] {
  const phrase = describe(was, is);
  const details = { before: was ?? null, after: is ?? null, class: kind, below: ["enum"] };
  return phrase === undefined ? [] : [differing("rest-enum-changed", phrase, details)];
}

function describeAdded(was: EnumValues, is: EnumValues): string | undefined {
  if (!was) return undefined;
  if (!is) return "takes any value now, it was an enum";
  const added = is.filter((value) => !was.includes(value));
  return added.length > 0 ? `may be ${quoted(added)} too now` : undefined;
}

function describeRejected(was: EnumValues, is: EnumValues): string | undefined {
  if (!is) return undefined;
  if (!was) return `is an enum now: ${quoted(is)}`;
  const rejected = was.filter((value) => !is.includes(value));
  return rejected.length > 0 ? `is never ${quoted(rejected)} now` : undefined;
}

/** Quotes enum values, because a value such as `new` could be misread as part of the message. */
const quoted = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");

function limitsDiffer(before: Shape, after: Shape): Differing[] {
  return stricterLimits(before, after).map(({ from, to: { keyword, value } }) => {
    const was = own(before.limits, keyword);
    const had =
      from && from.keyword !== keyword ? `had ${from.keyword} ${JSON.stringify(from.value)}` : undefined;
    const phrase = `has ${keyword} ${JSON.stringify(value)} now, it ${had ?? `was ${JSON.stringify(was) ?? "unset"}`}`;
    return differing("rest-limit-changed", phrase, {
      before: { [keyword]: was ?? null },
      after: { [keyword]: value },
      below: [keyword],
    });
  });
}

/**
 * Finds new or stricter keywords for a custom scalar, because the proof does not compare them. Skips `oneOf` and `anyOf`, because
 * `rejectedParts` compares their members.
 */
const conditionsDiffer = (before: Shape, after: Shape): Differing[] =>
  after.conditions.flatMap((condition) => {
    const { keyword, node } = condition;
    const same = before.conditions.filter((each) => each.keyword === keyword);
    const was = same.map(({ node: each }) => own(membersOf(each.value), keyword));
    const is = own(membersOf(node.value), keyword);
    if (/^(?:oneOf|anyOf)$/.test(keyword) || is === true) return [];
    if (
      was.some((each) => isRelaxed(keyword, each, is)) ||
      same.some((each) => conditionText(each) === conditionText(condition))
    )
      return [];
    const phrase = `has ${conditionText(condition)} now, it was ${JSON.stringify(was[0]) ?? "unset"}`;
    return [differing("rest-limit-changed", phrase, { before: was[0] ?? null, after: is, below: [keyword] })];
  });

/** Compares discriminators (OpenAPI 3.1 §4.8.25): the property, and the values that select each schema. */
function discriminatorDiffers(before: Shape, after: Shape): Differing[] {
  const old = before.variants && discriminate(before.variants);
  const now = after.variants && discriminate(after.variants);
  if (!old || !now) return [];
  if (old.property !== now.property) {
    const details = {
      before: old.property ?? null,
      after: now.property ?? null,
      below: ["discriminator", "propertyName"],
    };
    return [differing("rest-variants-changed", "is discriminated differently now", details)];
  }
  const values = new Set(now.members.flatMap((member) => member.values));
  const lost = old.members.flatMap((member) => member.values.filter((value) => !values.has(value)));
  const known = new Set(now.members.map(({ name }) => name));
  const renamed = lost.length > 0 && old.members.every(({ name }) => known.has(name));
  const phrase = `discriminates its members by other values now: ${quoted([...values])}, and no longer ${quoted(lost)}`;
  return renamed
    ? [differing("rest-variants-changed", phrase, { before: lost, after: [...values], below: ["oneOf"] })]
    : [];
}
