/** The value at a path of properties of a REST body. Anything but an object on the path breaks the contract. */
import { CodedError } from "../errors.ts";

export function valueAt(body: unknown, steps: readonly string[]): unknown {
  let value = body;
  for (const step of steps) {
    if (value === null || value === undefined) return null;
    if (typeof value !== "object" || Array.isArray(value)) {
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not an object");
    }
    // every object inherits names such as `constructor`
    value = Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
  }
  return value;
}
