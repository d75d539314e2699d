/** The headers of a request that are forwarded to REST, and the owners that the request is charged to. */
import { hash } from "node:crypto";
import { canonicalHeader } from "../../shared/never-credentials.ts";
import type { Operation } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { proofHeader } from "../http/gateway-proof.ts";
import { hasAll, includesAll, normalized, type Owner } from "./credentials.ts";

type Headers = Readonly<Record<string, string>>;

/** Headers that are sent to every operation, and that a call may replace with its own values. */
const replaceableHeaders: ReadonlySet<string> = new Set(["accept", "accept-language", "x-request-id"]);

const publicReadHeaders = ["accept", "accept-language"];

const none: readonly Owner[] = [];

/** The properties of a caller that the gateway vouches for. */
type Vouched = { readonly tenant: string | undefined; readonly permissions: ReadonlySet<string> };
const unknownCaller: Vouched = { tenant: undefined, permissions: new Set() };

/**
 * Everything that is derived from the credentials and the context headers of a request. Requests with the same credentials and
 * context headers share a profile.
 */
export class CallerProfile {
  /** The headers that every operation receives, except those that differ in each request. */
  readonly headers: Headers;
  /** The credential headers. An operation receives those that it accepts. */
  readonly credentials: Headers;
  /** The tenant that the gateway vouches for, or the owners of the credentials. */
  readonly owners: readonly Owner[];
  /**
   * A string that differs for any two callers that REST can distinguish. It does not change when the gateway's proof is rotated.
   */
  readonly identity: string;
  readonly vouched: Vouched;
  /** Owners whose credentials REST has accepted. */
  readonly accepted = new Set<Owner>();

  constructor(headers: Headers, credentials: Headers, owners: readonly Owner[], vouched = unknownCaller) {
    this.headers = headers;
    this.credentials = credentials;
    this.owners = owners;
    this.vouched = vouched;
    this.identity = digestIfLong(textOf(headers) + textOf(credentials));
  }
}

/** Headers that operations of some products do not receive. */
type Withheld = { readonly names: readonly string[]; readonly products: ReadonlySet<string> };

export class CallerHeaders {
  readonly profile: CallerProfile;
  /** The headers that every operation receives, regardless of what the operation declares. */
  readonly headers: Headers;
  /**
   * The owners that the request is charged to: the tenant, the owners of its accepted credentials, or its address.
   */
  owners: readonly Owner[];
  /** The owners of credentials that REST had not accepted before this request. */
  unknown: readonly Owner[] = none;
  /** The `unknown` owners whose credentials REST has accepted during this request. */
  accepted: readonly Owner[] = none;

  readonly #withheld: Withheld | undefined;

  constructor(profile: CallerProfile, headers = profile.headers, withheld?: Withheld) {
    this.profile = profile;
    this.#withheld = withheld;
    this.headers = headers;
    this.owners = profile.owners;
  }

  /** The tenant that the gateway vouches for. */
  get tenant(): string | undefined {
    return this.profile.vouched.tenant;
  }

  /** The permissions that the gateway vouches for. */
  get permissions(): ReadonlySet<string> {
    return this.profile.vouched.permissions;
  }

  get credentials(): Headers {
    return this.profile.credentials;
  }

  get identity(): string {
    return this.profile.identity;
  }

  /** Strings that no message for a client may contain: the caller's credentials, their parts, and the gateway's proof. */
  get secrets(): readonly string[] {
    return partsOfSecrets([...Object.values(this.credentials), own(this.headers, proofHeader) ?? ""]);
  }

  /** Whether the request contains a credential that some operation accepts. */
  get hasCredentials(): boolean {
    return Object.keys(this.credentials).length > 0;
  }

  /** The name of the first owner, for code that supports only one owner. */
  get caller(): string {
    return this.owners[0]?.name ?? "";
  }

  /** The names of the other owners. */
  get otherCallers(): readonly string[] | undefined {
    return this.owners.length > 1 ? this.owners.slice(1).map(({ name }) => name) : undefined;
  }

  /** Returns the name of the owner whose credential the operation uses. */
  ownerFor({ credentials = [] }: Operation): string {
    const identified =
      this.owners.length > 1 &&
      this.owners.find((owner) => credentials.some((headers) => includesAll(headers, owner.headers)));
    return identified ? identified.name : this.caller;
  }

  /**
   * Records that an operation has succeeded. Of the alternatives in the operation's security requirements, the request may meet
   * several, and REST may have checked any of them. A credential is therefore proved to be valid only if all alternatives that
   * the request meets include it. An operation that also accepts anonymous requests proves nothing.
   */
  succeeded({ credentials = [], anonymous }: Operation): void {
    if (this.unknown.length === 0 || anonymous) return;
    const met = credentials.filter((headers) => hasAll(this.credentials, headers));
    if (met.length === 0) return;
    const isProved = (owner: Owner): boolean => met.every((headers) => includesAll(headers, owner.headers));
    this.accepted = this.unknown.filter((owner) => this.accepted.includes(owner) || isProved(owner));
  }

  /**
   * Returns a copy of the headers that are forwarded to an operation, with the credentials that it accepts and the headers of the
   * call. A header of the call may come from a client's argument, so it never replaces a header that the gateway vouches for or a
   * credential of the request, in any spelling. Otherwise a valid credential in the argument would prove an invalid one in the
   * request. The headers of a public read contain no data of its caller except the language.
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

  /** Removes the query parameters with the name of a credential that is sent in the query, so that each name is sent once. */
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

  /** Adds the credentials for an operation that expects some of them elsewhere than in the header of the same name. */
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

  /**
   * Returns the path of a call with the credentials that REST accepts in the query. This path must only be sent, and never be
   * logged or stored.
   */
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
 * Returns a credential and its parts after the scheme (RFC 9110 §11.4): the token, the values of parameters, and the user and
 * password that Basic encodes (RFC 7617 §2).
 */
function secretParts(value: string): string[] {
  const [, scheme = "", rest = ""] = /^(\S+)\s+(.+)$/.exec(value) ?? [];
  const parts = rest.split(/[\s,]+/).flatMap((part) => [part, part.replace(/^[^=]*="?|"$/g, "")]);
  const basic = scheme.toLowerCase() === "basic" ? Buffer.from(rest, "base64").toString() : "";
  return [value, rest, ...parts, basic, basic.replace(/^[^:]*:/, "")];
}

/** Shorter strings are not treated as secrets, because ordinary sentences may contain them. */
const shortestSecret = 6;

/** Returns the credentials and their parts that no message for a client may contain. */
export const partsOfSecrets = (values: readonly string[]): readonly string[] =>
  [...new Set(values.flatMap(secretParts))].filter(({ length }) => length >= shortestSecret);

const mostCharacters = 1_024;

/**
 * Returns a short string unchanged, and a digest of a long one: a credential may have 16 kB, valid or not, and thousands of
 * callers are remembered. A short string never has the form of a digest.
 */
export const digestIfLong = (text: string, most = mostCharacters): string =>
  text.length <= most ? text : `sha256 ${hash("sha256", text, "base64url")}\n`;

/**
 * The characters allowed in a cookie (RFC 6265 §4.1.1). A credential with other characters is not sent; REST then refuses the
 * call.
 */
const cookieValue = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/** Header values contain no line breaks, so different headers result in different strings. */
function textOf(headers: Headers): string {
  let text = "";
  for (const name in headers)
    if (name !== proofHeader) text += `${name}: ${normalized(name, headers[name] ?? "")}\n`;
  return text;
}
