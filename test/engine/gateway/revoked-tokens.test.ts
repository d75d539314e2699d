/** Revocation of access tokens by the log of revoked keys, and what counts while revocations may have been missed. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openRevocationLog } from "../../../src/engine/gateway/revocation-log.ts";
import { clockSkewMs, RevokedTokens } from "../../../src/engine/gateway/revoked-tokens.ts";
import { revocationLog } from "../../../src/engine/runtime/settings/capacity.ts";
import { contextOf } from "./fakes.ts";
import { jwksEndpoint, keyPair, now, sign, tokenEnv } from "./issuer.ts";
import { redisServer, startRedis, stopRedis } from "./redis.ts";
import { startGateway } from "./start.ts";

const minute = 60_000;

describe("what the log revokes and confirms", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  const issuedBefore = (ms: number, tokenId = "a", apiKeyId = "client") => ({
    ...{ tokenId, apiKeyId },
    issuedAt: Date.now() - ms,
  });
  /** A log that is complete since two hours ago. */
  function complete() {
    const tokens = new RevokedTokens(30_000);
    tokens.miss(Date.now() - 120 * minute);
    tokens.confirm(performance.now());
    return tokens;
  }

  test("one token by its id; all of a client that were issued until then", () => {
    const tokens = complete();
    tokens.forget(new Map([["a", Date.now()]]));
    expect(tokens.isRevoked(issuedBefore(minute))).toBe(true);
    expect(tokens.isRevoked(issuedBefore(minute, "b"))).toBe(false);
    tokens.forget(new Map([["client", Date.now()]]));
    expect(tokens.isRevoked(issuedBefore(minute, "b"))).toBe(true);
    expect(tokens.isRevoked(issuedBefore(minute, "b", "another"))).toBe(false);
    expect(tokens.isRevoked(issuedBefore(-clockSkewMs - 1, "c")), "issued afterwards").toBe(false);
    tokens.forget(new Map([["client", Date.now() - 5 * minute]]));
    expect(tokens.isRevoked(issuedBefore(minute, "b")), "the latest entry counts").toBe(true);
  });

  test("an old token needs a log that was read within 30 s, a new one does not", () => {
    const tokens = complete();
    expect(tokens.isConfirmed(issuedBefore(60 * minute))).toBe(true);
    vi.advanceTimersByTime(30_000);
    expect(tokens.isConfirmed(issuedBefore(60 * minute))).toBe(false);
    expect(tokens.isConfirmed(issuedBefore(29_000))).toBe(true);
    expect(tokens.isConfirmed(issuedBefore(30_000))).toBe(false);
    tokens.confirm(performance.now());
    expect(tokens.isConfirmed(issuedBefore(60 * minute))).toBe(true);
  });

  test("a gateway that never read the log confirms new tokens only", () => {
    const tokens = new RevokedTokens(30_000);
    expect(tokens.isConfirmed(issuedBefore(29_000))).toBe(true);
    expect(tokens.isConfirmed(issuedBefore(31_000))).toBe(false);
    tokens.confirm(performance.now());
    expect(tokens.isConfirmed(issuedBefore(31_000))).toBe(false);
  });

  test("a token older than the log may have been revoked before", () => {
    const tokens = complete();
    expect(tokens.isConfirmed(issuedBefore(121 * minute))).toBe(false);
  });

  test("after a loss, older tokens count for 30 s more, also if losses repeat", () => {
    const tokens = complete();
    const old = issuedBefore(minute);
    tokens.miss(Date.now());
    for (let second = 0; second < 30; second++) {
      expect(tokens.isConfirmed(old)).toBe(true);
      vi.advanceTimersByTime(1_000);
      tokens.confirm(performance.now());
      if (second === 10) tokens.miss(Date.now());
    }
    expect(tokens.isConfirmed(old)).toBe(false);
    vi.advanceTimersByTime(10 * minute);
    tokens.confirm(performance.now());
    expect(tokens.isConfirmed(old)).toBe(false);
    expect(tokens.isConfirmed(issuedBefore(5 * minute))).toBe(true);
  });

  test("more revocations than are remembered leave no revoked token confirmed", () => {
    const tokens = complete();
    const count = 2 * revocationLog.entries + 1;
    const start = Date.now() - count;
    tokens.forget(new Map(Array.from({ length: count }, (_, at) => [`id ${at}`, start + at])));
    const dropped = { tokenId: "id 0", apiKeyId: "client", issuedAt: start - minute };
    expect(tokens.isRevoked(dropped) || !tokens.isConfirmed(dropped)).toBe(true);
    expect(tokens.isRevoked({ ...dropped, tokenId: "id 1" })).toBe(true);
  });
});

test.skipIf(!redisServer)(
  "a revoked token is refused by a gateway that has cached it",
  { timeout: 120_000 },
  async () => {
    const redis = await startRedis();
    const REDIS_URL = `redis://127.0.0.1:${redis.port}`;
    const log = await openRevocationLog(new URL(REDIS_URL));
    const pair = await keyPair("1", "ES256");
    const jwks = await jwksEndpoint(pair);
    const env = { REDIS_URL, KEY_PATTERN: ".+", KEY_UNCONFIRMED_MS: "5000", ...tokenEnv(jwks.url) };
    const { url, keys, gateway } = await startGateway({ env });
    const ask = async (token: string): Promise<number> =>
      (await fetch(new URL("/v1/things", url), { headers: { authorization: `Bearer ${token}` } })).status;
    const [one, two, three] = await Promise.all([
      sign(pair, { jti: "one" }),
      sign(pair),
      sign(pair, { client_id: "client-2" }),
    ]);
    expect([await ask(one), await ask(two), await ask(three)]).toEqual([200, 200, 200]);
    await log.append("one");
    await expect.poll(() => ask(one)).toBe(401);
    expect([await ask(two), await ask(three)]).toEqual([200, 200]);
    await log.append("client-1");
    await expect.poll(() => ask(two)).toBe(401);
    expect(await ask(three)).toBe(200);
    expect(keys.asked).toEqual([]);

    // issued before the log began: its revocation may have been trimmed, so key introspection decides
    const older = await sign(pair, { iat: now() - 120, client_id: "client-3" });
    expect(await ask(older)).toBe(401);
    keys.answers.set(older, contextOf("older"));
    log.close();
    await stopRedis(redis);
    await expect.poll(() => gateway.tokens?.counts.unconfirmed).toBeGreaterThan(0);
    expect(keys.asked).toContain(older);
  },
);
