/** Requests on one connection that wait for no answer: sockets are the point of these tests. */
import { once } from "node:events";
import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createServer } from "../../../../src/engine/runtime/http/server.ts";
import { configure } from "../graphql/configure.ts";

async function listening() {
  const server = createServer(configure());
  const url = new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
  onTestFinished(() => server.close());
  const connect = async () => {
    const socket = net.connect(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    let answers = 0;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      answers += chunk.toString("latin1").split("HTTP/1.1 200 OK").length - 1;
    });
    await once(socket, "connect");
    const ask = (path: string, count: number) =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count));
    return { socket, ask, answers: () => answers };
  };
  return { url, connect };
}

test("64 are answered, and 64 more after them", async () => {
  const { connect } = await listening();
  const { ask, answers, socket } = await connect();
  for (const total of [64, 128]) {
    ask("/healthz", 64);
    await expect.poll(answers).toBe(total);
  }
  expect(socket.destroyed).toBe(false);
});

test.each(["/healthz", "/nothing", "/%zz"])("a flood for %s ends with its connection", async (path) => {
  const { url, connect } = await listening();
  const flood = await connect();
  const other = await connect();
  const closed = once(flood.socket, "close");
  flood.ask(path, 1_800);
  await closed;
  other.ask("/healthz", 1);
  await expect.poll(other.answers).toBe(1);
  expect((await fetch(new URL("/readyz", url))).status).toBe(200);
});
