/** The credentials of a request: the headers that the document's security schemes name, and no others. */
import type { IncomingHttpHeaders } from "node:http";
import { isNeverCredential } from "../../shared/never-credentials.ts";
import type { Operations } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";

/** Every header that carries a credential of an operation, in lower case. */
export const credentialNames = (operations: Operations): string[] => [...new Set(waysIn(operations).flat())];

/** Finds the credentials of a request. `prefix` is the prefix of the context headers. */
export function credentialReader(
  operations: Operations,
  prefix: string,
): (headers: IncomingHttpHeaders) => Readonly<Record<string, string>> {
  const isNone = (name: string): boolean => isNeverCredential(name, prefix);
  const misplaced = new Set(
    Object.values(operations).flatMap(({ places = {} }) =>
      Object.entries(places).flatMap(([name, place]) =>
        place.in === "header" && isNone(place.name) ? [name] : [],
      ),
    ),
  );
  const names = credentialNames(operations).filter((name) => !isNone(name) && !misplaced.has(name));
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
 * A credential without its spellings: the case of its scheme and the spaces after it do not matter (RFC 9110 §11.1, §11.4). So
 * one credential is one caller.
 */
export const normalized = (name: string, value: string): string =>
  name === "authorization"
    ? value.replace(/^\S+ +/, (scheme) => `${scheme.trimEnd().toLowerCase()} `)
    : value;

/** Servers read Basic with or without padding, and may skip what is not base64: one credential has many texts (RFC 7617 §2). */
const canonical = (text: string): string =>
  text.startsWith("basic ") ? `basic ${Buffer.from(text.slice(6), "base64").toString("base64")}` : text;

/** The holder of a credential: the headers that the credential is made of, and a name for their values. */
export type Owner = { readonly name: string; readonly way: readonly string[] };

/**
 * Finds the owners of a request's credentials, in the order of the document. Each way in is a list of headers. An owner is
 * known by the values of a list that the request has in full. A list that includes another one makes no owner: what it has
 * beside the other list may be any text where an operation needs the other list only.
 */
export function ownersOf(
  operations: Operations,
): (credentials: Readonly<Record<string, string>>) => readonly Owner[] {
  const ways = waysIn(operations);
  const inAuthorization = new Set(["authorization"]);
  for (const { places = {} } of Object.values(operations))
    for (const [name, place] of Object.entries(places))
      if (place.in === "header" && place.name === "authorization") inAuthorization.add(name);
  const textOf = (name: string, value = ""): string =>
    inAuthorization.has(name) ? canonical(normalized("authorization", value)) : value;
  return (credentials) => {
    const met = ways.filter((way) => hasAll(credentials, way));
    const least =
      met.length > 1
        ? met.filter((way) => !met.some((other) => other !== way && includesAll(way, other)))
        : met;
    return least.map((way) => {
      const name = way.map((header) => `${header}: ${textOf(header, own(credentials, header))}`).join("\n");
      return { name, way };
    });
  };
}

/** Whether the credentials are enough for a way in. */
export function hasAll(credentials: Readonly<Record<string, string>>, way: readonly string[]): boolean {
  for (const name of way) if (!Object.hasOwn(credentials, name)) return false;
  return true;
}

/** Whether `way` takes all headers of `other`. */
export const includesAll = (way: readonly string[], other: readonly string[]): boolean =>
  other.every((name) => way.includes(name));

/** Every list of headers that lets a caller in somewhere, once, in whatever order the document names them. */
function waysIn(operations: Operations): (readonly string[])[] {
  const lists = Object.values(operations).flatMap(({ credentials = [] }) => credentials);
  return [...new Map(lists.map((list) => [list.toSorted().join(), list])).values()];
}
