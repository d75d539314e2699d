import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../../../src/engine/gateway/gateway.ts";
import { contextHeaderNames } from "../../../src/engine/runtime/http/context-headers.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { api } from "../desk/generated/index.ts";
import { fakeKeyService, goodKey, type KeyService, otherKey, type Recorder, recorder } from "./fakes.ts";
import type { Front, Hostile } from "./hostile/request.ts";
import { findLeaks, hostileRequests, send } from "./hostile.ts";

describe("hostile requests against the embedded gateway", () => {
  let front: Front;
  let keys: KeyService;
  let rest: Recorder;
  let graphql: Recorder;
  let close: () => Promise<void>;

  beforeAll(async () => {
    [keys, rest, graphql] = await Promise.all([fakeKeyService(), recorder(), recorder()]);
    const config = readConfig({ GATEWAY_SECRET: "a-secret-of-the-gateway", LOG_LEVEL: "silent" }, [
      "gateway",
    ]);
    const gateway = await createGateway(
      config,
      { rest: rest.url, graphql: graphql.url, keyIntrospection: keys.url },
      api,
    );
    front = { url: new URL(await gateway.listen({ port: 0, host: "127.0.0.1" })), key: goodKey, otherKey };
    close = async () => {
      await gateway.close();
      await Promise.all([keys.close(), rest.close(), graphql.close()]);
    };
  });
  afterAll(() => close());

  test.each(hostileRequests.map((row): [string, Hostile] => [row.name, row]))("%s", async (_name, row) => {
    rest.seen.length = 0;
    graphql.seen.length = 0;
    const reply = await send(front, row);
    expect(row.answers, reply.text).toContain(reply.status);
    if (reply.status !== 200) expect(reply.type).toBe("application/problem+json");
    const seen = [...rest.seen, ...graphql.seen];
    expect(seen.flatMap(({ url, rawHeaders }) => findLeaks(front, url, rawHeaders))).toEqual([]);
    expect(seen.length).toBe(reply.status === 200 ? 1 : 0);
  });

  test("a request that passes carries all eight context headers of its key, and the proof", async () => {
    rest.seen.length = 0;
    await send(front, hostileRequests[0]!);
    const headers = rest.seen[0]!.headers;
    for (const name of contextHeaderNames("X-Service-")) expect(headers[name], name).toBeDefined();
    expect(headers["x-service-tenant-id"]).toBe("tenant-good");
    expect(headers["x-service-permissions"]).toBe("engage:campaigns:read,odd%2Cper%20cent%25:x:y");
    expect(headers["x-gateway-proof"]).toBe("a-secret-of-the-gateway");
  });
});
