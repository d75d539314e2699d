/**
 * Caches the addresses of host names for all connections that a role opens. Concurrent lookups of a name are coalesced
 * (single-flight). While a lookup is slow or fails, the last addresses are served (serve-stale, RFC 8767). Names share no state,
 * so an unresponsive name server delays only the names that it serves.
 */
import { EventEmitter } from "node:events";
import type { LookupFunction } from "node:net";
import { Deadline } from "../deadline.ts";
import { lookups } from "../settings/capacity.ts";
import {
  type Address,
  type Answer,
  type Query,
  type Resolution,
  type Resolve,
  stubResolver,
  systemFiles,
  systemResolver,
} from "./stub-resolver.ts";

/** A finished lookup. `code` is set if the lookup failed. `addresses` is the number of addresses in use afterwards. */
export type Lookup = {
  readonly name: string;
  readonly ms: number;
  readonly code: string | undefined;
  readonly addresses: number;
};

export class LookupCache extends EventEmitter<{ lookup: [Lookup] }> {
  readonly #resolve: Resolve;
  readonly #names = new Map<string, CachedName>();

  constructor(resolve: Resolve) {
    super();
    this.setMaxListeners(0); // one listener per upstream
    this.#resolve = resolve;
  }

  /** Returns a `lookup` function for sockets, which fails with `ETIMEOUT` if it knows no address by `ms`. */
  within(ms: number): LookupFunction {
    return (name, { all, family }, done) => {
      const only = Number(String(family ?? 0).replace("IPv", ""));
      this.#of(name)
        .addresses(ms)
        .then((addresses) => {
          const wanted = only === 0 ? addresses : addresses.filter((address) => address.family === only);
          const [first] = wanted;
          if (!first) throw unresolved(name, "ENOTFOUND");
          return { wanted, first };
        })
        .then(
          ({ wanted, first }) => (all ? done(null, [...wanted]) : done(null, first.address, first.family)),
          (error) => done(error, []),
        );
    };
  }

  /** Called when a connection to the name failed. Its addresses may have changed, so the next connection starts a lookup. */
  expire(name: string): void {
    this.#names.get(name)?.expire();
  }

  #of(name: string): CachedName {
    let cached = this.#names.get(name);
    if (!cached) {
      cached = new CachedName(name, this.#resolve, (lookup) => this.emit("lookup", lookup));
      this.#names.set(name, cached);
    }
    return cached;
  }
}

/** A lookup in progress. `settled` resolves when it has found addresses or has failed. */
type Running = { readonly beganAt: number; readonly settled: Promise<void> };

class CachedName {
  readonly #name: string;
  readonly #resolve: Resolve;
  readonly #ended: (lookup: Lookup) => void;
  #addresses: readonly UsableAddress[] = [];
  #failure: Error | undefined;
  /** Addresses are fresh until `#freshUntil`. No lookup begins before `#nextLookupAt`. Both are on the monotonic clock. */
  #freshUntil = 0;
  #nextLookupAt = 0;
  #lookup: Running | undefined;
  #connections = 0;

  constructor(name: string, resolve: Resolve, ended: (lookup: Lookup) => void) {
    this.#name = name;
    this.#resolve = resolve;
    this.#ended = ended;
  }

  expire(): void {
    this.#freshUntil = 0;
  }

  /** Each call rotates the addresses of each family, so that connections are spread over them. */
  async addresses(ms: number): Promise<readonly Address[]> {
    const now = performance.now();
    if (now >= this.#freshUntil) {
      if (!this.#lookup && now >= this.#nextLookupAt) this.#begin(now);
      if (this.#lookup) await this.#wait(this.#lookup, now, ms);
    }
    const usable = this.#usable();
    if (usable.length > 0) return rotated(usable, this.#connections++);
    if (this.#lookup || !this.#failure) throw unresolved(this.#name, "ETIMEOUT");
    throw this.#failure;
  }

  get #isUsable(): boolean {
    return this.#usable().length > 0;
  }

  #usable(): readonly UsableAddress[] {
    const now = performance.now();
    return this.#addresses.filter(({ usableUntil }) => now < usableUntil);
  }

  /**
   * Waits for the lookup for at most `ms`. With usable stale addresses, waits only until the lookup has run for `staleAfterMs`.
   */
  #wait({ beganAt, settled }: Running, now: number, ms: number): Promise<void> {
    const waitMs = this.#isUsable ? beganAt + lookups.staleAfterMs - now : ms;
    if (waitMs <= 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = new Deadline(waitMs, resolve);
    return Promise.race([settled, promise]).finally(() => deadline.clear());
  }

  #begin(beganAt: number): void {
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    const lookup = { beganAt, settled };
    this.#lookup = lookup;
    const end = ({ name, addresses, ttlMs, failed, code }: Resolution): void => {
      const now = performance.now();
      this.#lookup = undefined;
      this.#failure = code === undefined ? undefined : unresolved(this.#name, code);
      this.#nextLookupAt = now + lookups.leastMs;
      // addresses whose query failed stay in use (RFC 8767 §4); a successful query replaces the addresses of its name and family
      const kept = this.#usable().filter((last) => failed.some((query) => isOf(query, last)));
      this.#addresses = [...usableFrom(now, name, addresses), ...kept];
      if (addresses.length > 0)
        this.#freshUntil = now + (failed.length > 0 ? lookups.leastMs : clampTtl(ttlMs));
      resolve();
      this.#ended({ name: this.#name, ms: now - beganAt, code, addresses: this.#addresses.length });
    };
    const useAnswer = (answer: Answer): void => {
      if (this.#lookup !== lookup) return;
      const hasAddresses = answer.addresses.length > 0;
      const kept = this.#usable().filter(
        (last) => !isOf(answer, last) && (last.name === answer.name || !hasAddresses),
      );
      this.#addresses = [...usableFrom(performance.now(), answer.name, answer.addresses), ...kept];
      if (hasAddresses) resolve();
    };
    void this.#resolve(this.#name, useAnswer).then(end);
  }
}

/** `name`: the fully qualified name with this address. `usableUntil`: when the address stops being usable if lookups fail. */
type UsableAddress = Address & { readonly name: string; readonly usableUntil: number };

const usableFrom = (now: number, name: string, addresses: readonly Address[]): UsableAddress[] =>
  addresses.map((address) => ({ ...address, name, usableUntil: now + lookups.usableMs }));

const isOf = ({ name, family }: Query, address: UsableAddress): boolean =>
  address.name === name && address.family === family;

const unresolved = (name: string, code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${name}: ${code}`), { code });

const clampTtl = (ttlMs: number): number => Math.min(Math.max(ttlMs, lookups.leastMs), lookups.mostMs);

/** Rotates the addresses within each family. The order of the families does not change. */
function rotated(addresses: readonly Address[], by: number): readonly Address[] {
  const families = [...new Set(addresses.map(({ family }) => family))];
  return families.flatMap((family) => {
    const ofFamily = addresses.filter((address) => address.family === family);
    const first = by % ofFamily.length;
    return [...ofFamily.slice(first), ...ofFamily.slice(0, first)];
  });
}

/** The stub resolver is used only on Linux, because other systems keep their DNS configuration in other files. */
export const lookupCache = new LookupCache(
  process.platform === "linux" ? stubResolver(systemFiles) : systemResolver,
);
