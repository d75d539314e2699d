/** A vendor's rate limit, divided between the tenants that use one credential. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RestResponse } from "../../../../../src/engine/runtime/rest/rest-response.ts";
import {
  VendorAccount,
  VendorAccounts,
} from "../../../../../src/engine/runtime/rest/upstream/vendor-quota.ts";
import { seed } from "../../../../support/seed.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const callOf = (tenant: string, caller = "one", operation = "list") => ({ operation, tenant, caller });
const ok = (headers = {}) => new RestResponse(200, headers, "{}", 2);
const advertise = (remaining: number, seconds = 60, limit = 100) =>
  ok({ "ratelimit-policy": `"a";q=${limit};w=60`, ratelimit: `"a";r=${remaining};t=${seconds}` });

/** Makes calls that are answered at once, until one is refused. Returns their number. */
function flood(account: VendorAccount, tenant: string, caller?: string): number {
  let count = 0;
  while (count < 10_000 && !account.refusal(callOf(tenant, caller))) {
    account.begin(callOf(tenant, caller))(ok());
    count++;
  }
  return count;
}

const ofOwner = (requests = 100, seconds = 60) => new VendorAccount(false, { requests, seconds });

function learned(remaining = 99) {
  const account = new VendorAccount(false);
  account.begin(callOf("acme"))(advertise(remaining));
  return account;
}

