/** Clients that do not read their answers: their connections are closed, whatever they send, and the failure is counted. */
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import net from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { closeSlowReaders } from "../../../../src/engine/runtime/http/bodies/slow-readers.ts";
import { Connections } from "../../../../src/engine/runtime/http/connections.ts";
import { createServer } from "../../../../src/engine/runtime/http/server.ts";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import { slowReaders } from "../../../../src/engine/runtime/settings/capacity.ts";
import { configure } from "../graphql/configure.ts";

const { minimumRate } = slowReaders;
const windowMs = 30_000;

/** A connection whose client takes bytes when the test says so. */
class FakeSocket extends EventEmitter {
  writableLength = 10_000_000;
  readonly _handle = { bytesWritten: 10_000_000, writeQueueSize: 10_000_000 };
  readonly resetAndDestroy = vi.fn();

  take(bytes: number): void {
    this._handle.writeQueueSize -= bytes;
  }
}

function connected(): FakeSocket {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const server = new EventEmitter();
  closeSlowReaders(new Connections(server as Server, new Set(), 10, () => {}), windowMs);
  const socket = new FakeSocket();
  server.emit("connection", socket);
  return socket;
}

describe("a connection", () => {
  test("is closed once nothing was read for the whole window", () => {
    const socket = connected();
    vi.advanceTimersByTime(windowMs - 1_000);
    expect(socket.resetAndDestroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(socket.resetAndDestroy).toHaveBeenCalled();
  });

  test.each([
    ["a little more than the minimum each second", 1, minimumRate + 1],
    ["a large piece every 25 s", 25, 25 * minimumRate],
  ])("stays open while its client reads %s", (_, seconds, bytes) => {
    const socket = connected();
    for (let at = 0; at < 600; at += seconds) {
      vi.advanceTimersByTime(seconds * 1_000);
      socket.take(bytes);
    }
    expect(socket.resetAndDestroy).not.toHaveBeenCalled();
  });

  test("is closed if its client reads half of the minimum, however much it read at first", () => {
    const socket = connected();
    socket.take(9_000_000);
    for (let at = 0; at < 2 * (windowMs / 1_000) + 1; at++) {
      vi.advanceTimersByTime(1_000);
      socket.take(minimumRate / 2);
    }
    expect(socket.resetAndDestroy).toHaveBeenCalled();
  });

  test("stays open while nothing waits to be sent: idle, or a stream that pauses", () => {
    const socket = connected();
    socket.writableLength = 0;
    vi.advanceTimersByTime(10 * windowMs);
    expect(socket.resetAndDestroy).not.toHaveBeenCalled();
  });
});

test.each([
  ["one large buffer", Buffer.alloc(32 * 1_048_576)],
  ["a text", "x".repeat(32 * 1_048_576)],
])("%s that nobody reads ends with its connection, though its client goes on to send", async (_, body) => {
  const ended = vi.fn();
  const observer = { requestEnded: ended };
  onTestFinished(subscribe(observer));
  const server = createServer(configure({ REQUEST_TIMEOUT_MS: "1000" }));
  server.get("/large", () => body);
  const url = new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
  onTestFinished(() => server.close());
  const socket = net.connect(Number(url.port), url.hostname).on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.pause().write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  const sending = setInterval(() => socket.write("\r\n"), 50); // which a server skips before a request
  onTestFinished(() => clearInterval(sending));
  await expect.poll(() => ended.mock.calls.length).toBe(1);
  expect(ended.mock.calls[0]?.[0]).toMatchObject({
    status: 499,
    code: "CLIENT_CLOSED_REQUEST",
    reason: "slow_reader",
  });
  socket.resume();
  await closed;
});
