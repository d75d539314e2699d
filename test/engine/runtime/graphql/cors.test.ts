/** CORS of a role without a gateway: a browser can call it and read its responses. */

import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

const origin = "https://dashboard.example";

test.each([
  [origin, origin],
  ["https://other.example", undefined],
  [`https://other.example,${origin}`, origin],
  ["*", "*"],
  [`${origin},*`, "*"],
])("CORS_ORIGINS=%s allows %s and exposes Retry-After", async (origins, allowed) => {
  const server = await createGraphql(configure({ CORS_ORIGINS: origins }), api);
  onTestFinished(() => server.close());
  const url = "/v1/graphql";
  const preflight = await server.inject({
    method: "OPTIONS",
    url,
    headers: { origin, "access-control-request-method": "POST" },
  });
  expect(preflight.headers["access-control-allow-origin"]).toBe(allowed);
  const answer = await server.inject({
    method: "POST",
    url,
    headers: { origin },
    payload: { query: "{ __typename }" },
  });
  expect(answer.headers["access-control-allow-origin"]).toBe(allowed);
  expect(answer.headers["access-control-expose-headers"]).toContain("retry-after");
});
