/** Connections that carry no request: beyond a bound the idle ones of the address that has most are closed. */
import { once } from "node:events";
import { createServer } from "node:http";
import net from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Connections } from "../../../../src/engine/runtime/http/connections.ts";
import { block } from "../block.ts";

/** A server that takes at most 10 connections. `/hold` is answered when the test ends. */
async function listening(keepAliveMs = 60_000) {
  const held: (() => void)[] = [];
  const server = createServer(({ url }, response) => {
    if (url === "/hold") held.push(() => response.end());
    else response.end("ok");
  });
  let told = 0;
  new Connections(server, new Set(), 10, () => void told++);
  Object.assign(server, { keepAliveTimeout: keepAliveMs, keepAliveTimeoutBuffer: 0 });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  onTestFinished(() => {
    for (const end of held) end();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  /** Connects from an address of the loopback net, sends `text`, and waits until it is read. */
  const connect = async (from: string, text: string) => {
    const connected = once(server, "connection") as Promise<[net.Socket]>;
    const socket = net.connect({ host: "127.0.0.1", port, localAddress: from });
    onTestFinished(() => void socket.destroy());
    const state = { isOpen: true, answer: "", send: (more: string) => void socket.write(more) };
    socket.on("error", () => {}).on("close", () => (state.isOpen = false));
    socket.on("data", (data) => (state.answer += data));
    const [taken] = await connected;
    if (text) {
      socket.write(text);
      await expect.poll(() => taken.bytesRead > 0 || taken.destroyed).toBe(true);
    }
    return state;
  };
  return { connect, held, told: () => told };
}

const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const open = (all: readonly { isOpen: boolean }[]): boolean[] => all.map(({ isOpen }) => isOpen);

test("an address that opens them all keeps no other out, and loses its oldest ones", async () => {
  const { connect, told } = await listening();
  const idle: { isOpen: boolean }[] = [];
  for (const text of [ask("/"), ask("/"), "", "GET / HT", ...Array(6).fill("")])
    idle.push(await connect("127.0.0.2", text));
  expect([open(idle), told()]).toEqual([Array(10).fill(true), 0]);
  const others = [];
  for (const _ of [1, 2, 3]) {
    const other = await connect("127.0.0.3", ask("/"));
    await expect.poll(() => other.answer).toContain("200 OK");
    others.push(other);
  }
  await expect.poll(() => open(idle)).toEqual([...Array(3).fill(false), ...Array(7).fill(true)]);
  expect([open(others), told()]).toEqual([[true, true, true], 3]);
});

test("a connection with a request under way is never closed, and without an idle one the newest is", async () => {
  const { connect, held } = await listening();
  const busy: { isOpen: boolean }[] = [];
  for (const _ of Array(10)) busy.push(await connect("127.0.0.2", ask("/hold")));
  await expect.poll(() => held.length).toBe(10);
  const newest = await connect("127.0.0.3", "");
  await expect.poll(() => newest.isOpen).toBe(false);
  expect(open(busy)).toEqual(Array(10).fill(true));
});

test("an address that sends a part of a body on each connection keeps no other out", async () => {
  const { connect } = await listening();
  const unfinished: { isOpen: boolean }[] = [];
  const part = "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{";
  for (const text of [ask("/hold"), ...Array(9).fill(part)])
    unfinished.push(await connect("127.0.0.2", text));
  const other = await connect("127.0.0.3", ask("/"));
  await expect.poll(() => other.answer).toContain("200 OK");
  await expect.poll(() => open(unfinished)).toEqual([true, false, ...Array(8).fill(true)]);
});

test("a connection is closed after the keep-alive time-out, unless a request came while the process was paused", async () => {
  const { connect } = await listening(200);
  const idle = await connect("127.0.0.2", ask("/"));
  const used = await connect("127.0.0.2", ask("/"));
  for (const state of [idle, used]) await expect.poll(() => state.answer).toContain("200 OK");
  await turn(); // timers come next
  used.send(ask("/"));
  block(400);
  await expect.poll(() => open([idle, used])).toEqual([false, false]);
  expect([idle, used].map(({ answer }) => answer.split("200 OK").length - 1)).toEqual([1, 2]);
});
