/**
 * Merges the errors of failed calls, because one failed call may make its field null in many parents, and the calls of many
 * parents may fail for the same reason. The client gets one error with the path of the first parent. `places` is the number of
 * nulls, and `indexes` contains their list indexes.
 */
import type { GraphQLFormattedError } from "graphql";
import { CodedError } from "../../coded-error.ts";

type Path = readonly (string | number)[];
type Located = { readonly path: Path; readonly originalError: Error };

/** Groups errors by failure and field. Failed calls count as one failure if their errors look the same to a client. */
export function groupErrors<E extends Located>(errors: readonly E[]): [E, ...E[]][] {
  const failures = new Map<Error, number>();
  const groupOf = (error: E): E | string => {
    const { originalError: failure, path } = error;
    if (!(failure instanceof CodedError)) return error;
    const { code, message, details } = failure;
    const isOfCall = details.operation !== undefined || code === "CALL_LIMIT";
    if (isOfCall) return JSON.stringify([code, message, details, fieldOf(path)]);
    const number = failures.get(failure) ?? failures.size;
    failures.set(failure, number);
    return `${number} ${fieldOf(path)}`;
  };
  return [...Map.groupBy(errors, groupOf).values()] as [E, ...E[]][];
}

/** Returns the path without list indexes. */
const fieldOf = (path: Path): string => path.filter((key) => typeof key === "string").join(".");

/** Maximum number of index ranges in `indexes`. `places` counts the nulls in omitted ranges too. */
const mostRanges = 100;

export const withNullCount = (
  error: GraphQLFormattedError,
  group: readonly Pick<Located, "path">[],
): GraphQLFormattedError =>
  group.length === 1
    ? error
    : { ...error, extensions: { ...error.extensions, places: group.length, indexes: rangesOf(group) } };

/**
 * Returns the list indexes of paths that differ only in their indexes. Dots separate the indexes of one path, and consecutive
 * last indexes become a range: `"0-13"` is the first fourteen items of a list, and `"2.0-1"` is the first two items of the list
 * in the third item.
 */
function rangesOf(group: readonly Pick<Located, "path">[]): string[] {
  const all = group.map(({ path }) => path.filter((key) => typeof key === "number")).sort(inOrder);
  const ranges: { readonly before: string; readonly from: number; to: number }[] = [];
  for (const indexes of all) {
    const before = indexes
      .slice(0, -1)
      .map((index) => `${index}.`)
      .join("");
    const last = indexes.at(-1) ?? 0;
    const range = ranges.at(-1);
    if (range?.before === before && range.to + 1 >= last) range.to = last;
    else if (ranges.length === mostRanges) break;
    else ranges.push({ before, from: last, to: last });
  }
  return ranges.map(({ before, from, to }) => `${before}${from}${to > from ? `-${to}` : ""}`);
}

const inOrder = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((index, place) => index !== other[place]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
};
