/**
 * A thousand sockets that send a header byte by byte and never finish. The others are served as before,
 * and the sockets are closed once the request's time is over.
 */
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { memoryMiB } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { headers, query } from "./requests.ts";
import { startRest, startRole } from "./role.ts";

await readArguments("npm run suite -- slow-clients", (line) =>
  line.description("Opens a thousand sockets that never finish a header."),
);
const verdict = new Verdict("slow-clients");
const total = Number(process.env.SOCKETS ?? 1_000);
const requestTimeoutMs = Number(process.env.REQUEST_TIMEOUT_MS ?? 15_000);
const rest = await startRest();
const role = await startRole(rest.url, { REQUEST_TIMEOUT_MS: String(requestTimeoutMs) });
const pool = new Pool(role.url.origin, { connections: 10 });

async function timed(): Promise<number> {
  const began = performance.now();
  const { statusCode, body } = await pool.request({
    path: "/v1/graphql",
    method: "POST",
    headers,
    body: query,
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  return performance.now() - began;
}

async function median(count: number): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) times.push(await timed());
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}

await median(200);
const before = await median(200);
const sockets = Array.from({ length: total }, () =>
  net.connect(Number(role.url.port), "127.0.0.1").on("error", () => {}),
);
let open = total;
const began = performance.now();
let lastClosed = Number.NaN;
for (const socket of sockets) {
  socket.on("close", () => {
    open--;
    lastClosed = performance.now() - began;
  });
  socket.resume().write("POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Slow: ");
}
const drip = setInterval(
  () => sockets.forEach((socket) => void (socket.writable && socket.write("a"))),
  1_000,
);
await sleep(1_000);
const during = await median(200);
while (open > 0 && performance.now() - began < requestTimeoutMs + 15_000) await sleep(100);
clearInterval(drip);
process.stdout.write(
  `${total} sockets: median ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms during; ${open} still open, last closed after ${(lastClosed / 1_000).toFixed(1)} s; ${memoryMiB(role, "VmRSS").toFixed(0)} MiB\n`,
);
verdict.hold("sockets that are still open", open);
// a whole request has 5 s more, so its limit would close them later
verdict.hold("time until the last was closed, of the time for a header", lastClosed / requestTimeoutMs);
verdict.hold("median of another client beside them, of what it was", during / before);
for (const socket of sockets) socket.destroy();
await pool.destroy();
await role.stop();
rest.close();
