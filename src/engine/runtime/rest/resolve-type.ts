/** Selects the GraphQL object type of a REST object in a union or an interface. */
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";

/**
 * Returns the type for a discriminator value (OpenAPI 3.1 §4.8.25). Returns `otherwise` for an unknown value (OpenAPI 3.2 §4.25,
 * `defaultMapping`), and throws `BAD_UPSTREAM_RESPONSE` if there is no `otherwise`.
 */
export function resolveTypeByValue<const Names extends Record<string, string>>(
  value: unknown,
  names: Names,
): Names[keyof Names];
export function resolveTypeByValue<
  const Names extends Record<string, string>,
  const Otherwise extends string,
>(value: unknown, names: Names, otherwise: Otherwise): Names[keyof Names] | Otherwise;
export function resolveTypeByValue(
  value: unknown,
  names: Record<string, string>,
  otherwise?: string,
): string {
  const chosen = (typeof value === "string" ? own(names, value) : undefined) ?? otherwise;
  if (chosen === undefined)
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer has an unknown discriminator value");
  return chosen;
}

/**
 * Returns the type whose distinguishing property the object has, or `otherwise` if it has none of these properties. Throws
 * `BAD_UPSTREAM_RESPONSE` if there is no `otherwise`, or if the object has several of them.
 */
export function resolveTypeByProperty<const Names extends Record<string, string>>(
  value: object,
  names: Names,
): Names[keyof Names];
export function resolveTypeByProperty<
  const Names extends Record<string, string>,
  const Otherwise extends string,
>(value: object, names: Names, otherwise: Otherwise | undefined): Names[keyof Names] | Otherwise;
export function resolveTypeByProperty(
  value: object,
  names: Record<string, string>,
  otherwise?: string,
): string {
  const [present, ...others] = Object.entries(names).filter(([name]) => Object.hasOwn(value, name));
  const chosen = present === undefined ? otherwise : present[1];
  if (chosen === undefined || others.length > 0)
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer is none of the objects that it may be");
  return chosen;
}
