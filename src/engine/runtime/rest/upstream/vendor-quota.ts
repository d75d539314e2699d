/**
 * Divides a vendor's rate limit between tenants, and a tenant's share between its callers. The limit applies to a credential that
 * the server holds for all tenants. It is advertised in responses or set in `spec/credentials.yaml`, in requests per window; if
 * both exist, both apply.
 *
 * The share of a tenant or caller is bounded by dynamic thresholds as in `SharedQuota`: heavy users get equal shares, and a part
 * is reserved for newcomers. A request, unlike an amount of a `SharedQuota`, is never given back, so the bounds rise in the
 * window. A tenant without competitors can thus use the entire limit, but only at the end of the window.
 *
 * Each process counts separately. In a window, a process begins at most as many calls as the limit, and at most as many as the
 * last response advertised as remaining, minus the calls in flight. A process learns of the calls of other processes only from
 * advertised limits.
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

/** `caller` only needs to be unique within the tenant. */
type QuotaCall = { readonly operation: string; readonly tenant: string; readonly caller: string };

/** A rate limit and its current window. */
export class QuotaWindow {
  /** The operations that the limit applies to; `undefined` for all. */
  readonly operations: Set<string> | undefined;
  #limit = 0;
  #windowMs = 0;
  #beganAt = Number.NEGATIVE_INFINITY;
  /** The latest possible end of the vendor's window. */
  #endsAt = Number.NEGATIVE_INFINITY;
  /**
   * The earliest possible end of the vendor's window: `-Infinity` until the vendor has advertised the end, and `Infinity` for a
   * limit from `spec/credentials.yaml`.
   */
  #endsAfter = Number.POSITIVE_INFINITY;
  #left = 0;
  #endedLate = 0;
  readonly #isOfOwner: boolean;
  /** The number of calls that began in this window, by tenant (key `tenant`) and by caller (key `tenant\0caller`). */
  readonly #begun = new Map<string, number>();

  constructor(operations?: Set<string>, limit?: OwnersLimit) {
    this.operations = operations;
    this.#isOfOwner = limit !== undefined;
    if (limit) {
      this.#limit = limit.requests;
      this.#windowMs = limit.seconds * 1_000;
    }
  }

  get leftRatio(): number {
    return performance.now() >= this.#endsAt ? 1 : Math.max(this.#left, 0) / Math.max(this.#limit, 1);
  }

  /**
   * Returns the milliseconds until the call may begin if no others begin before it. `inFlight` counts the calls in flight that
   * the limit applies to.
   */
  waitMs(call: QuotaCall, inFlight: number): number {
    this.#renewIfEnded(inFlight);
    const toEndMs = this.#endsAt - performance.now();
    if (this.#left < 1) return toEndMs;
    const mayBegin = (waitMs: number): boolean =>
      this.#fits(call, Math.min((toEndMs - waitMs) / this.#windowMs, 1));
    if (mayBegin(0)) return 0;
    let refusedMs = 0;
    let admittedMs = toEndMs;
    while (admittedMs - refusedMs > 100) {
      const middle = (refusedMs + admittedMs) / 2;
      if (mayBegin(middle)) admittedMs = middle;
      else refusedMs = middle;
    }
    return admittedMs;
  }

  /** Whether the shares of tenant and caller allow another call when the fraction `rest` of the window remains. */
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

  /** Called at the end of a call. If this is late, the vendor may have counted the call in the next window. */
  end(): void {
    if (performance.now() > this.#endsAfter) this.#endedLate++;
  }

  /**
   * Within a window, `remaining` can only lower `#left`, because responses may arrive out of order. If the call began before this
   * window, `remaining` may refer to the previous window and is ignored. The window's end is known only within bounds: the vendor
   * computed `resetMs` at some time after `beganAt`, perhaps rounded.
   */
  advertise(advertised: AdvertisedLimit, beganAt: number, inFlight: number): void {
    const { limit, remaining, resetMs, windowMs } = advertised;
    const earliestEnd = beganAt + resetMs - roundingMs;
    const latestEnd = performance.now() + resetMs;
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

  /** Starts the next window if a limit is known. Calls in flight are deducted: the vendor may count them in this window. */
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

/** The most by which a vendor rounds the time until the reset: vendors round to whole seconds. */
const roundingMs = 1_000;

/** The limits of one credential. The vendor counts all calls with this credential together. */
export class VendorAccount {
  readonly #owners: QuotaWindow | undefined;
  readonly #advertised = new Map<string, QuotaWindow>();
  readonly #inFlight = new Map<string, number>();
  /** Maps a tenant that got a 429 with `Retry-After` to the end of its pause. */
  readonly #refused = new Map<string, number>();
  #isPausedUntil = Number.NEGATIVE_INFINITY;
  readonly #isOfOneTenant: boolean;

  constructor(isOfOneTenant: boolean, owners?: OwnersLimit) {
    this.#isOfOneTenant = isOfOneTenant;
    this.#owners = owners && new QuotaWindow(undefined, owners);
  }

  get leftRatio(): number {
    return Math.min(1, ...this.#windows().map(({ leftRatio }) => leftRatio));
  }

  refusal(call: QuotaCall): CodedError | undefined {
    const now = performance.now();
    const pausedUntil = Math.max(this.#isPausedUntil, this.#refused.get(call.tenant) ?? 0);
    const waits = this.#windows(call.operation).map((window) =>
      window.waitMs(call, this.#inFlightOf(window)),
    );
    const waitMs = Math.max(pausedUntil - now, ...waits);
    return waitMs > 0 ? quotaExhausted(Math.ceil(waitMs / 1_000)) : undefined;
  }

  /** Counts a call. Call the returned function exactly once: with the response, or with `undefined` if there is none. */
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
   * Pauses the calls of a tenant after a 429. The 429 may not concern the operations that other tenants call, so all tenants
   * pause only if a second one gets a 429 during the pause. If the response also advertises an exhausted limit, the `QuotaWindow`
   * of this limit refuses calls of all tenants.
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

/** The vendor accounts of a product, by credential. */
export class VendorAccounts {
  readonly #accounts = new LRUCache<string, VendorAccount>({
    maxSize: heldFiles, // `max` would preallocate all entries
    sizeCalculation: () => 1,
  });

  of(credential: string, isOfOneTenant: boolean, owners: OwnersLimit | undefined): VendorAccount {
    const existing = this.#accounts.get(credential);
    if (existing) return existing;
    const account = new VendorAccount(isOfOneTenant, owners);
    this.#accounts.set(credential, account);
    return account;
  }

  /** The smallest remaining fraction of all limits; `undefined` if the product uses no credential of the server. */
  get leftRatio(): number | undefined {
    const all = [...this.#accounts.values()].map(({ leftRatio }) => leftRatio);
    return all.length > 0 ? Math.min(...all) : undefined;
  }
}
