/**
 * Merges the errors of one failed call. A failed batched call makes its field null in each parent. The client gets one
 * error at the first parent's path, with the number of nulls in `places`.
 */
import type { GraphQLFormattedError } from "graphql";
import { CodedError } from "../../errors.ts";

type Path = readonly (string | number)[];
/** An error of graphql-js or of a plan. */
type Located = { readonly path?: Path | undefined; readonly originalError?: Error | null | undefined };
type Group<E> = { readonly error: E; places: number };

/** Groups errors by failure and field. A group has its first error and the number of its errors. */
export function grouped<E extends Located>(errors: readonly E[]): readonly Group<E>[] {
  const groups: Group<E>[] = [];
  const known = new Map<Error, Map<string, Group<E>>>();
  for (const error of errors) {
    const { originalError: failure, path } = error;
    if (!(failure instanceof CodedError)) {
      groups.push({ error, places: 1 });
      continue;
    }
    const ofFailure = known.get(failure) ?? new Map<string, Group<E>>();
    known.set(failure, ofFailure);
    const field = fieldOf(path);
    const group = ofFailure.get(field);
    if (group) group.places++;
    else {
      const first = { error, places: 1 };
      ofFailure.set(field, first);
      groups.push(first);
    }
  }
  return groups;
}

/** The path without list indexes. */
const fieldOf = (path: Path = []): string => path.filter((key) => typeof key === "string").join(".");

/** Adds the number of places to an error if it has several. */
export const withPlaces = (error: GraphQLFormattedError, places: number): GraphQLFormattedError =>
  places === 1 ? error : { ...error, extensions: { ...error.extensions, places } };

/** The formatted errors without repetitions. `formatted` has one entry for each of `errors`. */
export function onceEach(
  errors: readonly Located[],
  formatted: readonly GraphQLFormattedError[] = [],
): GraphQLFormattedError[] {
  const formattedOf = new Map(errors.map((error, index) => [error, formatted[index]]));
  return grouped(errors).flatMap(({ error, places }) => {
    const found = formattedOf.get(error);
    return found ? [withPlaces(found, places)] : [];
  });
}
