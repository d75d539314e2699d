/** Connections that the kernel has taken and Node has not are accepted before a port is closed. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { drainAcceptQueue } from "../../../src/engine/server/graceful-shutdown.ts";

/** Connects from another process, while this one does nothing. */
const connect = (port: number, times: number): void => {
  const script = `let open = 0;
for (let n = 0; n < ${times}; n++)
  require("node:net").connect(${port}, "127.0.0.1", () => ++open === ${times} && process.exit(0));`;
  execFileSync(process.execPath, ["-e", script], { timeout: 30_000 });
};

test("all that wait are accepted", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted++;
    socket.destroy();
  });
  connect((server.address() as AddressInfo).port, 30);
  expect(accepted).toBe(0);
  await drainAcceptQueue(server);
  expect(accepted).toBe(30);
});

test("a server without waiting connections is ready at once, and keeps no listener", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  await drainAcceptQueue(server);
  expect(server.listenerCount("connection")).toBe(0);
});
