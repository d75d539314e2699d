/**
 * Divides the rate limit of a vendor whose credential the server holds: between tenants, and each tenant's share between its
 * callers. The vendor counts all requests with the credential together. The limit, in requests per window, is advertised in the
 * vendor's responses or set in `spec/credentials.yaml`; if both are known, both apply.
 *
 * The share of a tenant, and of a caller within it, is bounded as in `SharedQuota`: by dynamic thresholds, which divide the limit
 * equally between those that request much, and reserve some of it for newcomers. Unlike amounts of a `SharedQuota`, requests of a
 * window are never given back, so the bound rises while the window passes. Thus, the amount that is reserved for others and that
 * they do not use becomes available by the end of the window, and a tenant that is alone can use the entire limit, but not at
 * once.
 *
 * Each process counts by itself. It never begins more calls in a window than the limit, and never more than the vendor's last
 * response advertises as remaining, less the calls in flight. Only these responses show how much other processes with the same
 * credential have used.
 */
import { LRUCache } from "lru-cache";
import type { CodedError } from "../../coded-error.ts";
import { dynamicThreshold, partForNewcomers } from "../../governor/shared-quota.ts";
import { retryAfterSeconds } from "../../http/parse-retry-after.ts";
import { heldFiles, vendorQuotas } from "../../settings/capacity.ts";
import { quotaExhausted } from "../rest-failure.ts";
import type { RestResponse } from "../rest-response.ts";
import { type AdvertisedLimit, advertisedLimits } from "./rate-limit-headers.ts";

export type OwnersLimit = { readonly requests: number; readonly seconds: number };

/** `caller`: a string that differs between the callers of a tenant. */
type QuotaCall = { readonly operation: string; readonly tenant: string; readonly caller: string };

/** A limit and its current window. */
export class QuotaWindow {
  /** The operations that the limit applies to; `undefined`: all. */
  readonly operations: Set<string> | undefined;
  #limit = 0;
  #windowMs = 0;
  #beganAt = Number.NEGATIVE_INFINITY;
  /** The latest time at which the window ends, as far as this process knows. */
  #endsAt = Number.NEGATIVE_INFINITY;
  /** The earliest time at which the vendor's window ends; `-Infinity` if the vendor has not advertised it yet. */
  #endsAfter = Number.POSITIVE_INFINITY;
  #left = 0;
  #endedLate = 0;
  readonly #isOfOwner: boolean;
  /** Calls that began in this window, by tenant, and by tenant and caller. */
  readonly #begun = new Map<string, number>();

