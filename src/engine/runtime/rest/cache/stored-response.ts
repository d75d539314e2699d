/**
 * A cached REST response. The rules of HTTP caching apply (RFC 9111), and only REST's headers decide. The response to a public
 * read is cached for all callers if REST sends `public` or `s-maxage`; any other response only for its caller. A response with
 * neither a lifetime nor a validator is not stored, and no heuristic lifetime is used (RFC 9111 §4.2.2). `stale-while-revalidate`
 * and `stale-if-error` (RFC 5861) are supported. All times are on the monotonic clock.
 */
import CachePolicy from "http-cache-semantics";
import type { Operation } from "../../../shared/operation.ts";
import { neverStored, type RawHeaders, type RestResponse } from "../rest-response.ts";
import type { CallRequest } from "../upstream/call-request.ts";

type Headers = Record<string, string>;

class Policy extends CachePolicy {
  now(): number {
    return performance.timeOrigin + performance.now();
  }
}

const options = { cacheHeuristic: 0, immutableMinTimeToLive: 0 };

/** The longest lifetime that caches have to support (RFC 9111 §1.2.2). */
const mostSeconds = 2 ** 31;

/** Bytes of a stored response in addition to its value and its headers. */
const overhead = 2_000;
const bytesPerHeader = 64;

/** Headers that differ in each request of a caller: the request's id, and its trace (W3C Trace Context). */
const perRequestHeaders: ReadonlySet<string> = new Set(["x-request-id", "traceparent", "tracestate"]);

export class StoredResponse {
  readonly response: RestResponse;
  /** Whether the response is cached for all callers, so that the rules for shared caches apply. */
  readonly isForAll: boolean;
  readonly #freshUntil: number;
  #valueBytes: number | undefined;
  readonly #policy: CachePolicy;
  readonly #request: { readonly url: string; readonly headers: Headers };
  readonly #headers: Headers;

  private constructor(response: RestResponse, request: CallRequest, headers: Headers) {
    this.response = response;
    this.#headers = headers;
    this.#request = {
      url: request.path,
      headers: request.scope.forwarded.headersOf(request.operation, request.headers),
    };
    this.isForAll = isForAll(request.operation, response);
    this.#policy = this.#policyOf(this.isForAll);
    this.#freshUntil = freshUntil(this.#policy);
    // a GraphQL response that is built from it is stored in the caller's private cache
    response.freshUntil = this.isForAll ? freshUntil(this.#policyOf(false)) : this.#freshUntil;
  }

  #policyOf(shared: boolean): Policy {
    const { status } = this.response;
    return new Policy(this.#request, { status, headers: this.#headers }, { ...options, shared });
  }

  /**
   * Returns `undefined` if REST does not permit storing the response, or if it could never be reused. `forValidator`: whether a
   * validator alone is a sufficient reason to store it.
   */
  static of(request: CallRequest, response: RestResponse, forValidator: boolean): StoredResponse | undefined {
    const { rawHeaders } = response;
    if (!isWorthStoring(rawHeaders, forValidator)) return undefined;
    const headers = cacheHeaders(rawHeaders, request.operation.public);
    if (variesByRequest(headers)) return undefined;
    const stored = new StoredResponse(response, request, headers);
    const isUsable = stored.hasLifetime || (forValidator && stored.isConditional);
    return isUsable ? stored : undefined;
  }

