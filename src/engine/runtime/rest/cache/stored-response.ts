/**
 * A cached REST response. REST's headers decide about caching (RFC 9111). No heuristic lifetime is used (§4.2.2), so a response
 * with neither a lifetime nor a validator is not stored. The response of a public operation is cached for all callers if REST
 * sends `public` or `s-maxage`; every other response is cached for its caller. Supports `stale-while-revalidate` and
 * `stale-if-error` (RFC 5861). All times are on the monotonic clock.
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

/** Maximum lifetime in seconds. Caches need not support a longer one (RFC 9111 §1.2.2). */
const mostSeconds = 2 ** 31;

/** Estimated bytes of a stored response besides its value and its headers. */
const overhead = 2_000;
const bytesPerHeader = 64;

/** Headers with a new value in each request: the request id and the trace (W3C Trace Context). */
const perRequestHeaders: ReadonlySet<string> = new Set(["x-request-id", "traceparent", "tracestate"]);

export class StoredResponse {
  readonly response: RestResponse;
  /** Whether all callers share the response, so that the rules for shared caches apply. */
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
    // GraphQL responses are cached per caller, so their lifetime follows the rules for private caches
    response.freshUntil = this.isForAll ? freshUntil(this.#policyOf(false)) : this.#freshUntil;
  }

  #policyOf(shared: boolean): Policy {
    const { status } = this.response;
    return new Policy(this.#request, { status, headers: this.#headers }, { ...options, shared });
  }

  /**
   * Returns `undefined` if REST forbids storing the response, or if it could never be reused. With `forValidator`, a response is
   * also stored if it has a validator but no lifetime.
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

  /** Estimated bytes of memory. Parses the body, so that all readers share the parsed value. */
  get size(): number {
    this.#valueBytes ??= this.response.valueBytes;
    this.response.parse();
    const headers = headerBytes(this.response.rawHeaders) + headerBytes(this.#request.headers);
    return this.#valueBytes + headers + overhead;
  }

  /** Returns a copy of the response for a reader, with its current age. */
  cached(): RestResponse {
    const copy = this.response.copy("cached");
    copy.ageSeconds = this.#policy.age();
    return copy;
  }

  /** False after a 304 with `no-store`: only the reader that caused the revalidation gets the response. */
  get isStorable(): boolean {
    return this.#policy.storable();
  }

  get hasLifetime(): boolean {
    return this.#policy.timeToLive() > 0;
  }

  get isFresh(): boolean {
    return this.#freshUntil > performance.now();
  }

  /** Whether `stale-while-revalidate` permits serving the stale response now. */
  get servesWhileRevalidating(): boolean {
    return this.#policy.evaluateRequest(this.#request).revalidation?.synchronous === false;
  }

  /** Whether `stale-if-error` permits serving the stale response now. */
  get servesOnFailure(): boolean {
    return !this.#policy.revalidatedPolicy(this.#request, { status: 503, headers: {} }).modified;
  }

  get isConditional(): boolean {
    return Object.keys(this.validators).length > 0;
  }

  /** The headers of a conditional request (RFC 9110 §13.1). */
  get validators(): Headers {
    const { etag, "last-modified": date } = this.#headers;
    if (etag !== undefined) return { "if-none-match": etag };
    return date === undefined ? {} : { "if-modified-since": date };
  }

  /**
   * Returns the response with the headers of a 304 (RFC 9111 §3.2). Ignores a 304 with another `ETag`, because it validates
   * another body (§4.3.4).
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

/** Whether REST permits sharing the response of a public operation (RFC 9111 §5.2.2.9, §5.2.2.10). */
export function isForAll(operation: Operation, { rawHeaders }: RestResponse): boolean {
  if (!operation.public) return false;
  const directives = directivesOf(controlOf(rawHeaders));
  return !directives.has("private") && (directives.has("public") || directives.has("s-maxage"));
}

/** Estimates the bytes of headers: a stored response keeps request headers for `Vary` and response headers for `Link`. */
function headerBytes(headers: RawHeaders | Headers): number {
  let bytes = 0;
  for (const name in headers) bytes += bytesPerHeader + name.length + String(headers[name]).length;
  return bytes;
}

/** `W/"a"` → `"a"` */
const opaqueTag = (tag = ""): string => tag.replace(/^W\//, "");

/** Returns the value of `Cache-Control` in lower case. */
function controlOf(raw: RawHeaders): string {
  const given = raw["cache-control"];
  if (given === undefined) return "";
  return (typeof given === "string" ? given : given.join(", ")).toLowerCase();
}

const validatorOf = (raw: RawHeaders): RawHeaders[string] => raw.etag ?? raw["last-modified"];

/** A quick check whether REST may permit storing the response: a 200 with caching headers and without `no-store`. */
export function mayBeStored({ status, rawHeaders: raw }: RestResponse): boolean {
  const control = controlOf(raw);
  if (status !== 200 || control.includes("no-store")) return false;
  return control !== "" || (validatorOf(raw) ?? raw.expires) !== undefined;
}

/** Whether the headers may declare a lifetime or, with `forValidator`, contain a validator. */
const isWorthStoring = (raw: RawHeaders, forValidator: boolean): boolean =>
  ((forValidator ? validatorOf(raw) : undefined) ?? raw.expires) !== undefined ||
  /max-?age/.test(controlOf(raw));

/** Headers that describe the stored body. A 304 has no body, so it cannot change these headers. */
const bodyHeaders = ["content-encoding", "content-length", "content-md5", "content-range"] as const;

const cachingHeaders = ["age", "cache-control", "date", "etag", "expires", "last-modified", "vary"] as const;

/**
 * Returns the caching headers in the form that `http-cache-semantics` needs. The first value of a repeated header or directive is
 * used, and a malformed age or lifetime makes the response stale (RFC 9111 §4.2.1, §5.1). Otherwise the library would use the
 * last value, refuse to serve fresh responses with `must-revalidate` or `proxy-revalidate`, and serve stale responses with
 * `no-cache`.
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
  "max-age",
  "s-maxage",
  "stale-while-revalidate",
  "stale-if-error",
]);

const revalidates: ReadonlySet<string> = new Set(["must-revalidate", "proxy-revalidate"]);

/** Directives that forbid serving a stale response. Shared caches have two more (RFC 9111 §5.2.2.8, §5.2.2.10). */
const strict = ["must-revalidate", "no-cache"];
const strictForAll = [...strict, "proxy-revalidate", "s-maxage"];
const directive = /([^\s=,"]+)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^,]*)))?/g;

/** Parses `Cache-Control` (RFC 9111 §5.2). The first occurrence of a directive is used. */
function directivesOf(control: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const [, name = "", quoted, token = ""] of control.matchAll(directive))
    if (!directives.has(name)) directives.set(name, quoted ?? token.trim());
  return directives;
}

/** Whether the response cannot be reused: `Vary` is `*` or names a header that differs in each request. */
const variesByRequest = ({ vary = "" }: Headers): boolean =>
  vary.split(",").some((name) => name.trim() === "*" || perRequestHeaders.has(name.trim().toLowerCase()));
