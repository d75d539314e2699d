/** Metrics of what is left before something is refused. */
import { expect, test, vi } from "vitest";
import { refusingUrl } from "../../engine/gateway/start.ts";
import { get, runReady } from "./program.ts";

test("show what rate limits leave, that Redis is down, and each limit beside its use", async () => {
  const program = await runReady([], {
    ...{ NODE_ENV: "production", METRICS_PORT: "0", RATE_LIMIT_PER_ADDRESS: "4" },
    REDIS_URL: (await refusingUrl()).href.replace("http:", "redis:"),
  });
  for (let asked = 0; asked < 5; asked++) await get(program.url, "/v1/identity/me", "sk_test_nobody");
  const metrics = new URL("/metrics", /"metrics":"([^"]+)"/.exec(program.output())?.[1]);
  await vi.waitFor(
    async () => {
      const samples = (await (await fetch(metrics)).text()).split("\n");
      const left = 'gateway_rate_limit_remaining_ratio_bucket{limit="address_rate",le=';
      expect(samples).toEqual(
        expect.arrayContaining([
          // the fourth and the fifth request left nothing, the third a quarter
          `${left}"0"} 2`,
          `${left}"0.25"} 3`,
          `${left}"+Inf"} 5`,
          "gateway_redis_up 0",
          'rest_connections_limit{product="CRM"} 64',
          'quota_limit{role="gateway",quota="gateway_requests"} 256',
          'quota_limit{role="graphql",quota="requests_in_flight"} 256',
          expect.stringMatching(/^rest_cache_bytes \d+$/),
          expect.stringMatching(/^http_server_connections_limit\{role="gateway"\} [1-9]\d+$/),
        ]),
      );
    },
    { timeout: 30_000 },
  );
});
