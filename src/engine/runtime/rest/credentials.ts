/** The credentials of a request: the headers that the document's security schemes name, and no others. */
import type { IncomingHttpHeaders } from "node:http";
import { isNeverCredential } from "../../shared/never-credentials.ts";
import type { Operations } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";

/** Returns the names of all headers that may contain a credential of an operation, in lower case. */
export const credentialNames = (operations: Operations): string[] => [
  ...new Set(alternativesIn(operations).flat()),
];

/** Returns a function that extracts the credentials of a request. `prefix` is the prefix of the context headers. */
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
 * Normalizes the spelling of a credential, so that one credential is one caller: the case of its scheme and the spaces after the
 * scheme do not matter (RFC 9110 §11.1, §11.4).
 */
export const normalized = (name: string, value: string): string =>
  name === "authorization"
    ? value.replace(/^\S+ +/, (scheme) => `${scheme.trimEnd().toLowerCase()} `)
    : value;

/**
 * Normalizes Basic credentials, which have many spellings: servers accept them with or without padding, and may skip characters
 * that are not base64 (RFC 7617 §2).
 */
const canonical = (text: string): string =>
  text.startsWith("basic ") ? `basic ${Buffer.from(text.slice(6), "base64").toString("base64")}` : text;

/**
 * An owner that requests are charged to: a tenant, the holder of a credential, or an address. `name` is unique; for a credential,
 * it is derived from the header values. `headers`: the headers that form the credential; empty for a tenant or an address.
 */
export type Owner = { readonly name: string; readonly headers: readonly string[] };

/**
 * Returns a function that finds the owners of a request's credentials, in the order of the document. Each alternative of a
 * security requirement is a list of headers. If the request contains all headers of a list, their values identify an owner. A
 * list is ignored if it includes a shorter list that identifies an owner: where an operation requires only the shorter list, the
 * additional headers may have any value.
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

/** Whether the credentials contain all `headers`. */
export function hasAll(credentials: Readonly<Record<string, string>>, headers: readonly string[]): boolean {
  for (const name of headers) if (!Object.hasOwn(credentials, name)) return false;
  return true;
}

/** Whether `headers` includes all headers of `other`. */
export const includesAll = (headers: readonly string[], other: readonly string[]): boolean =>
  other.every((name) => headers.includes(name));

/**
 * Returns every list of headers that authenticates a caller for some operation. Lists with the same headers in another order
 * count once.
 */
function alternativesIn(operations: Operations): (readonly string[])[] {
  const lists = Object.values(operations).flatMap(({ credentials = [] }) => credentials);
  return [...new Map(lists.map((list) => [list.toSorted().join(), list])).values()];
}
