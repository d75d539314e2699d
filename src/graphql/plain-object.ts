/** Whether the value is an object and not a list. It is the `isTypeOf` of every object type. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
