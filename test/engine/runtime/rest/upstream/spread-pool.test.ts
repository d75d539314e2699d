/** Connections to an upstream end after a while, and no request is lost by it. */
import { expect, onTestFinished, test, vi } from "vitest";
import { spreadPool } from "../../../../../src/engine/runtime/rest/upstream/spread-pool.ts";
import { upstreamConnectionMs } from "../../../../../src/engine/runtime/settings/capacity.ts";
import { http, rawServer } from "../raw-server.ts";

async function against() {
  const server = await rawServer((socket) => void socket.write(http(200, "{}")));
  let connections = 0;
  const pool = spreadPool(server.url.origin, { connections: 1 });
  pool.on("connect", () => connections++);
  onTestFinished(() => pool.destroy());
  const ask = async () => {
    const { statusCode, body } = await pool.request({ path: "/", method: "POST", body: "{}" });
    await body.dump();
    return statusCode;
  };
  return { ask, connections: () => connections };
}

test("a connection ends with the first request after its time, and requests that wait for it are sent", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { ask, connections } = await against();
  for (let asked = 0; asked < 5; asked++) await ask();
  expect(connections()).toBe(1);
  vi.advanceTimersByTime(2 * upstreamConnectionMs);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200]);
  expect(connections()).toBe(2);
});
