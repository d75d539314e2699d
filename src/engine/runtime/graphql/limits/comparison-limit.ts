/**
 * Limits the number of comparisons during validation. Validation compares each pair of selections with the same response key in a
 * selection set (GraphQL spec §5.3.2), and each pair of spread fragments, even if the fragments do not exist. The time therefore
 * grows with the square of the number of repeated fields or of spreads. The count of pairs stops at the limit.
 */
import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql";

/** Maximum number of pairs that a document's validation may compare. Visiting a selection counts as a fifth of a pair. */
const maxPairs = 20_000;
const selectionCost = 0.2;
/** A pair of spread fragments counts as half a pair of fields, because it costs less to compare. */
const spreadCost = 0.5;

type Counting = { readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>; left: number };
type Groups = Map<string, FieldNode[]>;

/** Whether the selections of the definitions form more than `maxPairs` pairs. Fragments must not be circular. */
export function exceedsComparisonLimit(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  definitions: readonly { readonly selectionSet: SelectionSetNode }[],
): boolean {
  const counting = { fragments, left: maxPairs };
  for (const { selectionSet } of definitions) countPairs(counting, [selectionSet]);
  return counting.left < 0;
}

/** Counts the pairs in `sets`, which validation merges into one selection set, and in all selection sets nested in them. */
function countPairs(counting: Counting, sets: readonly SelectionSetNode[]): void {
  const groups: Groups = new Map();
  const spread = new Set<string>();
  for (const set of sets) group(counting, groups, spread, set);
  for (const fields of groups.values()) {
    counting.left -= (fields.length * (fields.length - 1)) / 2;
    if (counting.left < 0) return;
    const below = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (below.length > 0) countPairs(counting, below);
  }
}

/** Groups the fields of a selection set by response key. Adds the fields of a fragment only once. */
function group(
  counting: Counting,
  groups: Groups,
  spread: Set<string>,
  { selections }: SelectionSetNode,
): void {
  for (const selection of selections) {
    counting.left -= selectionCost;
    if (counting.left < 0) return;
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const fields = groups.get(key);
      if (fields) fields.push(selection);
      else groups.set(key, [selection]);
    } else if (selection.kind === Kind.INLINE_FRAGMENT)
      group(counting, groups, spread, selection.selectionSet);
    else {
      const name = selection.name.value;
      if (spread.has(name)) continue;
      counting.left -= spread.size * spreadCost;
      spread.add(name);
      const fragment = counting.fragments.get(name);
      if (fragment) group(counting, groups, spread, fragment.selectionSet);
    }
  }
}
