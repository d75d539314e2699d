/** Determines the headers that are forwarded to REST, and the owners of credentials whose quotas a request uses. */
import { hash } from "node:crypto";
import { canonicalHeader } from "../../shared/never-credentials.ts";
import type { Operation } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { proofHeader } from "../http/gateway-proof.ts";
import { hasAll, includesAll, normalized, type Owner } from "./credentials.ts";

type Headers = Readonly<Record<string, string>>;

/** Headers of the client's request that an operation's header parameter may replace. */
const replaceableHeaders: ReadonlySet<string> = new Set(["accept", "accept-language", "x-request-id"]);

const publicReadHeaders = ["accept", "accept-language"];

const none: readonly Owner[] = [];

/** Facts about a caller that the gateway states. They are trusted only if the gateway's proof is valid. */
type Vouched = { readonly tenant: string | undefined; readonly permissions: ReadonlySet<string> };
const unknownCaller: Vouched = { tenant: undefined, permissions: new Set() };

/** Data derived from the credentials and the context headers. Requests with the same values share a profile. */
export class CallerProfile {
  /** Headers that all operations receive, except those that differ in each request, such as `x-request-id`. */
  readonly headers: Headers;
  /** All credentials of the request. Each operation receives only those that it accepts. */
  readonly credentials: Headers;
  /** The tenant if the gateway vouches for it, otherwise the owners of the credentials. */
  readonly owners: readonly Owner[];
  /** Differs between any two callers that REST can distinguish. Does not change when the gateway's proof is rotated. */
  readonly identity: string;
  readonly vouched: Vouched;
  /** Owners of credentials that REST has accepted before. */
  readonly accepted = new Set<Owner>();

  constructor(headers: Headers, credentials: Headers, owners: readonly Owner[], vouched = unknownCaller) {
    this.headers = headers;
    this.credentials = credentials;
    this.owners = owners;
    this.vouched = vouched;
    this.identity = digestIfLong(textOf(headers) + textOf(credentials));
  }
}

/** `names` are headers that the operations of `products` do not receive. */
type Withheld = { readonly names: readonly string[]; readonly products: ReadonlySet<string> };

export class CallerHeaders {
  readonly profile: CallerProfile;
  /** Headers that all operations receive. */
  readonly headers: Headers;
  /** To whom the request is charged: the tenant, the owners of credentials that REST has accepted, or the client's address. */
  owners: readonly Owner[];
  /** Owners of credentials that REST had not accepted before this request. */
  unknown: readonly Owner[] = none;
  /** The `unknown` owners whose credential REST accepted during this request. */
  accepted: readonly Owner[] = none;

  readonly #withheld: Withheld | undefined;

  constructor(profile: CallerProfile, headers = profile.headers, withheld?: Withheld) {
    this.profile = profile;
    this.#withheld = withheld;
    this.headers = headers;
    this.owners = profile.owners;
  }

  /** The tenant, if the gateway vouches for it. */
  get tenant(): string | undefined {
    return this.profile.vouched.tenant;
  }

  get permissions(): ReadonlySet<string> {
    return this.profile.vouched.permissions;
  }

  get credentials(): Headers {
    return this.profile.credentials;
  }

  get identity(): string {
    return this.profile.identity;
  }

  /** Strings that must not appear in messages for clients: the caller's credentials, their parts, and the gateway's proof. */
  get secrets(): readonly string[] {
    return partsOfSecrets([...Object.values(this.credentials), own(this.headers, proofHeader) ?? ""]);
  }

  get hasCredentials(): boolean {
    return Object.keys(this.credentials).length > 0;
  }

  /** The name of the first owner, for code that supports only one. */
  get caller(): string {
    return this.owners[0]?.name ?? "";
  }

  get otherCallers(): readonly string[] | undefined {
    return this.owners.length > 1 ? this.owners.slice(1).map(({ name }) => name) : undefined;
  }

  ownerFor({ credentials = [] }: Operation): string {
    const identified =
      this.owners.length > 1 &&
      this.owners.find((owner) => credentials.some((headers) => includesAll(headers, owner.headers)));
    return identified ? identified.name : this.caller;
  }

  /**
   * Records the owners whose credentials are valid because an operation has succeeded. If the request meets several alternative
   * security requirements, REST may have checked any of them. So a credential counts as valid only if each of these alternatives
   * includes it. An operation that accepts anonymous requests proves nothing.
   */
  succeeded({ credentials = [], anonymous }: Operation): void {
    if (this.unknown.length === 0 || anonymous) return;
    const met = credentials.filter((headers) => hasAll(this.credentials, headers));
    if (met.length === 0) return;
    const isProved = (owner: Owner): boolean => met.every((headers) => includesAll(headers, owner.headers));
    this.accepted = this.unknown.filter((owner) => this.accepted.includes(owner) || isProved(owner));
  }

