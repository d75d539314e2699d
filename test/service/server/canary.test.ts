import { expect, test } from "vitest";
import { fakeKeyService, goodKey, makeKey, otherKey, recorder } from "../../engine/gateway/fakes.ts";
import { hostileRequests, send } from "../../engine/gateway/hostile.ts";
import { get, runReady } from "./program.ts";

test("no API key and no secret shows up in any log line or error", async () => {
  const [keys, rest] = await Promise.all([fakeKeyService(), recorder()]);
  const secret = "the-gateways-canary-secret";
  const { url, output } = await runReady(["gateway"], {
    LOG_LEVEL: "debug",
    GATEWAY_SECRET: secret,
    REST_BASE_URL: rest.url.href,
    GRAPHQL_URL: rest.url.href,
    KEY_INTROSPECTION_URL: keys.url.href,
  });
  const replies: string[] = [];
  const canary = (text: string): boolean =>
    [goodKey, otherKey, makeKey("canary"), secret].some((one) => text.includes(one));
  for (const row of hostileRequests) {
    const { status, text } = await send({ url, key: goodKey, otherKey }, row);
    if (status !== 200) replies.push(text);
  }
  await rest.close();
  replies.push(await (await get(url, "/v1/down", goodKey)).text());
  await keys.close();
  replies.push(await (await get(url, "/v1/down", makeKey("canary"))).text());
  replies.push(await (await get(url, `/v1/x?key=${makeKey("canary")}`)).text());
  expect(replies.length).toBeGreaterThan(70);
  expect(replies.filter(canary)).toEqual([]);
  expect(output()).toMatch(/"code":"UPSTREAM_UNAVAILABLE"/); // the failures above were logged
  expect(output().split("\n").filter(canary)).toEqual([]);
});
