/** Makes GraphQL names (GraphQL spec §2.1.9: letters, digits and `_`, no digit in front) and descriptions from REST's. */
import { isSafe, methodAndPath, type RestOperation } from "../openapi/operation.ts";

/** `+1` and `-1` are two words each, so that they stay two names. */
const words = (text: string): string[] =>
  text
    .replace(/^\+(?=\d)/, "plus ")
    .replace(/^-(?=\d)/, "minus ")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");

/** The `operationId`; for an operation without one its path, behind the method if it does not read. */
export function nameFrom(operation: RestOperation): string {
  const { id, method, path } = operation;
  if (id !== methodAndPath(operation)) return id;
  const steps = words(path).length > 0 ? path : "root";
  return isSafe(method) ? steps : `${method} ${steps}`;
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** `campaign_page` → `CampaignPage` */
export const typeName = (text: string): string => safe(words(text).map(upperFirst).join(""));

/** `created_at` → `createdAt`, for fields and arguments. */
export const fieldName = (text: string): string => lowerFirst(typeName(text));

/** `new-lead` → `NEW_LEAD` */
export function enumValueName(text: string): string {
  const name = words(text.replace(/([a-z0-9])([A-Z])/g, "$1_$2"))
    .join("_")
    .toUpperCase();
  return ["TRUE", "FALSE", "NULL"].includes(name) ? `${name}_` : safe(name);
}

const safe = (name: string): string => (/^[A-Za-z_]/.test(name) ? name : `_${name}`);

/** A name for each of REST's names. Where two are alike, the later one gets a number: `userId`, `userId2`. */
export function uniqueNames(
  names: readonly string[],
  make: (name: string) => string,
  taken: Iterable<string> = [],
): string[] {
  const used = new Set(taken);
  return names.map((name) => {
    const free = freeName(make(name), used);
    used.add(free);
    return free;
  });
}

/** The name itself, or with the first number that makes it free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let free = name, number = 2; ; free = `${name}${number++}`) if (!taken.has(free)) return free;
}

/** The `@restName` of a field or argument whose GraphQL name differs from its REST name. */
export function restNameDirective(name: string, rest: string, location?: string): string {
  const given = [
    ...(name === rest ? [] : [`name: ${JSON.stringify(rest)}`]),
    ...(location ? [`in: ${location.toUpperCase()}`] : []),
  ];
  return given.length === 0 ? "" : ` @restName(${given.join(", ")})`;
}

/** A description as SDL lines; no lines without a text. */
export function descriptionLines(text: unknown, indent: string): string[] {
  if (typeof text !== "string" || text.trim() === "") return [];
  return [`${indent}${JSON.stringify(text.trim().replaceAll(/\s+/g, " "))}`];
}