describe("a limit that the owner sets", () => {
  test("is divided equally between tenants that ask for all of it", () => {
    const account = ofOwner();
    const begun = new Map([..."abc"].map((tenant) => [tenant, 0]));
    for (let round = 0; round < 200; round++)
      for (const [tenant, count] of begun)
        if (!account.refusal(callOf(tenant))) {
          account.begin(callOf(tenant))(ok());
          begun.set(tenant, count + 1);
        }
    const counts = [...begun.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(25);
  });

  test("is the whole of a tenant that is alone, in the course of the window", () => {
    const account = ofOwner();
    const atOnce = flood(account, "acme");
    expect(atOnce).toBeGreaterThanOrEqual(60);
    expect(atOnce).toBeLessThan(70);
    let total = atOnce;
    for (let second = 0; second < 59; second++) {
      vi.advanceTimersByTime(1_000);
      total += flood(account, "acme");
    }
    vi.advanceTimersByTime(999);
    total += flood(account, "acme");
    expect(total).toBe(100);
    vi.advanceTimersByTime(1);
    expect(flood(account, "acme")).toBe(atOnce);
  });

  test("has a part for tenants that ask after one has taken all it can", () => {
    const account = ofOwner();
    flood(account, "acme");
    expect(flood(account, "globex")).toBeGreaterThanOrEqual(15);
    for (const tenant of ["initech", "hooli"]) expect(flood(account, tenant)).toBeGreaterThanOrEqual(1);
  });

  test("is divided between the callers of a tenant, which have no more parts together than one", () => {
    const account = ofOwner();
    const first = flood(account, "acme", "one");
    expect(flood(account, "acme", "two")).toBeGreaterThan(0);
    const others = Array.from({ length: 50 }, (_, at) => flood(account, "acme", `caller ${at}`));
    expect(first + others.reduce((sum, one) => sum + one, 0)).toBeLessThan(70);
    expect(flood(account, "globex")).toBeGreaterThanOrEqual(15);
  });

  test.each([1, 2, 3])("of %i is used, and refuses the next call", (requests) => {
    const account = ofOwner(requests);
    expect(flood(account, "acme")).toBe(requests);
    expect(account.refusal(callOf("globex"))).toMatchObject({
      code: "RATE_LIMITED",
      details: { retryAfter: 60 },
    });
  });

  test("refuses a call with the seconds after which it fits", () => {
    const account = ofOwner();
    flood(account, "acme");
    const seconds = account.refusal(callOf("acme"))?.details.retryAfter ?? 0;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(60);
    vi.advanceTimersByTime(seconds * 1_000);
    expect(account.refusal(callOf("acme"))).toBeUndefined();
  });

  test("counts calls in flight in the next window too", () => {
    const account = ofOwner(4);
    const ends = ["acme", "globex", "initech"].map((tenant) => account.begin(callOf(tenant)));
    vi.advanceTimersByTime(60_000);
    expect(flood(account, "hooli")).toBe(1);
    for (const end of ends) end(undefined);
    vi.advanceTimersByTime(60_000);
    expect(flood(account, "hooli")).toBeGreaterThan(1);
  });
});

describe("a limit that the vendor advertises", () => {
  test("is kept to until it is reset", () => {
    const account = learned(0);
    for (const tenant of ["acme", "globex"])
      expect(account.refusal(callOf(tenant))).toMatchObject({
        code: "RATE_LIMITED",
        details: { retryAfter: 60 },
      });
    vi.advanceTimersByTime(60_000);
    expect(account.refusal(callOf("globex"))).toBeUndefined();
  });

  test("includes what other processes used", () => {
    const account = learned(99);
    flood(account, "acme");
    account.begin(callOf("globex"))(advertise(2, 50));
    expect(["initech", "hooli", "umbrella"].map((tenant) => flood(account, tenant))).toEqual([1, 1, 0]);
  });

  test("is not raised within its window by a response that was overtaken", () => {
    const account = learned(99);
    const late = account.begin(callOf("acme"));
    vi.advanceTimersByTime(3_000);
    account.begin(callOf("acme"))(advertise(0, 57));
    vi.advanceTimersByTime(3_000);
    late(advertise(98, 60));
    expect(account.refusal(callOf("globex"))).toBeDefined();
    vi.advanceTimersByTime(54_000);
    expect(account.refusal(callOf("globex"))).toBeUndefined();
  });

  test("of a resource refuses the operations of the resource only", () => {
    const account = new VendorAccount(false);
    const search = {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "60",
      "x-ratelimit-resource": "search",
    };
    account.begin(callOf("acme", "one", "search"))(ok(search));
    expect(account.refusal(callOf("globex", "two", "search"))).toBeDefined();
    expect(account.refusal(callOf("acme", "one", "list"))).toBeUndefined();
  });

  test("of credentials that tenants have alone refuses the one tenant", () => {
    const accounts = new VendorAccounts();
    const [acme, globex] = ["acme", "globex"].map((tenant) => accounts.of(tenant, true, undefined));
    acme?.begin(callOf("acme"))(advertise(0));
    expect(acme?.refusal(callOf("acme"))).toBeDefined();
    expect(globex?.refusal(callOf("globex"))).toBeUndefined();
    expect(accounts.of("acme", true, undefined)).toBe(acme);
    expect(accounts.leftRatio).toBe(0);
  });
});

describe("a 429", () => {
  const refused = (headers: object = { "retry-after": "30" }) => new RestResponse(429, { ...headers }, "", 0);

  test("pauses the tenant until Retry-After, and all tenants once a second one gets one", () => {
    const account = new VendorAccount(false);
    account.begin(callOf("acme"))(refused());
    expect(account.refusal(callOf("acme"))?.details.retryAfter).toBe(30);
    expect(account.refusal(callOf("globex"))).toBeUndefined();
    vi.advanceTimersByTime(10_000);
    account.begin(callOf("globex"))(refused());
    expect(account.refusal(callOf("initech"))?.details.retryAfter).toBe(30);
    expect(account.refusal(callOf("acme"))?.details.retryAfter).toBe(30);
    vi.advanceTimersByTime(30_000);
    for (const tenant of ["acme", "globex", "initech"])
      expect(account.refusal(callOf(tenant))).toBeUndefined();
  });

  test("of one tenant again and again pauses no other", () => {
    const account = new VendorAccount(false);
    for (let times = 0; times < 10; times++) account.begin(callOf("acme"))(refused());
    expect(account.refusal(callOf("globex"))).toBeUndefined();
  });

  test("that says that nothing is left pauses all tenants at once", () => {
    const account = new VendorAccount(false);
    account.begin(callOf("acme"))(refused({ ratelimit: '"a";r=0;t=20', "retry-after": "20" }));
    expect(account.refusal(callOf("globex"))?.details.retryAfter).toBe(20);
  });

  test("without Retry-After pauses nobody", () => {
    const account = new VendorAccount(false);
    for (const tenant of ["acme", "globex"]) account.begin(callOf(tenant))(refused({}));
    expect(account.refusal(callOf("acme"))).toBeUndefined();
  });
});

/** A vendor that counts requests in fixed windows when they arrive, and advertises what is left. */
class Vendor {
  readonly counts = new Map<number, number>();
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  arrive(): RestResponse {
    const now = performance.now();
    const window = Math.floor(now / this.#windowMs);
    const count = (this.counts.get(window) ?? 0) + 1;
    this.counts.set(window, count);
    const seconds = Math.ceil(((window + 1) * this.#windowMs - now) / 1_000);
    return ok({
      "x-ratelimit-limit": `${this.#limit}`,
      "x-ratelimit-remaining": `${Math.max(this.#limit - count, 0)}`,
      "x-ratelimit-reset": `${seconds}`,
    });
  }
}

const steps = fc.array(
  fc.record({
    tenant: fc.constantFrom("acme", "globex", "initech"),
    caller: fc.constantFrom("one", "two"),
    pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 9_000 })),
    toVendorMs: fc.integer({ min: 0, max: 400 }),
    toUsMs: fc.integer({ min: 0, max: 4_000 }),
  }),
  { minLength: 20, maxLength: 300 },
);

test("whatever tenants ask, the vendor never gets more than its limit in a window", () => {
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 2, max: 30 }),
      (given, limit, seconds) => {
        vi.clearAllTimers();
        const account = new VendorAccount(false);
        const vendor = new Vendor(limit, seconds * 1_000);
        account.begin(callOf("acme"))(vendor.arrive());
        for (const { tenant, caller, pauseMs, toVendorMs, toUsMs } of given) {
          vi.advanceTimersByTime(pauseMs);
          if (account.refusal(callOf(tenant, caller))) continue;
          const end = account.begin(callOf(tenant, caller));
          setTimeout(() => {
            const response = vendor.arrive();
            setTimeout(() => end(response), toUsMs);
          }, toVendorMs);
        }
        expect(Math.max(...vendor.counts.values())).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 300, seed },
  );
});

test("of a limit of the owner, no window begins more calls", () => {
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 30 }),
      (given, requests, seconds) => {
        const account = ofOwner(requests, seconds);
        const begun: number[] = [];
        for (const { tenant, caller, pauseMs } of given) {
          vi.advanceTimersByTime(pauseMs);
          if (account.refusal(callOf(tenant, caller))) continue;
          account.begin(callOf(tenant, caller))(ok());
          begun.push(performance.now());
        }
        let windowBegan = Number.NEGATIVE_INFINITY;
        let count = 0;
        for (const at of begun) {
          if (at - windowBegan >= seconds * 1_000) {
            windowBegan = at;
            count = 0;
          }
          expect(++count).toBeLessThanOrEqual(requests);
        }
      },
    ),
    { numRuns: 300, seed },
  );
});
