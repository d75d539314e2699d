/**
 * Answers each read from the first available source: a response that the same request already has, a fresh stored response, the
 * call of an identical read in flight, or a new call.
 */
import { hash } from "node:crypto";
import type { CodedError } from "../../coded-error.ts";
import type { RequestScope } from "../request-scope.ts";
import { RestResponse } from "../rest-response.ts";
import type { CallRequest } from "../upstream/call-request.ts";
import type { CallerCache } from "./caller-cache.ts";
import { CallerKey } from "./caller-cache.ts";
import { SharedReads } from "./shared-reads.ts";
import { isForAll, mayBeStored, StoredResponse } from "./stored-response.ts";
import { ValidatorBackoff } from "./validator-backoff.ts";

type Stored = StoredResponse | undefined;

type Keys = {
  readonly own: CallerKey;
  /** The key of a response that all callers share. The key is set only if the operation is public. */
  readonly forAll: CallerKey | undefined;
  /** Reads with the same `waiting` key share one call. */
  readonly waiting: CallerKey;
};

type BegunRead = { readonly keys: Keys; readonly stored: Stored; readonly beganAt: number };

export type Outcome = RestResponse | CodedError;

export type ReadCall = {
  /** Headers of a conditional request, such as `if-none-match`. */
  readonly validators: Readonly<Record<string, string>> | undefined;
  /** Called with the outcome of the call. Returns the outcome that the readers get, which may be a stored response. */
  readonly end: (outcome: Outcome) => Outcome;
};

/** Makes a call, and calls `begin` when the call is admitted. Throws or rejects with a `CodedError`. */
type Call = (request: CallRequest, begin?: () => ReadCall) => Promise<RestResponse>;

export class Reads {
  readonly #cache: CallerCache;
  readonly #origin: string;
  readonly #call: Call;
  readonly #shared = new SharedReads();
  readonly #unconfirmed = new ValidatorBackoff();
  /**
   * Ids of public operations whose last response could not be cached for all callers. Reads of these operations wait only for
   * their own caller's calls.
   */
  readonly #notForAll = new Set<string>();

  constructor(cache: CallerCache, origin: string, call: Call) {
    this.#cache = cache;
    this.#origin = origin;
    this.#call = call;
  }

