/** Values that are computed when somebody asks for them: a schema may hold itself. */

/** A function that computes its value on the first call and returns the same value on every call. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
