/**
 * What a value may be now and could not be before, and what REST refuses now and took before: the statements of a schema
 * (JSON Schema, Validation §6) that a GraphQL type leaves open.
 */
import { getNamedType, isEnumType, isNonNullType } from "graphql";
import { own } from "../../../shared/own.ts";
import type { ValueUse } from "../../bind/model.ts";
import { discriminate } from "../../openapi/shapes/discriminate.ts";
import { numberFormats, type Shape, typesFit, typeText } from "../../openapi/shapes/shape.ts";
import { stricterLimits } from "../../openapi/shapes/stricter-limits.ts";
import { type Differing, differing } from "./change.ts";

/** `use` is of the new schema. */
export const differencesOf = (use: ValueUse, before: Shape, after: Shape): Differing[] =>
  use.direction === "response" ? shown(use.type, before, after) : rejectedValues(use.type, before, after);

function shown(type: ValueUse["type"], before: Shape, after: Shape): Differing[] {
  const added = before.values && after.values?.filter((value) => !before.values?.includes(value));
  // a value that REST takes again is not shown: the proof holds its type against the parameter's. A key that was a list of
  // keys brings other objects
  const isHeld = type === undefined && before.types.has("array") === after.types.has("array");
  const isNumber = [before, after].every(({ types }) =>
    [...types].every((type) => /number|integer/.test(type)),
  );
  return [
    ...typesDiffer(before, after, !isHeld && !covers(before, after), isNumber ? "dangerous" : "breaking"),
    ...formatDiffers(before, after, "dangerous", isLessPromised),
    ...(before.values && !after.values
      ? enumDiffers(type, before, after, "dangerous", "takes any value now, it was an enum")
      : []),
    ...(added?.length
      ? enumDiffers(type, before, after, "dangerous", `may be ${quoted(added)} too now`)
      : []),
    ...toldApartDiffers(before, after),
  ];
}

/** What REST refuses of the values that a client may send as `type`. */
export function rejectedValues(type: ValueUse["type"], before: Shape, after: Shape): Differing[] {
  const refused = after.values && before.values?.filter((value) => !after.values?.includes(value));
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
    ...(!before.values && after.values
      ? enumDiffers(type, before, after, "breaking", `is an enum now: ${quoted(after.values)}`)
      : []),
    ...(refused?.length
      ? enumDiffers(type, before, after, "breaking", `is never ${quoted(refused)} now`)
      : []),
    ...limitsDiffer(before, after),
    ...(before.nullable && !after.nullable && type && !isNonNullType(type)
      ? [differing("rest-nullable-changed", "is never null now", true, false)]
      : []),
  ];
}

/** Whether `outer` allows every type that `inner` allows. A schema without types allows all. */
const covers = (outer: Shape, inner: Shape): boolean =>
  outer.types.size === 0 || (inner.types.size > 0 && typesFit(inner, outer));

function typesDiffer(before: Shape, after: Shape, differs: boolean, kind: Differing["class"]): Differing[] {
  const was = typeText(before);
  const is = typeText(after);
  return differs
    ? [differing("rest-type-changed", `is ${is} now, it was ${was}`, was, is, { class: kind })]
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
  return [differing("rest-format-changed", phrase, was ?? "no format", is ?? "no format", { class: kind })];
}

/** A width says nothing here: the proof compares it with what `Int` and `Float` hold. */
const isLessPromised = (was: Format): boolean => was !== undefined && !numberFormats.has(was);

/** What has no format, or a wider one, takes all that it took. */
const isNarrower = (was: Format, is: Format): boolean =>
  is !== undefined && !(was === "int32" && is === "int64") && !(was === "float" && is === "double");

/** An enum of GraphQL says itself what its values are: the proof holds it against REST's, and graphql-js compares the two. */
const enumDiffers = (
  type: ValueUse["type"],
  before: Shape,
  after: Shape,
  kind: Differing["class"],
  phrase: string,
): Differing[] =>
  isEnumType(type && getNamedType(type))
    ? []
    : [
        differing("rest-enum-changed", phrase, before.values ?? null, after.values ?? null, {
          class: kind,
          below: ["enum"],
        }),
      ];

/** A value of an enum may read as a word of the sentence: `"voided"`, `"new"`, the empty text. */
const quoted = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");

function limitsDiffer(before: Shape, after: Shape): Differing[] {
  return stricterLimits(before, after).map(({ from, to: { keyword, value } }) => {
    const was = own(before.limits, keyword);
    const had =
      from && from.keyword !== keyword ? `had ${from.keyword} ${JSON.stringify(from.value)}` : undefined;
    const phrase = `has ${keyword} ${JSON.stringify(value)} now, it ${had ?? `was ${JSON.stringify(was) ?? "unset"}`}`;
    const facts = [{ [keyword]: was ?? null }, { [keyword]: value }] as const;
    return differing("rest-limit-changed", phrase, ...facts, { below: [keyword] });
  });
}

/** The members of a union (OpenAPI 3.1 §4.8.25): by another property, or by other values of it. */
function toldApartDiffers(before: Shape, after: Shape): Differing[] {
  const [old, now] = [before.variants, after.variants].map((each) => each && discriminate(each));
  if (!old || !now) return [];
  if (old.property !== now.property) {
    const was = old.property ?? null;
    const is = now.property ?? null;
    const below = ["discriminator", "propertyName"];
    return [differing("rest-variants-changed", "is told apart otherwise now", was, is, { below })];
  }
  const values = new Set(now.members.flatMap((member) => member.values));
  const lost = old.members.flatMap((member) => member.values.filter((value) => !values.has(value)));
  const known = new Set(now.members.map(({ name }) => name));
  const renamed = lost.length > 0 && old.members.every(({ name }) => known.has(name));
  const phrase = `tells its members apart by other values now: ${quoted([...values])}, and no longer ${quoted(lost)}`;
  return renamed ? [differing("rest-variants-changed", phrase, lost, [...values], { below: ["oneOf"] })] : [];
}
