/** A `100 Continue` that nobody asked for (RFC 9110 §15.2), which undici alone takes for the end of the connection. */
import net from "node:net";
import tls from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { maxInterimResponses } from "../../../../../src/engine/runtime/http/upstream-failure.ts";
import { makeAuthority } from "../../../../support/certificates.ts";
import { against, failureOf } from "../client.ts";
import { type Answer, http } from "../raw-server.ts";

const oneConnection = { REST_CONNECTIONS: "1" };
const continued = "HTTP/1.1 100 Continue\r\n\r\n";
const final = String(http(200, '{"fine":true}'));

/** Writes the text in pieces of so many bytes, each in a packet of its own. */
async function writeSlowly(socket: net.Socket, text: string, bytes: number): Promise<void> {
  socket.setNoDelay();
  for (let at = 0; at < text.length; at += bytes) {
    socket.write(text.slice(at, at + bytes));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const inPieces =
  (text: string, bytes: number): Answer =>
  (socket) =>
    void writeSlowly(socket, text, bytes);

describe.each([
  ["one", continued],
  ["two", continued.repeat(2)],
  ["one without a reason", "HTTP/1.1 100 \r\n\r\n"],
  ["one with headers", "HTTP/1.1 100 Continue\r\nServer: x\r\nContent-Length: 5\r\n\r\n"],
  ["one that announces a close", "HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n"],
  ["another that announces a close", "HTTP/1.1 103 X\r\nA: b\r\nconnection: close\r\n\r\n"],
  ["one that announces chunks", "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ["one of a proxy", "HTTP/1.1 102 X\r\nProxy-Connection: close\r\nUpgrade: x\r\n\r\n"],
  ["one among others", `HTTP/1.1 103 X\r\nLink: </a>\r\n\r\n${continued}HTTP/1.1 102 X\r\n\r\n`],
  ["one after an empty line", `\r\n${continued}`],
  [`${maxInterimResponses}`, continued.repeat(maxInterimResponses)],
])("100 Continue: %s", (_which, interim) => {
  test.each([
    ["in one chunk with the response", 10_000],
    ["in chunks of 7 bytes", 7],
    ["in chunks of its own size", interim.length],
  ])("%s", async (_how, bytes) => {
    const { rest, server } = await against(inPieces(interim + final, bytes), oneConnection);
    expect(await rest.get("/things")).toEqual({ fine: true });
    expect(await rest.post("/things", { body: {} })).toEqual({ fine: true });
    expect([server.requests.length, server.open()]).toEqual([2, 1]);
  });
});

test("a 100 and the response that come byte by byte", async () => {
  const { rest, server } = await against(inPieces(continued + final, 1), {
    ...oneConnection,
    CALL_TIMEOUT_MS: "9000",
  });
  expect(await rest.post("/things", { body: {} })).toEqual({ fine: true });
  expect(await rest.get("/things")).toEqual({ fine: true });
  expect([server.requests.length, server.open()]).toEqual([2, 1]);
});

test("a 100 long before the response, to a request with a large body", async () => {
  const { rest } = await against((socket) => {
    socket.write(continued);
    setTimeout(() => socket.write(final), 100);
  });
  expect(await rest.post("/things", { body: { text: "x".repeat(300_000) } })).toEqual({ fine: true });
});

const text = { "content-type": "text/plain" };
const chunked = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${body.length.toString(16)}\r\n${body}\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

test.each<[string, string, (body: string) => string]>([
  ["a length", continued, (body) => String(http(200, body + body, text))],
  ["chunks", continued, chunked],
  ["a length, without a 100 before", "", (body) => String(http(200, body + body, text))],
  ["chunks, without a 100 before", "", chunked],
])("a body with %s that looks like a 100 stays as it is", async (_how, before, response) => {
  const body = `${continued}HTTP/1.1 100 Continue\r\nA: b\r\n\r\n`;
  const head = response(body).indexOf("\r\n\r\n") + 4;
  for (const bytes of [10_000, continued.length, 5]) {
    const { request, server } = await against((socket) => {
      socket.write(before + response(body).slice(0, head));
      setTimeout(() => void writeSlowly(socket, response(body).slice(head), bytes), 5);
    }, oneConnection);
    for (const caller of ["a", "b", "c"]) expect(await request(caller).get("/motto")).toBe(body + body);
    expect([server.requests.length, server.open()]).toEqual([3, 1]);
  }
});

test.each([
  ["in one chunk", 100_000],
  ["in chunks", 40],
])("a flood of 100s %s fails the call", async (_how, bytes) => {
  const flood = continued.repeat(maxInterimResponses + 1) + final;
  const { rest, server } = await against(inPieces(flood, bytes));
  expect(await failureOf(rest.post("/things", { body: {} }))).toMatchObject({
    code: "BAD_UPSTREAM_RESPONSE",
    message: expect.stringMatching(/too many interim responses; its outcome is unknown/),
  });
  expect(server.requests).toHaveLength(1);
  await expect.poll(() => server.open()).toBe(0);
});

test.each([
  ["a 101", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["a 1000", "HTTP/1.1 1000 X\r\n\r\n"],
  ["a 100 of HTTP/1.0", "HTTP/1.0 100 Continue\r\n\r\n"],
  ["a 100 whose lines end without a CR", "HTTP/1.1 100 Continue\n\n"],
  ["a 100 without an end", "HTTP/1.1 100 Continue\r\n"],
])("%s still fails the call", async (_what, interim) => {
  const { rest } = await against((socket) => socket.write(interim + final));
  await failureOf(rest.post("/things", { body: {} }));
});

test("a 100 over TLS", async () => {
  const authority = makeAuthority();
  onTestFinished(authority.remove);
  let port = 0;
  const secure = tls.createServer(authority.issue(), (socket) => {
    const plain = net.connect(port, "127.0.0.1");
    for (const side of [socket, plain]) side.on("error", () => side.destroy());
    socket.pipe(plain).pipe(socket);
  });
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void secure.close());
  const { rest, server } = await against(inPieces(continued + final, 9), {
    REST_BASE_URL: `https://127.0.0.1:${(secure.address() as net.AddressInfo).port}`,
    UPSTREAM_CA_FILE: authority.file,
  });
  port = Number(server.url.port);
  expect(await rest.post("/things", { body: {} })).toEqual({ fine: true });
  expect(await rest.get("/things")).toEqual({ fine: true });
  expect(server.requests).toHaveLength(2);
});
