/** Lazily computed values, because schemas may be recursive. */

/** Returns a function that computes its value on the first call and returns it on every call. */
export function lazy<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