  /** Invalidates the reads of the same request and the stored responses of the caller. */
  write(request: CallRequest): Promise<RestResponse> {
    const { forwarded, reads } = request.scope;
    const drop = () => {
      this.#cache.drop(forwarded.identity);
      // a write with the server's credential may affect the whole tenant, so stored responses of all users are outdated
      if (request.held) this.#cache.dropAllOf(forwarded.caller);
    };
    drop();
    return this.#call(request).finally(() => {
      drop();
      reads.clear();
    });
  }

  /**
   * Identical reads of one request share one call, until the request writes. A failed read may be retried once. Calls `first` if
   * the read is neither a retry nor answered from the cache. The cache key contains a digest of the content of a QUERY request
   * (draft-ietf-httpbis-safe-method-w-body §2.7).
   */
  read(request: CallRequest, first: () => void): Promise<RestResponse> {
    const { scope } = request;
    const own = request.headers ? JSON.stringify(request.headers) : "";
    const language = scope.forwarded.headers["accept-language"] ?? "";
    const content = request.body === undefined ? "" : `\n${hash("sha256", request.body)}`;
    const url = this.#origin + request.path;
    const keys = this.#keysOf(request, `${request.operation.id} ${url}${own}\n${language}${content}`);
    const { whole } = keys.own;
    const existing = scope.reads.get(whole);
    if (existing) {
      request.call.isRepeated = true;
      return existing;
    }
    const isFirst = existing === undefined;
    const forget = isFirst ? () => void scope.reads.set(whole, null) : () => {};
    let response = this.#stored(request, keys);
    if (!response) {
      response = this.#called(request, keys, forget);
      if (isFirst) first();
    }
    scope.reads.set(whole, response);
    return response;
  }

  #keysOf({ operation, scope: { forwarded } }: CallRequest, read: string): Keys {
    const own = new CallerKey(forwarded, read);
    const forAll = operation.public ? CallerKey.ofAll(forwarded, read) : undefined;
    return { own, forAll, waiting: forAll && !this.#notForAll.has(operation.id) ? forAll : own };
  }

  #find({ own, forAll }: Keys): Stored {
    const kept = (forAll && this.#cache.get(forAll)) ?? this.#cache.get(own);
    return kept instanceof StoredResponse ? kept : undefined;
  }

  /** Returns a fresh stored response, or a stale one, and revalidates that in the background. */
  #stored(request: CallRequest, keys: Keys): Promise<RestResponse> | undefined {
    const { scope } = request;
    const stored = this.#find(keys);
    if (!stored) return undefined;
    const { isFresh } = stored;
    if (!isFresh && !stored.servesWhileRevalidating) return undefined;
    scope.enter(true);
    if (!isFresh) this.#revalidate(request, keys);
    const failure = scope.reserve(stored.response.bytes, true);
    return failure ? Promise.reject(failure) : Promise.resolve(scope.take(stored.cached()));
  }

  /** Revalidates a stored response in the background, unless an identical call is in flight. A failure is ignored. */
  #revalidate({ scope, ...request }: CallRequest, keys: Keys): void {
    if (this.#shared.isInFlight(keys.waiting)) return;
    const own = scope.fresh();
    const call = async () => this.#begin({ ...request, scope: own }, keys);
    void call()
      .catch(() => undefined)
      .finally(() => own.close());
  }

  #called(request: CallRequest, keys: Keys, forget: () => void): Promise<RestResponse> {
    const { scope, operation } = request;
    const read = {
      scope,
      caller: keys.own.identity,
      send: (other: RequestScope) => this.#begin({ ...request, scope: other }, keys),
      fresh: () => {
        const stored = this.#find(keys);
        return stored?.isFresh ? stored.cached() : undefined;
      },
      waitsForOthers: () => !this.#notForAll.has(operation.id),
    };
    return this.#shared.join(keys.waiting, read, forget) ?? this.#begin(request, keys, forget);
  }

  #begin(request: CallRequest, keys: Keys, forget?: () => void): Promise<RestResponse> {
    const { scope } = request;
    const stored = this.#find(keys);
    const response = this.#call(request, () => {
      const begun: BegunRead = { keys, stored, beganAt: performance.now() };
      const endSharing = this.#shared.begin(keys.waiting);
      return {
        validators: stored?.validators,
        end: (outcome) => {
          const used = this.#use(request, begun, outcome);
          this.#noteSharing(request, keys);
          if (!(used instanceof RestResponse && used.ok)) forget?.();
          endSharing();
          return used;
        },
      };
    });
    if (!stored) return response;
    return response.catch((failure: CodedError) => {
      const used = staleInsteadOf(failure, stored, scope); // `end` is not called if the call was refused
      if (used instanceof RestResponse) return scope.take(used);
      throw used;
    });
  }

  /** Stores the response if REST permits it. Returns the outcome for all calls that wait for this read. */
  #use(request: CallRequest, begun: BegunRead, outcome: Outcome): Outcome {
    const { scope } = request;
    const { keys, stored } = begun;
    if (stored && isFailure(outcome)) return staleInsteadOf(outcome, stored, scope);
    if (!(outcome instanceof RestResponse)) return outcome;
    const { identity } = keys.own;
    if (outcome.status === 401 || (stored && isRefusal(outcome))) {
      this.#cache.drop(identity);
      if (keys.forAll) this.#cache.delete(keys.forAll);
    }
    if (stored && outcome.status === 304) {
      this.#unconfirmed.reset(identity, request.operation.id);
      const next = stored.revalidated(request, outcome);
      this.#replace(begun, next.isStorable ? next : undefined);
      return reserved(scope, next.response.copy("revalidated"));
    }
    if (outcome.ok) this.#storeIfPermitted(request, begun, outcome);
    return outcome;
  }

  #storeIfPermitted(request: CallRequest, begun: BegunRead, response: RestResponse): void {
    const { keys, stored } = begun;
    const names = [keys.own.identity, request.operation.id] as const;
    const mayStore = mayBeStored(response);
    if (mayStore) response.freshUntil = performance.now(); // clients may then store the response, but must revalidate it
    const isAdmitted =
      mayStore &&
      (stored !== undefined || this.#cache.admits(keyOf(keys, isForAll(request.operation, response))));
    const forValidator = isAdmitted && this.#unconfirmed.mayCache(...names);
    const next = mayStore ? StoredResponse.of(request, response, forValidator) : undefined; // also sets `response.freshUntil`
    const isStored = isAdmitted && next?.isStorable;
    if (isStored && !next.hasLifetime) this.#unconfirmed.countCached(...names);
    this.#replace(begun, isStored ? next : undefined);
  }

  #replace({ keys, stored, beganAt }: BegunRead, next: Stored): void {
    if (stored && stored.isForAll !== next?.isForAll) this.#cache.delete(keyOf(keys, stored.isForAll));
    if (next) this.#cache.set(keyOf(keys, next.isForAll), next, beganAt);
  }

  /** Records whether callers of a public operation can share its responses. */
  #noteSharing({ operation }: CallRequest, { forAll }: Keys): void {
    if (!forAll) return;
    const kept = this.#cache.get(forAll);
    if (kept instanceof StoredResponse && kept.isFresh) this.#notForAll.delete(operation.id);
    else this.#notForAll.add(operation.id);
  }
}

const keyOf = ({ own, forAll }: Keys, isForAll: boolean): CallerKey => (isForAll && forAll) || own;

/** Returns the response, or an error if the byte budget of the request is exhausted. */
const reserved = (scope: RequestScope, response: RestResponse): Outcome =>
  scope.reserve(response.bytes, true) ?? response;

/** Whether the caller lost access or the resource is gone: stored responses are outdated. A 408 or 429 means neither. */
const isRefusal = ({ status }: RestResponse): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Replaces a failure with the stored response if `stale-if-error` permits that. */
function staleInsteadOf(outcome: Outcome, stored: StoredResponse, scope: RequestScope): Outcome {
  return isFailure(outcome) && stored.servesOnFailure ? reserved(scope, stored.cached()) : outcome;
}

/** Whether the outcome is an error for which `stale-if-error` applies (RFC 5861 §4). */
const isFailure = (outcome: Outcome): boolean =>
  outcome instanceof RestResponse
    ? [500, 502, 503, 504].includes(outcome.status)
    : ["UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT", "SERVICE_TIMEOUT"].includes(outcome.code);
