/** Compares the members of a `oneOf` or `anyOf`, and the discriminator that tells them apart (OpenAPI 3.1 §4.8.25). */
import { typeText, type Variant } from "../../openapi/shapes/shape.ts";
import type { ChangeClass } from "../report.ts";
import { matchMembers, sharesValue } from "./match-members.ts";
import { type ShapeChange, type ShapePair, standaloneUse } from "./shape-pair.ts";

type Add = (change: ShapeChange) => void;

/**
 * Adds the changes of the member list, and hands each member that both schemas have to `compare`. `isUnion`: a union or an
 * interface may read the value.
 */
export function compareVariants(
  pair: ShapePair,
  isUnion: boolean,
  add: Add,
  compare: (member: ShapePair) => void,
): void {
  const [before, after] = [pair.old.shape.variants, pair.new.shape.variants];
  if (before && before.property !== after?.property)
    add({
      rule: "rest-variants-changed",
      class: "breaking",
      message: "is told apart otherwise now",
      before: before.property,
      after: after?.property ?? null,
      below: ["discriminator", "propertyName"],
    });
  if (!before || !after) return;
  const isRequest = pair.direction === "request";
  const matches = matchMembers(before.members, after.members);
  for (const member of before.members) {
    const other = matches.get(member);
    if (other) compare(memberPair(pair, member, other));
    else add(memberChange(member, isRequest ? "breaking" : "safe", "no longer has the member"));
  }
  const matched = new Set(matches.values());
  // other fields show the properties that all members have, and the proof finds the property that a new member lacks
  const looser = isUnion && !isRequest ? "dangerous" : "safe";
  for (const member of after.members) {
    const isKnown = matched.has(member) || before.members.some((old) => sharesValue(old, member));
    if (!isKnown) add(memberChange(member, looser, "has the new member"));
  }
}

const memberName = ({ name, values, shape }: Variant): string => name ?? values[0] ?? typeText(shape);

const memberPair = ({ at, direction }: ShapePair, old: Variant, now: Variant): ShapePair => ({
  at: `${at}<${memberName(old)}>`,
  direction,
  old: standaloneUse(old.shape),
  new: standaloneUse(now.shape),
});

const memberChange = (member: Variant, kind: ChangeClass, phrase: string): ShapeChange => ({
  rule: "rest-variants-changed",
  class: kind,
  message: `${phrase} ${memberName(member)}`,
  before: memberName(member),
  after: phrase,
  below: ["oneOf"],
});