  /**
   * Returns the headers of a call: those for all operations, the credentials that the operation accepts, and the header
   * parameters `ofCall`. A public operation receives no data of the caller except the language.
   *
   * A header parameter may come from a client's argument, so it never replaces a credential or a header that the gateway vouches
   * for, in any spelling. Otherwise a client could pass a valid credential as an argument, and the call's success would seem to
   * prove the invalid one in its headers.
   */
  headersOf(operation: Operation, ofCall: Headers = {}): Dictionary<string> {
    const headers = operation.public ? this.#headersOfPublicRead : new Dictionary<string>(this.headers);
    const { credentials = [], places, product } = operation;
    if (this.#withheld?.products.has(product)) for (const name of this.#withheld.names) delete headers[name];
    if (places) this.#addCredentials(operation, headers);
    else
      for (const way of credentials)
        for (const name of way) {
          const value = own(this.credentials, name);
          if (value !== undefined) headers[name] = value;
        }
    const added = Object.entries(ofCall);
    if (added.length === 0) return headers;
    const fixed = new Set(Object.keys({ ...this.headers, ...headers }).map(canonicalHeader));
    for (const [name, value] of added)
      if (replaceableHeaders.has(name) || !fixed.has(canonicalHeader(name))) headers[name] = value;
    return headers;
  }

  get #headersOfPublicRead(): Dictionary<string> {
    const headers = new Dictionary<string>();
    for (const name of publicReadHeaders) {
      const value = own(this.headers, name);
      if (value !== undefined) headers[name] = value;
    }
    return headers;
  }

  /** Removes query parameters that have the name of a credential, because `pathOf` adds the credential under this name. */
  queryOf<Query extends Readonly<Record<string, unknown>>>(
    { places, credentials }: Operation,
    query: Query,
  ): Query {
    if (places === undefined) return query;
    const placed = this.#credentialsOf({ credentials }).flatMap(([name]) => {
      const place = own(places, name);
      return place?.in === "query" ? [place.name] : [];
    });
    if (!placed.some((name) => Object.hasOwn(query, name))) return query;
    return Object.fromEntries(Object.entries(query).filter(([name]) => !placed.includes(name))) as Query;
  }

  /** Adds the credentials, for an operation that expects some in a cookie or in another header (`places`). */
  #addCredentials(operation: Operation, headers: Dictionary<string>): void {
    const cookies: string[] = [];
    for (const [name, value] of this.#credentialsOf(operation)) {
      const place = own(operation.places ?? {}, name);
      if (place === undefined) headers[name] = value;
      else if (place.in === "header") headers[place.name] = value;
      else if (place.in === "cookie" && cookieValue.test(value)) cookies.push(`${place.name}=${value}`);
    }
    if (cookies.length > 0) headers.cookie = cookies.join("; ");
  }

  /** Returns the path with the credentials that REST expects in the query. The result must not be logged or stored. */
  pathOf(operation: Operation, path: string): string {
    if (operation.places === undefined) return path;
    let whole = path;
    for (const [name, value] of this.#credentialsOf(operation)) {
      const place = own(operation.places, name);
      if (place?.in !== "query") continue;
      whole += `${whole.includes("?") ? "&" : "?"}${encodeURIComponent(place.name)}=${encodeURIComponent(value)}`;
    }
    return whole;
  }

  #credentialsOf({ credentials }: Pick<Operation, "credentials">): [name: string, value: string][] {
    return [...new Set(credentials?.flat())].flatMap((name) => {
      const value = own(this.credentials, name);
      return value === undefined ? [] : [[name, value]];
    });
  }
}

/**
 * Returns a credential header and the secrets in it (RFC 9110 §11.4): the token, the values of parameters, and the user and
 * password of Basic (RFC 7617 §2).
 */
function secretParts(value: string): string[] {
  const [, scheme = "", rest = ""] = /^(\S+)\s+(.+)$/.exec(value) ?? [];
  const parts = rest.split(/[\s,]+/).flatMap((part) => [part, part.replace(/^[^=]*="?|"$/g, "")]);
  const basic = scheme.toLowerCase() === "basic" ? Buffer.from(rest, "base64").toString() : "";
  return [value, rest, ...parts, basic, basic.replace(/^[^:]*:/, "")];
}

/** Minimum length of a secret. Shorter strings do not count as secrets, because ordinary sentences may contain them. */
const shortestSecret = 6;

export const partsOfSecrets = (values: readonly string[]): readonly string[] =>
  [...new Set(values.flatMap(secretParts))].filter(({ length }) => length >= shortestSecret);

const mostCharacters = 1_024;

/**
 * Returns the SHA-256 digest of a long string: a credential may have 16 kB, and thousands of callers are remembered. No short
 * string can equal a digest.
 */
export const digestIfLong = (text: string, most = mostCharacters): string =>
  text.length <= most ? text : `sha256 ${hash("sha256", text, "base64url")}\n`;

/**
 * The value of a cookie (RFC 6265 §4.1.1). A credential with other characters is not sent in a cookie, so REST refuses the call.
 */
const cookieValue = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/** Different headers result in different strings, because header values contain no line breaks. */
function textOf(headers: Headers): string {
  let text = "";
  for (const name in headers)
    if (name !== proofHeader) text += `${name}: ${normalized(name, headers[name] ?? "")}\n`;
  return text;
}
