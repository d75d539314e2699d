/** The object type that the discriminator of a REST object chooses for a union or interface (OpenAPI 3.1 §4.8.25). */
import { CodedError } from "../errors.ts";

/** Throws `BAD_UPSTREAM_RESPONSE` for a value that the contract does not name. */
export function member<const Names extends Record<string, string>>(
  value: unknown,
  names: Names,
): Names[keyof Names] {
  const chosen = typeof value === "string" && Object.hasOwn(names, value) ? names[value] : undefined;
  if (chosen === undefined)
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer has an unknown discriminator value");
  return chosen as Names[keyof Names];
}