  /** Approximate bytes of memory. Parses the value, because readers share it. */
  get size(): number {
    this.#valueBytes ??= this.response.valueBytes;
    this.response.parse();
    const headers = headerBytes(this.response.rawHeaders) + headerBytes(this.#request.headers);
    return this.#valueBytes + headers + overhead;
  }

  /** Returns a copy of the response for a reader, with its age, since it was not fetched for this reader. */
  cached(): RestResponse {
    const copy = this.response.copy("cached");
    copy.ageSeconds = this.#policy.age();
    return copy;
  }

  /** False after a 304 with `no-store`: its reader still gets the response, but no later reader does. */
  get isStorable(): boolean {
    return this.#policy.storable();
  }

  /** Whether REST declares a lifetime, in which the response may be reused without a call. */
  get hasLifetime(): boolean {
    return this.#policy.timeToLive() > 0;
  }

  get isFresh(): boolean {
    return this.#freshUntil > performance.now();
  }

  /** Whether readers may get the stale response while a call revalidates it. */
  get servesWhileRevalidating(): boolean {
    return this.#policy.evaluateRequest(this.#request).revalidation?.synchronous === false;
  }

  /** Whether readers may get the stale response instead of a failure of the upstream. */
  get servesOnFailure(): boolean {
    return !this.#policy.revalidatedPolicy(this.#request, { status: 503, headers: {} }).modified;
  }

  /** Whether a call that revalidates the response is conditional. */
  get isConditional(): boolean {
    return Object.keys(this.validators).length > 0;
  }

  /** The headers of a conditional call (RFC 9110 §13.1). */
  get validators(): Headers {
    const { etag, "last-modified": date } = this.#headers;
    if (etag !== undefined) return { "if-none-match": etag };
    return date === undefined ? {} : { "if-modified-since": date };
  }

  /**
   * Returns the response with the headers of a 304 (RFC 9111 §3.2). A 304 with a different `ETag` refers to a different body and
   * is ignored (§4.3.4), so that no body gets the validator of another body.
   */
  revalidated(request: CallRequest, { rawHeaders }: RestResponse): StoredResponse {
    const newHeaders = cacheHeaders(rawHeaders, request.operation.public);
    if (newHeaders.etag !== undefined && opaqueTag(newHeaders.etag) !== opaqueTag(this.#headers.etag))
      return this;
    const merged = { ...this.response.rawHeaders, ...rawHeaders };
    for (const name of bodyHeaders) merged[name] = this.response.rawHeaders[name];
    const headers = { ...this.#headers, age: String(rawHeaders.age ?? 0), ...newHeaders };
    const next = new StoredResponse(this.response.copy("revalidated", merged), request, headers);
    next.#valueBytes = this.#valueBytes;
    return next;
  }
}

const freshUntil = (policy: CachePolicy): number =>
  policy.storable()
    ? performance.now() + (Math.min(policy.maxAge(), mostSeconds) - policy.age()) * 1_000
    : neverStored;

/** Whether the response is the same for all callers, and REST permits caching it for all (RFC 9111 §5.2.2.9, §5.2.2.10). */
export function isForAll(operation: Operation, { rawHeaders }: RestResponse): boolean {
  if (!operation.public) return false;
  const directives = directivesOf(controlOf(rawHeaders));
  return !directives.has("private") && (directives.has("public") || directives.has("s-maxage"));
}

/** Returns the bytes of headers. The request's headers are stored for `Vary`, and the response's for `Link`. */
function headerBytes(headers: RawHeaders | Headers): number {
  let bytes = 0;
  for (const name in headers) bytes += bytesPerHeader + name.length + String(headers[name]).length;
  return bytes;
}

/** Returns an entity tag without the prefix of a weak tag. */
const opaqueTag = (tag = ""): string => tag.replace(/^W\//, "");

/** The directives of `Cache-Control`, in lower case. */
function controlOf(raw: RawHeaders): string {
  const given = raw["cache-control"];
  if (given === undefined) return "";
  return (typeof given === "string" ? given : given.join(", ")).toLowerCase();
}

const validatorOf = (raw: RawHeaders): RawHeaders[string] => raw.etag ?? raw["last-modified"];

/** Whether REST may permit storing the response: its status is 200, and it has headers about caching, but no `no-store`. */
export function mayBeStored({ status, rawHeaders: raw }: RestResponse): boolean {
  const control = controlOf(raw);
  if (status !== 200 || control.includes("no-store")) return false;
  return control !== "" || (validatorOf(raw) ?? raw.expires) !== undefined;
}

/** Whether the response has a lifetime or, with `forValidator`, a validator. */
const isWorthStoring = (raw: RawHeaders, forValidator: boolean): boolean =>
  ((forValidator ? validatorOf(raw) : undefined) ?? raw.expires) !== undefined ||
  /max-?age/.test(controlOf(raw));

/** Headers that describe a body as it was sent. A 304, which has no body, cannot change them. */
const bodyHeaders = ["content-encoding", "content-length", "content-md5", "content-range"] as const;

const cachingHeaders = ["age", "cache-control", "date", "etag", "expires", "last-modified", "vary"] as const;

/**
 * Returns the headers that control caching, prepared for the library. The first of several values of a field or directive counts,
 * and a malformed age or lifetime makes the response stale (RFC 9111 §4.2.1, §5.1). The library expects directives in lower case,
 * would use the last of several, would refuse a fresh response with `must-revalidate` or `proxy-revalidate`, and would serve a
 * stale one with `no-cache`.
 */
function cacheHeaders(raw: RawHeaders, isOfPublicRead = false): Headers {
  const headers: Headers = {};
  for (const name of cachingHeaders) {
    const value = raw[name];
    if (value === undefined) continue;
    const isDate = name === "expires" || name === "date"; // a date contains a comma
    headers[name] = isDate ? ([value].flat()[0] ?? "") : [value].flat().join(", ");
  }
  if (headers.age !== undefined) {
    const [first = ""] = headers.age.split(",");
    headers.age = seconds.test(first.trim()) ? first.trim() : String(mostSeconds);
  }
  if (raw["cache-control"] === undefined) return headers;
  const directives = directivesOf(controlOf(raw));
  const isStrict = (isOfPublicRead ? strictForAll : strict).some((name) => directives.has(name));
  headers["cache-control"] = [...directives]
    .filter(([name]) => !revalidates.has(name) && !(isStrict && name.startsWith("stale-")))
    .map(([name, argument]) =>
      lifetimes.has(name) ? `${name}=${seconds.test(argument) ? argument : 0}` : name,
    )
    .join(", ");
  return headers;
}

const seconds = /^\d+$/;
const lifetimes: ReadonlySet<string> = new Set([
  ...["max-age", "s-maxage"],
  ...["stale-while-revalidate", "stale-if-error"],
]);

const revalidates: ReadonlySet<string> = new Set(["must-revalidate", "proxy-revalidate"]);

/** Directives that forbid using a stale response. In shared caches, `s-maxage` forbids it too (RFC 9111 §5.2.2.10). */
const strict = ["must-revalidate", "no-cache"];
const strictForAll = [...strict, "proxy-revalidate", "s-maxage"];
const directive = /([^\s=,"]+)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^,]*)))?/g;

/** Returns the directives with their arguments (RFC 9111 §5.2); the first occurrence of each counts. */
function directivesOf(control: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const [, name = "", quoted, token = ""] of control.matchAll(directive))
    if (!directives.has(name)) directives.set(name, quoted ?? token.trim());
  return directives;
}

/**
 * Whether the response varies by a header that differs in each request, or by everything (`*`). Such a response is useless for
 * any other request.
 */
const variesByRequest = ({ vary = "" }: Headers): boolean =>
  vary.split(",").some((name) => name.trim() === "*" || perRequestHeaders.has(name.trim().toLowerCase()));
