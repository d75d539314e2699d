/** The headers of a request that travel on to REST, and the owners that the request is charged to. */
import { hash } from "node:crypto";
import { canonicalHeader } from "../../shared/never-credentials.ts";
import type { Operation } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { proofHeader } from "../http/context-headers.ts";
import { hasAll, includesAll, normalized, type Owner } from "./credentials.ts";

type Headers = Readonly<Record<string, string>>;

/** The headers of every operation that a call may replace by its own. */
const ownOfCall: ReadonlySet<string> = new Set(["accept", "accept-language", "x-request-id"]);

const headersOfNoCaller = ["accept", "accept-language"];

const none: readonly Owner[] = [];

/** What the credentials and the context headers of a request decide. Requests that bring the same ones share it. */
export class CallerProfile {
  /** The headers that every operation receives, but for those that differ in each request. */
  readonly headers: Headers;
  /** The credential headers. An operation receives those that it takes. */
  readonly credentials: Headers;
  /** The tenant that the gateway vouches for, or the owners of the credentials. */
  readonly owners: readonly Owner[];
  /** A text that differs wherever REST can distinguish callers. It outlives a rotation of the gateway's proof. */
  readonly identity: string;
  /** The tenant that the gateway vouches for. */
  readonly tenant: string | undefined;
  /** Owners whose credentials REST has accepted. */
  readonly accepted = new Set<Owner>();

  constructor(headers: Headers, credentials: Headers, owners: readonly Owner[], tenant?: string) {
    this.headers = headers;
    this.credentials = credentials;
    this.owners = owners;
    this.tenant = tenant;
    this.identity = digestIfLong(textOf(headers) + textOf(credentials));
  }
}

/** Headers that operations of some products do not receive. */
type Withheld = { readonly names: readonly string[]; readonly products: ReadonlySet<string> };

export class CallerHeaders {
  readonly profile: CallerProfile;
  /** The headers that operations receive, whatever they declare. */
  readonly headers: Headers;
  /**
   * The owners of the shares of the process that the request takes: the tenant, the owners of its accepted credentials, or its
   * address.
   */
  owners: readonly Owner[];
  /** The owners of credentials that REST had not accepted before this request. */
  unknown: readonly Owner[] = none;
  /** Those of them whose credentials REST has accepted since. */
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
    return this.profile.tenant;
  }

  get credentials(): Headers {
    return this.profile.credentials;
  }

  get identity(): string {
    return this.profile.identity;
  }

  /** What no text for a client may repeat: the caller's credentials, what they are made of, and the gateway's proof. */
  get secrets(): readonly string[] {
    return partsOfSecrets([...Object.values(this.credentials), own(this.headers, proofHeader) ?? ""]);
  }

  /** Whether the request came with a credential that some operation takes. */
  get hasCredentials(): boolean {
    return Object.keys(this.credentials).length > 0;
  }

  /** The name of the first owner, which counts where there can be only one. */
  get caller(): string {
    return this.owners[0]?.name ?? "";
  }

  /** The names of the other owners. */
  get otherCallers(): readonly string[] | undefined {
    return this.owners.length > 1 ? this.owners.slice(1).map(({ name }) => name) : undefined;
  }

  /** The owner that REST knows the caller of an operation as. */
  ownerAt({ credentials = [] }: Operation): string {
    const known =
      this.owners.length > 1 &&
      this.owners.find((owner) => credentials.some((way) => includesAll(way, owner.way)));
    return known ? known.name : this.caller;
  }

  /**
   * Notes that an operation has succeeded. That proves a credential which the operation could not do without: it needs one,
   * and each way in that the request has in full includes it. Where REST may have read either of two, it proves neither.
   */
  succeeded({ credentials = [], anonymous }: Operation): void {
    if (this.unknown.length === 0 || anonymous) return;
    const met = credentials.filter((way) => hasAll(this.credentials, way));
    if (met.length === 0) return;
    const isProved = (owner: Owner): boolean => met.every((way) => includesAll(way, owner.way));
    this.accepted = this.unknown.filter((owner) => this.accepted.includes(owner) || isProved(owner));
  }

  /**
   * A copy of the headers that travel on to an operation, with the credentials that it takes and the headers of the call. A
   * client's argument may feed one of those, so none replaces what the gateway vouches for or a credential of the request, in
   * any spelling. Otherwise the success of the argument's credential would prove the request's. A public read carries nothing of
   * its caller but the language.
   */
  headersOf(operation: Operation, ofCall: Headers = {}): Dictionary<string> {
    const headers = operation.public ? this.#ofNoCaller : new Dictionary<string>(this.headers);
    const { credentials = [], places, product } = operation;
    if (this.#withheld?.products.has(product)) for (const name of this.#withheld.names) delete headers[name];
    if (places) this.#place(operation, headers);
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
      if (ownOfCall.has(name) || !fixed.has(canonicalHeader(name))) headers[name] = value;
    return headers;
  }

  get #ofNoCaller(): Dictionary<string> {
    const headers = new Dictionary<string>();
    for (const name of headersOfNoCaller) {
      const value = own(this.headers, name);
      if (value !== undefined) headers[name] = value;
    }
    return headers;
  }

  /** Leaves out the query parameters whose names credentials of the request have in the query: each name is sent once. */
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

  /** Adds the credentials of an operation that takes some of them elsewhere than in a header. */
  #place(operation: Operation, headers: Dictionary<string>): void {
    const cookies: string[] = [];
    for (const [name, value] of this.#credentialsOf(operation)) {
      const place = own(operation.places ?? {}, name);
      if (place === undefined) headers[name] = value;
      else if (place.in === "header") headers[place.name] = value;
      else if (place.in === "cookie" && cookieValue.test(value)) cookies.push(`${place.name}=${value}`);
    }
    if (cookies.length > 0) headers.cookie = cookies.join("; ");
  }

  /** The path of a call, with the credentials that REST takes in its query. Only the request itself may hold it. */
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
 * A credential, and its parts behind the scheme (RFC 9110 §11.4): the token, the values of parameters, and what Basic encodes
 * (RFC 7617 §2).
 */
function secretParts(value: string): string[] {
  const [, scheme = "", rest = ""] = /^(\S+)\s+(.+)$/.exec(value) ?? [];
  const parts = rest.split(/[\s,]+/).flatMap((part) => [part, part.replace(/^[^=]*="?|"$/g, "")]);
  const basic = scheme.toLowerCase() === "basic" ? Buffer.from(rest, "base64").toString() : "";
  return [value, rest, ...parts, basic, basic.replace(/^[^:]*:/, "")];
}

/** A shorter text may be a word of any sentence. */
const shortestSecret = 6;

/** The credentials and their parts that no text for a client may repeat. */
export const partsOfSecrets = (values: readonly string[]): readonly string[] =>
  [...new Set(values.flatMap(secretParts))].filter(({ length }) => length >= shortestSecret);

const mostCharacters = 1_024;

/**
 * Returns a short text as it is, and a long one as its digest: a credential may have 16 kB, good or not, and thousands
 * of callers are remembered. No other text has the form of a digest.
 */
export const digestIfLong = (text: string, most = mostCharacters): string =>
  text.length <= most ? text : `sha256 ${hash("sha256", text, "base64url")}\n`;

/** What a cookie can hold (RFC 6265 §4.1.1). REST refuses a call without its cookie. */
const cookieValue = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/** No value of a header has a line break, so different headers have different texts. */
function textOf(headers: Headers): string {
  let text = "";
  for (const name in headers)
    if (name !== proofHeader) text += `${name}: ${normalized(name, headers[name] ?? "")}\n`;
  return text;
}
