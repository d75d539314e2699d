/**
 * The reads of an upstream: whether a read needs a call, and what its readers get. In this order: a response that this
 * request already has, a fresh stored response, a call that other readers wait for, its own call.
 */
import { hash } from "node:crypto";
import type { CodedError } from "../../coded-error.ts";
import type { CallerCache } from "../cache/caller-cache.ts";
import { CallerKey } from "../cache/caller-cache.ts";
import { mayBeStored, StoredResponse } from "../cache/stored-response.ts";
import { ValidatorBackoff } from "../cache/validator-backoff.ts";
import type { RequestScope } from "../request-scope.ts";
import { RestResponse } from "../rest-response.ts";
import type { CallRequest } from "./call-request.ts";
import { SharedReads } from "./shared-reads.ts";

type Stored = StoredResponse | undefined;
export type Outcome = RestResponse | CodedError;

/** A read whose call has begun. */
export type ReadCall = {
  /** Headers that make the call conditional. */
  readonly validators: Readonly<Record<string, string>> | undefined;
  /** Called when the call has ended. Returns the outcome for the readers. */
  readonly end: (outcome: Outcome) => Outcome;
};

/** Makes a call. `begin` is called once the call is admitted. Throws or rejects with a `CodedError`. */
type Call = (request: CallRequest, begin?: () => ReadCall) => Promise<RestResponse>;

export class Reads {
  readonly #cache: CallerCache;
  readonly #origin: string;
  readonly #call: Call;
  readonly #shared = new SharedReads();
  readonly #unconfirmed = new ValidatorBackoff();

  constructor(cache: CallerCache, origin: string, call: Call) {
    this.#cache = cache;
    this.#origin = origin;
    this.#call = call;
  }

