/**
 * `@semanticNonNull` (Apollo's nullability specification, v0.4): at each level that the directive names, a null comes with an
 * error in the response. Level 0 is the value of the field. If the value is a list, level 1 means its items.
 */
import { type FieldDefinitionNode, Kind } from "graphql";

export const semanticNonNullName = "semanticNonNull";

/** Returns the levels that a field's directive names, or `[0]` if it names no level; an empty list without the directive. */
export function semanticNonNullLevels(field: FieldDefinitionNode | null | undefined): readonly number[] {
  const directive = field?.directives?.find(({ name }) => name.value === semanticNonNullName);
  if (!directive) return [];
  const levels = directive.arguments?.find(({ name }) => name.value === "levels")?.value;
  if (levels?.kind === Kind.INT) return [Number(levels.value)]; // `levels: 0` means `levels: [0]`
  if (levels?.kind !== Kind.LIST) return [0];
  return levels.values.flatMap((level) => (level.kind === Kind.INT ? [Number(level.value)] : []));
}
