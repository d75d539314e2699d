/** Finds the credentials of a request: the headers that the OpenAPI document's security schemes name. */
import type { IncomingHttpHeaders } from "node:http";
import { isNeverCredential } from "../../shared/never-credentials.ts";
import type { Operations } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";

/** Returns the lower-case names of all headers that may contain a credential. */
export const credentialNames = (operations: Operations): string[] => [
  ...new Set(alternativesIn(operations).flat()),
];

/** Creates a function that returns the credential headers of a request. `prefix` is the prefix of the context headers. */
export function credentialReader(
  operations: Operations,
  prefix: string,
): (headers: IncomingHttpHeaders) => Readonly<Record<string, string>> {
  const isExcluded = (name: string): boolean => isNeverCredential(name, prefix);
  const misplaced = new Set(
    Object.values(operations).flatMap(({ places = {} }) =>
      Object.entries(places).flatMap(([name, place]) =>
        place.in === "header" && isExcluded(place.name) ? [name] : [],
      ),
    ),
  );
  const names = credentialNames(operations).filter((name) => !isExcluded(name) && !misplaced.has(name));
  return (headers) => {
    const found = new Dictionary<string>();
    for (const name of names) {
      const value = own(headers, name);
      if (typeof value === "string") found[name] = value;
    }
    return found;
  };
}

/**
 * Normalizes the case of the scheme and the spaces after it (RFC 9110 §11.1, §11.4), so that all spellings identify one caller.
 */
export const normalized = (name: string, value: string): string =>
  name === "authorization"
    ? value.replace(/^\S+ +/, (scheme) => `${scheme.trimEnd().toLowerCase()} `)
    : value;

/** Normalizes the base64 of Basic credentials (RFC 7617 §2), because servers ignore padding and may skip invalid characters. */
const canonical = (text: string): string =>
  text.startsWith("basic ") ? `basic ${Buffer.from(text.slice(6), "base64").toString("base64")}` : text;

/**
 * Requests are charged to an owner: a tenant, the holder of a credential, or a client address. `name` is unique; for a
 * credential, it contains the header values. `headers` are the header names; empty for a tenant or an address.
 */
export type Owner = { readonly name: string; readonly headers: readonly string[] };

/**
 * Creates a function that finds the owners of a request's credentials. Each alternative of a security requirement is a list of
 * headers, and the values of these headers identify an owner. Of two alternatives `[a]` and `[a, b]`, only `[a]` is used, because
 * an operation that requires only `a` accepts any value of `b`.
 */
export function ownersOf(
  operations: Operations,
): (credentials: Readonly<Record<string, string>>) => readonly Owner[] {
  const alternatives = alternativesIn(operations);
  const inAuthorization = new Set(["authorization"]);
  for (const { places = {} } of Object.values(operations))
    for (const [name, place] of Object.entries(places))
      if (place.in === "header" && place.name === "authorization") inAuthorization.add(name);
  const textOf = (name: string, value = ""): string =>
    inAuthorization.has(name) ? canonical(normalized("authorization", value)) : value;
  return (credentials) => {
    const met = alternatives.filter((headers) => hasAll(credentials, headers));
    const minimal =
      met.length > 1
        ? met.filter((headers) => !met.some((other) => other !== headers && includesAll(headers, other)))
        : met;
    return minimal.map((headers) => {
      const name = headers
        .map((header) => `${header}: ${textOf(header, own(credentials, header))}`)
        .join("\n");
      return { name, headers };
    });
  };
}

export function hasAll(credentials: Readonly<Record<string, string>>, headers: readonly string[]): boolean {
  for (const name of headers) if (!Object.hasOwn(credentials, name)) return false;
  return true;
}

export const includesAll = (headers: readonly string[], other: readonly string[]): boolean =>
  other.every((name) => headers.includes(name));

/** Returns the header lists of all security requirements. Lists with the same headers in another order are duplicates. */
function alternativesIn(operations: Operations): (readonly string[])[] {
  const lists = Object.values(operations).flatMap(({ credentials = [] }) => credentials);
  return [...new Map(lists.map((list) => [list.toSorted().join(), list])).values()];
}
