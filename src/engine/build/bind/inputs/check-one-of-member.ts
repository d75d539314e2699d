/** Checks a field of a `@oneOf` type: it stands for a member of REST's `oneOf`, and REST knows the member by what is sent. */
import type { GraphQLInputField } from "graphql";
import { declaredProperty, type Variants } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import { variantName } from "../variant-names.ts";
import { rejectionReason } from "./check-constants.ts";
import type { OneOfMember } from "./one-of-member.ts";

/** Members that a hint names. */
const mostNamed = 10;

export function checkOneOfMember(
  binder: Binder,
  where: FindingTarget,
  { name }: GraphQLInputField,
  { members }: Variants,
  choice: OneOfMember | undefined,
): void {
  const { findings } = binder;
  if (!choice) {
    const names = members.map(variantName);
    const more = names.length > mostNamed ? `, ${names.length - mostNamed} more` : "";
    findings.add(
      "property-missing",
      where,
      `REST takes one of ${names.length} values, and ${where.coordinate} stands for none of them${findings.didYouMean(name, () => names)}`,
      `name it after one of ${names.slice(0, mostNamed).join(", ")}${more}, with @restName, or after the one property that one of them needs`,
    );
    return;
  }
  const { member, chosenBy } = choice;
  if (!chosenBy) return;
  const declared = declaredProperty(member.shape, chosenBy.name);
  const own = `${variantName(member)}, which REST knows by "${chosenBy.name}": ${member.values.join(" or ") || "no value"}`;
  const at = { ...where, rest: declared?.node ?? member.node };
  const isAlways =
    declared?.required && declared.shape.values?.every((value) => member.values.includes(String(value)));
  if (chosenBy.isFed && !isAlways)
    findings.add(
      "parameter-fed-twice",
      at,
      `${where.coordinate} sends ${own}, and its own "${chosenBy.name}" may have another value, or none`,
      `remove the input field that feeds "${chosenBy.name}": the value is sent without it`,
    );
  if (chosenBy.isFed) return;
  if (chosenBy.value === undefined)
    findings.add(
      "parameter-unfed",
      at,
      `${where.coordinate} sends ${own}, and nothing says which`,
      member.values.length > 1
        ? "name the field after one of these values, with @restName"
        : "give the member a value in the mapping of REST's `discriminator`",
    );
  else if (declared && rejectionReason(declared.shape, chosenBy.value) !== undefined)
    findings.add(
      "constant-invalid",
      at,
      `${where.coordinate} sends ${own}, and ${variantName(member)} itself does not take "${chosenBy.value}"`,
      "mend the mapping of REST's `discriminator`, in an overlay if the document is a vendor's",
    );
}
