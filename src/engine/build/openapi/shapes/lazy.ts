/** Returns a function that computes its value on the first call. Shapes are lazy, because schemas may be recursive. */
export function lazy<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