  /** A write outdates all earlier reads: those of its request, and the stored responses of its caller. */
  write(request: CallRequest): Promise<RestResponse> {
    const { forwarded, reads } = request.scope;
    const drop = () => {
      this.#cache.drop(forwarded.identity);
      // the vendor knows the tenant, not the caller: what one writes, all of the tenant read
      if (request.held) this.#cache.dropAllOf(forwarded.caller);
    };
    drop();
    return this.#call(request).finally(() => {
      drop();
      reads.clear();
    });
  }

  /**
   * Identical reads of one request are one call, until a write outdates them. A read that fails is forgotten, so that
   * it can be retried, but only once. `first` is called for a read that needs a call and is not a retry. The content of a
   * QUERY is part of what identifies it (draft-ietf-httpbis-safe-method-w-body §2.7), as a digest, because it may be long.
   */
  read(request: CallRequest, first: () => void): Promise<RestResponse> {
    const { scope } = request;
    const own = request.headers ? JSON.stringify(request.headers) : "";
    const language = scope.forwarded.headers["accept-language"] ?? "";
    const content = request.body === undefined ? "" : `\n${hash("sha256", request.body)}`;
    const url = this.#origin + request.path;
    const key = new CallerKey(scope.forwarded, `${request.operation.id} ${url}${own}\n${language}${content}`);
    const known = scope.reads.get(key.whole);
    if (known) {
      request.call.isRepeated = true;
      return known;
    }
    const isFirst = known === undefined;
    const forget = isFirst ? () => void scope.reads.set(key.whole, null) : () => {};
    let response = this.#stored(request, key);
    if (!response) {
      response = this.#called(request, key, forget);
      if (isFirst) first();
    }
    scope.reads.set(key.whole, response);
    return response;
  }

  #kept(key: CallerKey): Stored {
    const kept = this.#cache.get(key);
    return kept instanceof StoredResponse ? kept : undefined;
  }

  /** A stored response that needs no call, or none that the reader waits for. */
  #stored(request: CallRequest, key: CallerKey): Promise<RestResponse> | undefined {
    const { scope } = request;
    const stored = this.#kept(key);
    if (!stored) return undefined;
    const { isFresh } = stored;
    if (!isFresh && !stored.servesWhileRevalidating) return undefined;
    scope.enter(true);
    if (!isFresh) this.#revalidate(request, key);
    const failure = scope.hold(stored.response.bytes, true);
    return failure ? Promise.reject(failure) : Promise.resolve(scope.take(stored.cached()));
  }

  /**
   * Makes a stored response fresh for later readers, unless that call is under way. A failure of the call reaches no
   * reader.
   */
  #revalidate({ scope, ...request }: CallRequest, key: CallerKey): void {
    if (this.#shared.isUnderWay(key)) return;
    const own = scope.fresh();
    const call = async () => this.#begin({ ...request, scope: own }, key);
    void call()
      .catch(() => undefined)
      .finally(() => own.close());
  }

  #called(request: CallRequest, key: CallerKey, forget: () => void): Promise<RestResponse> {
    const { scope } = request;
    const send = (other: RequestScope) => this.#begin({ ...request, scope: other }, key);
    return this.#shared.join(key, { scope, send }, forget) ?? this.#begin(request, key, forget);
  }

  #begin(request: CallRequest, key: CallerKey, forget?: () => void): Promise<RestResponse> {
    const { scope } = request;
    const stored = this.#kept(key);
    const response = this.#call(request, () => {
      const beganAt = performance.now();
      const endSharing = this.#shared.begin(key);
      return {
        validators: stored?.validators,
        end: (outcome) => {
          const used = this.#use(request, key, stored, outcome, beganAt);
          if (!(used instanceof RestResponse && used.ok)) forget?.();
          endSharing();
          return used;
        },
      };
    });
    if (!stored) return response;
    return response.catch((failure: CodedError) => {
      const used = insteadOf(failure, stored, scope); // for a call that the circuit breaker refused
      if (used instanceof RestResponse) return scope.take(used);
      throw used;
    });
  }

  /** Stores the response as REST allows. Returns what the readers get. */
  #use(request: CallRequest, key: CallerKey, stored: Stored, outcome: Outcome, beganAt: number): Outcome {
    const { scope } = request;
    if (stored && isFailure(outcome)) return insteadOf(outcome, stored, scope);
    if (!(outcome instanceof RestResponse)) return outcome;
    if (outcome.status === 401 || (stored && isRefusal(outcome))) this.#cache.drop(key.identity);
    if (stored && outcome.status === 304) {
      this.#unconfirmed.confirmed(key.identity, request.operation.id);
      const next = stored.revalidated(request, outcome);
      if (next.isStorable) this.#cache.set(key, next, beganAt);
      else this.#cache.delete(key);
      return held(scope, next.response.copy("revalidated"));
    }
    if (outcome.ok) this.#keep(request, key, stored, outcome, beganAt);
    return outcome;
  }

  /** Stores a response, if REST allows that and the cache admits it. `before` is what was stored when the call began. */
  #keep(request: CallRequest, key: CallerKey, before: Stored, response: RestResponse, beganAt: number): void {
    const names = [key.identity, request.operation.id] as const;
    const mayStore = mayBeStored(response);
    if (mayStore) response.freshUntil = performance.now(); // another cache may store it, also where this one does not
    const isAdmitted = mayStore && (before !== undefined || this.#cache.admits(key));
    const forValidator = isAdmitted && this.#unconfirmed.mayKeep(...names);
    const next = mayStore ? StoredResponse.of(request, response, forValidator) : undefined; // knows its lifetime
    if (isAdmitted && next?.isStorable) {
      if (!next.hasLifetime) this.#unconfirmed.kept(...names);
      this.#cache.set(key, next, beganAt);
    } else if (before) this.#cache.delete(key);
  }
}

/** The response, if the request's budget has enough bytes left. */
const held = (scope: RequestScope, response: RestResponse): Outcome =>
  scope.hold(response.bytes, true) ?? response;

/**
 * Whether REST denies the object to the caller, or the object is gone: kept answers may hold
 * the object too. A 408 or a 429 is not about the object.
 */
const isRefusal = ({ status }: RestResponse): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The stored response instead of a failure of the upstream, where REST allows that. */
function insteadOf(outcome: Outcome, stored: StoredResponse, scope: RequestScope): Outcome {
  return isFailure(outcome) && stored.servesOnFailure ? held(scope, stored.cached()) : outcome;
}

/** A failure of the upstream that `stale-if-error` is for (RFC 5861 §4). */
const isFailure = (outcome: Outcome): boolean =>
  outcome instanceof RestResponse
    ? [500, 502, 503, 504].includes(outcome.status)
    : ["UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT", "SERVICE_TIMEOUT"].includes(outcome.code);
