/** Request bodies that are slow, too large or never read hold no upstream connection. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { subscribe } from "../../../src/engine/runtime/observe/observer.ts";
import { drip, statuses } from "../runtime/http/drip.ts";
import { contextOf, goodKey, makeKey, otherKey } from "./fakes.ts";
import { problem } from "./read-error.ts";
import { startGateway, upstream } from "./start.ts";

const headers = { "x-api-key": goodKey };
const me = "/v1/identity/me";

test("a connection whose request body is not read to its end gets one response and is closed", async () => {
  const { url } = await startGateway();
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST ${me} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: nonsense\r\nContent-Length: 9000\r\n\r\n{`,
  );
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  await once(socket, "close");
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
});

test("a body whose content length is too large is not forwarded, however fast it arrives", async () => {
  const rest = await upstream((_request, response) => response.writeHead(413).end());
  const { url } = await startGateway({ rest });
  for (let turn = 0; turn < 20; turn++) {
    const answer = await fetch(new URL(me, url), { method: "POST", headers, body: "a".repeat(1_100_000) });
    expect(await problem(answer)).toMatchObject({ code: "LIMIT_EXCEEDED", limit: "MAX_BODY_BYTES" });
  }
});

describe("bodies that drip", () => {
  const post = (url: URL, key: string) => drip(url, me, [`X-API-Key: ${key}`]);

  test("hold no connection: of two tenants' 256 none reaches the upstream, and a third tenant is served", async () => {
    const { url, rest, keys } = await startGateway();
    const victim = makeKey("victim");
    keys.answers.set(victim, contextOf("victim"));
    const dripping = [goodKey, otherKey].flatMap((key) => Array.from({ length: 128 }, () => post(url, key)));
    await sleep(500);
    const answers = Array.from({ length: 50 }, () =>
      fetch(new URL(me, url), { headers: { "x-api-key": victim }, signal: AbortSignal.timeout(60_000) }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(rest.seen.length).toBe(50);
    await expect.poll(() => dripping.filter(({ text }) => text() !== "").length).toBeGreaterThanOrEqual(224);
    expect(new Set(dripping.flatMap(({ text }) => statuses(text())))).toEqual(new Set(["408"]));
  });

  test("get one 408, which blames no upstream", async () => {
    const { url, rest } = await startGateway({ env: { REQUEST_TIMEOUT_MS: "600" } });
    const { text, closed } = post(url, goodKey);
    await closed;
    expect(statuses(text())).toEqual(["408"]);
    expect(rest.seen).toEqual([]);
  });
});

test("a body whose client leaves is no fault of ours", async () => {
  const { url, gateway } = await startGateway();
  const logged = vi.spyOn(gateway.log, "error").mockImplementation(() => {});
  const requestEnded = vi.fn();
  onTestFinished(subscribe({ requestEnded }));
  await fetch(new URL(me, url), { headers }); // the key is known from now on, so a body is read at once
  const arrived = once(gateway.server, "request");
  const socket = net.connect(Number(url.port), url.hostname);
  socket.write(`POST ${me} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${goodKey}\r\nContent-Length: 9\r\n\r\n{`);
  const [request] = (await arrived) as [IncomingMessage];
  await expect.poll(() => request.listenerCount("data")).toBe(1);
  const failed = once(request, "error");
  socket.resetAndDestroy();
  await failed;
  await sleep(100); // the error handler runs next
  expect(logged).not.toHaveBeenCalled();
  expect(requestEnded.mock.lastCall?.[0]).toMatchObject({ status: 499, code: "CLIENT_CLOSED_REQUEST" });
});