  constructor(operations?: Set<string>, limit?: OwnersLimit) {
    this.operations = operations;
    this.#isOfOwner = limit !== undefined;
    if (limit) [this.#limit, this.#windowMs] = [limit.requests, limit.seconds * 1_000];
  }

  /** The fraction of the limit that is left. */
  get leftRatio(): number {
    return performance.now() >= this.#endsAt ? 1 : Math.max(this.#left, 0) / Math.max(this.#limit, 1);
  }

  /**
   * Returns the milliseconds after which the call may begin if no other call begins before; 0 if it may begin now. `inFlight`:
   * the number of calls in flight that the limit applies to.
   */
  waitMs(call: QuotaCall, inFlight: number): number {
    this.#renewIfEnded(inFlight);
    const toEndMs = this.#endsAt - performance.now();
    if (this.#left < 1) return toEndMs;
    const mayBegin = (waitMs: number): boolean =>
      this.#fits(call, Math.min((toEndMs - waitMs) / this.#windowMs, 1));
    if (mayBegin(0)) return 0;
    let [refusedMs, admittedMs] = [0, toEndMs];
    while (admittedMs - refusedMs > 100) {
      const middle = (refusedMs + admittedMs) / 2;
      if (mayBegin(middle)) admittedMs = middle;
      else refusedMs = middle;
    }
    return admittedMs;
  }

  /**
   * Whether the shares of the tenant and of the caller allow another call. `rest` is the fraction of the window that is still to
   * come.
   */
  #fits({ tenant, caller }: QuotaCall, rest: number): boolean {
    const reserve = rest * Math.floor(this.#limit / partForNewcomers);
    const ofTenant = this.#begunBy(tenant);
    const mostOfTenant = rest > 0 ? (dynamicThreshold * (this.#left - reserve)) / rest : Infinity;
    if (ofTenant > 0 && ofTenant + 1 > mostOfTenant) return false;
    const ofCaller = this.#begunBy(tenant, caller);
    const left = Math.min(this.#left, mostOfTenant - ofTenant);
    return ofCaller === 0 || (ofCaller + 1) * rest <= dynamicThreshold * left;
  }

  #begunBy(...names: string[]): number {
    return this.#begun.get(names.join("\0")) ?? 0;
  }

  begin({ tenant, caller }: QuotaCall): void {
    this.#left--;
    for (const key of [tenant, `${tenant}\0${caller}`]) {
      this.#begun.set(key, (this.#begun.get(key) ?? 0) + 1);
      const [oldest] = this.#begun.keys();
      if (this.#begun.size > vendorQuotas.callers && oldest !== undefined) this.#begun.delete(oldest);
    }
  }

  /** Counts the end of a call that may have reached the vendor after the end of the vendor's window. */
  end(): void {
    if (performance.now() > this.#endsAfter) this.#endedLate++;
  }

  /**
   * Applies the limit that a response advertises. Responses overtake each other, so within a window they only lower the number of
   * requests that are left. If the call began before this window, at `beganAt`, its `remaining` may be that of the previous
   * window and is ignored. The vendor computed the time to the reset between `beganAt` and now, and may have rounded it.
   */
  advertise(advertised: AdvertisedLimit, beganAt: number, inFlight: number): void {
    const { limit, remaining, resetMs, windowMs } = advertised;
    const [earliestEnd, latestEnd] = [beganAt + resetMs - roundingMs, performance.now() + resetMs];
    this.#renewIfEnded(inFlight);
    if (earliestEnd > this.#endsAt) {
      this.#start(remaining - inFlight, latestEnd);
      this.#endsAfter = earliestEnd;
    } else if (beganAt >= this.#beganAt) {
      this.#left = Math.min(this.#left, remaining - inFlight);
      this.#endsAt = this.#endsAfter < this.#beganAt ? latestEnd : Math.min(this.#endsAt, latestEnd);
      this.#endsAfter = Math.max(this.#endsAfter, earliestEnd);
    }
    this.#limit = limit ?? Math.max(this.#limit, remaining + 1);
    this.#windowMs = windowMs ?? Math.max(this.#windowMs, resetMs);
  }

  /** Starts the next window, unless no limit is known yet. Calls in flight may be counted in it. */
  #renewIfEnded(inFlight: number): void {
    const now = performance.now();
    if (this.#limit > 0 && now >= this.#endsAt)
      this.#start(this.#limit - inFlight - this.#endedLate, now + this.#windowMs);
  }

  #start(left: number, endsAt: number): void {
    this.#beganAt = performance.now();
    this.#left = left;
    this.#endsAt = endsAt;
    this.#endsAfter = this.#isOfOwner ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    this.#endedLate = 0;
    this.#begun.clear();
  }
}

/** Vendors advertise whole seconds. */
const roundingMs = 1_000;

/** The calls with one credential, which the vendor counts together. */
export class VendorAccount {
  readonly #owners: QuotaWindow | undefined;
  readonly #advertised = new Map<string, QuotaWindow>();
  readonly #inFlight = new Map<string, number>();
  /** Tenants that got a 429 with `Retry-After`, with the time until which their calls pause. */
  readonly #refused = new Map<string, number>();
  #isPausedUntil = Number.NEGATIVE_INFINITY;
  readonly #isOfOneTenant: boolean;

  /** `isOfOneTenant`: the credential belongs to one tenant. */
  constructor(isOfOneTenant: boolean, owners?: OwnersLimit) {
    this.#isOfOneTenant = isOfOneTenant;
    this.#owners = owners && new QuotaWindow(undefined, owners);
  }

  get leftRatio(): number {
    return Math.min(1, ...this.#windows().map(({ leftRatio }) => leftRatio));
  }

  /** Returns the error of a call that may not begin now. */
  refusal(call: QuotaCall): CodedError | undefined {
    const now = performance.now();
    const pausedUntil = Math.max(this.#isPausedUntil, this.#refused.get(call.tenant) ?? 0);
    const waits = this.#windows(call.operation).map((window) =>
      window.waitMs(call, this.#inFlightOf(window)),
    );
    const waitMs = Math.max(pausedUntil - now, ...waits);
    return waitMs > 0 ? quotaExhausted(Math.ceil(waitMs / 1_000)) : undefined;
  }

  /** Counts a call. Returns the function that is called once with its response, or with `undefined` if it got none. */
  begin(call: QuotaCall): (response: RestResponse | undefined) => void {
    const beganAt = performance.now();
    const { operation, tenant } = call;
    this.#inFlight.set(operation, (this.#inFlight.get(operation) ?? 0) + 1);
    for (const window of this.#windows(operation)) window.begin(call);
    return (response) => {
      this.#inFlight.set(operation, (this.#inFlight.get(operation) ?? 0) - 1);
      for (const window of this.#windows(operation)) window.end();
      if (!response) return;
      for (const limit of advertisedLimits(response.rawHeaders)) this.#advertise(limit, operation, beganAt);
      if (response.status === 429) this.#pause(tenant, response);
    };
  }

  #windows(operation?: string): QuotaWindow[] {
    const all = [...(this.#owners ? [this.#owners] : []), ...this.#advertised.values()];
    return operation === undefined ? all : all.filter(({ operations }) => operations?.has(operation) ?? true);
  }

  #inFlightOf({ operations }: QuotaWindow): number {
    let sum = 0;
    for (const [operation, count] of this.#inFlight) if (operations?.has(operation) ?? true) sum += count;
    return sum;
  }

  #advertise(limit: AdvertisedLimit, operation: string, beganAt: number): void {
    const { name } = limit;
    const window = this.#advertised.get(name) ?? new QuotaWindow(name === "" ? undefined : new Set());
    window.operations?.add(operation);
    this.#advertised.delete(name);
    this.#advertised.set(name, window);
    const [oldest] = this.#advertised.keys();
    if (this.#advertised.size > vendorQuotas.limits && oldest !== undefined) this.#advertised.delete(oldest);
    window.advertise(limit, beganAt, this.#inFlightOf(window));
  }

  /**
   * Pauses the calls of a tenant that got a 429. The 429 may concern only the operations that this tenant called, so the calls of
   * all tenants pause only if two tenants have been refused. If the response advertises that no requests of a limit remain, the
   * window of that limit refuses all calls.
   */
  #pause(tenant: string, response: RestResponse): void {
    const seconds = retryAfterSeconds(response.headers.get("retry-after"));
    if (seconds === undefined) return;
    const now = performance.now();
    const until = now + seconds * 1_000;
    for (const [other, end] of this.#refused) if (end <= now) this.#refused.delete(other);
    if (this.#isOfOneTenant || [...this.#refused.keys()].some((other) => other !== tenant))
      this.#isPausedUntil = Math.max(this.#isPausedUntil, until);
    this.#refused.set(tenant, until);
  }
}

/** The accounts of a product by their credential. */
export class VendorAccounts {
  readonly #accounts = new LRUCache<string, VendorAccount>({
    maxSize: heldFiles, // `max` would allocate memory for all of them at the start
    sizeCalculation: () => 1,
  });

  of(credential: string, isOfOneTenant: boolean, owners: OwnersLimit | undefined): VendorAccount {
    const existing = this.#accounts.get(credential);
    if (existing) return existing;
    const account = new VendorAccount(isOfOneTenant, owners);
    this.#accounts.set(credential, account);
    return account;
  }

  /** The smallest fraction that is left of any limit; `undefined` if the product uses no credential of the server. */
  get leftRatio(): number | undefined {
    const all = [...this.#accounts.values()].map(({ leftRatio }) => leftRatio);
    return all.length > 0 ? Math.min(...all) : undefined;
  }
}
