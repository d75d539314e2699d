/** Bodies that come too slowly, and heads: each gets one answer, and its connection is closed. */
import { once } from "node:events";
import net from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { addressBlock } from "../../../../src/engine/runtime/http/address-block.ts";
import { createServer } from "../../../../src/engine/runtime/http/server.ts";
import { slowBodies } from "../../../../src/engine/runtime/settings/capacity.ts";
import { block } from "../block.ts";
import { configure } from "../graphql/configure.ts";
import { drip, statuses } from "./drip.ts";

async function listening(env: NodeJS.ProcessEnv = {}) {
  const server = createServer(configure(env));
  const logged = vi.fn();
  for (const level of ["warn", "error"] as const) vi.spyOn(server.log, level).mockImplementation(logged);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  server.post("/echo", async ({ body }) => ({ body })).get("/slow", () => answered.then(() => ({})));
  const url = new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
  onTestFinished(() => server.close());
  const post = (body: unknown) =>
    fetch(new URL("/echo", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { server, url, post, answer, logged };
}

test("a body that does not end gets one 408 at REQUEST_TIMEOUT_MS, and no line in the log", async () => {
  const { url, logged } = await listening({ REQUEST_TIMEOUT_MS: "600" });
  const { text, closed } = drip(url, "/echo");
  await closed;
  expect(statuses(text())).toEqual(["408"]);
  expect(text()).not.toContain("too slowly");
  expect(text()).toMatch(/\r\nconnection: close\r\n/i);
  expect(text()).toContain('"code":"REQUEST_TIMEOUT"');
  expect(logged).not.toHaveBeenCalled();
});

test("REQUEST_TIMEOUT_MS may be longer than Node's default of 300 s for a whole request", () => {
  const { server } = createServer(configure({ REQUEST_TIMEOUT_MS: "600000" }));
  expect(server).toMatchObject({ headersTimeout: 600_000, requestTimeout: 605_000 });
});

test("a body below the minimum rate ends long before REQUEST_TIMEOUT_MS", async () => {
  const { url } = await listening({ REQUEST_TIMEOUT_MS: "60000" });
  const { text, closed } = drip(url, "/echo");
  await closed;
  expect(statuses(text())).toEqual(["408"]);
  expect(text()).toContain("too slowly");
});

test("of an address's slow bodies 32 may go on", async () => {
  const { url, post } = await listening();
  const dripping = Array.from({ length: 100 }, () => drip(url, "/echo"));
  const answered = () => dripping.filter(({ text }) => text() !== "");
  await expect.poll(() => answered().length).toBe(68);
  await sleep(500);
  const refused = answered();
  expect(refused.length).toBe(68);
  expect(new Set(refused.flatMap(({ text }) => statuses(text())))).toEqual(new Set(["408"]));
  expect(await (await post({ a: 1 })).json()).toEqual({ body: { a: 1 } });
});

test("of a credential's slow bodies 32 may go on, wherever they come from", async () => {
  const { url } = await listening({ TRUSTED_PROXIES: "127.0.0.1" });
  const from = (index: number, key: string) =>
    drip(url, "/echo", [`X-API-Key: ${key}`, `X-Forwarded-For: 192.0.2.${index}`]);
  const dripping = Array.from({ length: 40 }, (_, index) => from(index, "one"));
  const other = from(99, "other");
  const refused = () => dripping.filter(({ text }) => text() !== "").length;
  await expect.poll(refused).toBe(8);
  await sleep(500);
  expect(refused()).toBe(8);
  expect(other.text()).toBe("");
});

test("a credential with the text of an address does not count for the client at that address", async () => {
  const { url } = await listening({ TRUSTED_PROXIES: "127.0.0.1" });
  const attacker = Array.from({ length: 32 }, () =>
    drip(url, "/echo", ["X-API-Key: 192.0.2.7", "X-Forwarded-For: 192.0.2.1"]),
  );
  await expect.poll(() => attacker.every(({ socket }) => socket.bytesWritten > 0)).toBe(true);
  const victim = drip(url, "/echo", ["X-Forwarded-For: 192.0.2.7"]);
  await sleep(2_500);
  expect(victim.text()).toBe("");
});

test("unfinished bodies hold a bounded memory also between two looks, and the address with most gives way", async () => {
  const looks = vi.spyOn(globalThis, "setInterval").mockReturnValue({ unref() {} } as never);
  onTestFinished(() => looks.mockRestore());
  const size = 100_000;
  const { url } = await listening({ MAX_BODY_BYTES: `${size}`, TRUSTED_PROXIES: "127.0.0.1" });
  const answers = { one: "", other: "" };
  const begin = (from: keyof typeof answers, address: string): net.Socket => {
    const socket = net.connect(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    socket
      .on("error", () => {})
      .on("data", (data) => {
        answers[from] += data;
      });
    const head = `POST /echo HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json`;
    socket.write(`${head}\r\nContent-Length: ${size}\r\n\r\n"${"a".repeat(size - 2)}`);
    return socket;
  };
  const oldest = begin("one", "192.0.2.1");
  for (let index = 0; index < 300; index++) begin("other", "192.0.2.2");
  const refused = () => answers.other.split("request bodies take too much memory").length - 1;
  await expect.poll(refused).toBeGreaterThanOrEqual(300 - slowBodies.all - slowBodies.all / 8);
  oldest.write('"');
  await expect.poll(() => statuses(answers.one)).toEqual(["200"]);
});

test("a request that the process makes of itself ends no body of others", async () => {
  const { server, url } = await listening();
  const { text } = drip(url, "/echo");
  const payload = new PassThrough();
  const headers = { "content-type": "application/json", "content-length": "2" };
  const answer = server.inject({ method: "POST", url: "/echo", headers, payload });
  await sleep(700); // two checks
  expect(text()).toBe("");
  payload.end("{}");
  expect((await answer).json()).toEqual({ body: {} });
});

test("a head that does not end is a 408, too, within the time and a second", async () => {
  const { url } = await listening({ REQUEST_TIMEOUT_MS: "600" });
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("error", () => {}).on("data", (data) => (text += data));
  socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  const timer = setInterval(() => socket.writable && socket.write("a"), 100);
  await once(socket, "close");
  clearInterval(timer);
  expect(statuses(text)).toEqual(["408"]);
});

test("a head that came while the process was paused is answered", async () => {
  const { server, url } = await listening({ REQUEST_TIMEOUT_MS: "600" });
  const accepted = once(server.server, "connection");
  const socket = net.connect(Number(url.port), url.hostname).setEncoding("latin1");
  onTestFinished(() => void socket.destroy());
  await accepted;
  socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  block(2_000);
  expect(statuses((await once(socket, "data"))[0])).toEqual(["200"]);
});

test("a stop ends what is unfinished soon, and nothing else", async () => {
  const { server, url, post, answer } = await listening();
  const underWay = fetch(new URL("/slow", url));
  const body = drip(url, "/echo");
  const head = net.connect(Number(url.port), url.hostname).on("error", () => {});
  const headClosed = once(head, "close");
  head.resume().write("GET /healthz HTTP/1.1\r\nHo");
  for (let turn = 0; turn < 3; turn++) await post({}); // all of them have begun to arrive
  const stopped = server.close();
  await Promise.all([body.closed, headClosed]);
  expect(statuses(body.text())).toEqual(["503"]);
  expect(body.text()).toMatch(/\r\nretry-after: 1\r\n/i);
  await sleep(1_500);
  answer();
  expect((await underWay).status).toBe(200);
  await stopped;
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["192.0.2.1:4711", "192.0.2.1"],
  ["[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2"],
  ["[::1]", "0:0:0:0"],
])("the block of %s is %s", (address, block) => expect(addressBlock(address)).toBe(block));

/** Sends a chunked body, and returns all that was answered. */
async function sendPieces(url: URL, path: string, pieces: readonly string[]): Promise<string> {
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("error", () => {}).on("data", (data) => (text += String(data)));
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  for (let at = 0; at < chunks.length && !socket.destroyed; at += 500) {
    socket.write(chunks.slice(at, at + 500).join(""));
    await sleep(0);
  }
  if (!socket.destroyed) socket.write("0\r\n\r\n");
  await closed;
  return text;
}

test("a chunked body in many small pieces is refused, one in real pieces is not", async () => {
  const { url, post, server } = await listening();
  const few = await sendPieces(url, "/echo", ['"', ...Array.from({ length: 900 }, () => "a"), '"']);
  expect(statuses(few)).toEqual(["200"]);
  const real = await sendPieces(url, "/echo", [
    '"',
    ...Array.from({ length: 5_000 }, () => "a".repeat(100)),
    '"',
  ]);
  expect(statuses(real)).toEqual(["200"]);
  const connected = once(server.server, "connection") as Promise<[net.Socket]>;
  const began = performance.now();
  const many = await sendPieces(url, "/echo", ['"', ...Array.from({ length: 500_000 }, () => "a")]);
  expect(performance.now() - began, "the next one costs as much").toBeGreaterThan(990);
  const [connection] = await connected;
  expect(["", "400"]).toContain(statuses(many).join()); // the client may still be writing when the connection is closed
  expect(connection.bytesRead, "of 3 MB").toBeLessThan(1_000_000);
  expect(await (await post({ a: 1 })).json()).toEqual({ body: { a: 1 } });
});

test.each([
  ["/echo", "415"],
  ["/nothing", "404"],
  ["/%zz", "400"],
])("the rest of an answered chunked body stays unread: %s", async (path, status) => {
  const { url, server } = await listening();
  const connected = once(server.server, "connection") as Promise<[net.Socket]>;
  const socket = net.connect(Number(url.port), url.hostname);
  let text = "";
  socket.on("error", () => {}).on("data", (data) => (text += String(data)));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  await expect.poll(() => statuses(text), { timeout: 10_000 }).toEqual([status]);
  const [{ bytesRead: before }] = await connected;
  socket.write("1\r\na\r\n".repeat(500_000)); // 3 MB
  const [connection] = await connected;
  await once(connection, "close");
  expect(connection.bytesRead - before).toBeLessThan(1_000_000);
});

test("a path that does not decode changes nothing of what is refused", async () => {
  const { url } = await listening();
  const socket = net.connect(Number(url.port), url.hostname);
  let text = "";
  socket.on("error", () => {}).on("data", (data) => (text += String(data)));
  socket.write("GET /%zz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "close");
  expect(statuses(text)).toEqual(["400"]);
  expect(text).toContain("exactly one Host");
});
