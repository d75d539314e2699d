/**
 * The cost of polling: 50 clients ask the dashboard's query again and again. With 50 keys, little is shared. With one key,
 * reads that wait together are one call. Then REST allows to keep its responses for an hour. At last the clients ask by GET
 * for a saved operation (five products, seven REST calls), and have the answer already. Requests/s, requests for each second
 * of the role's processor time and their ratio to the first row, and REST calls a field. wrk is the load, and nginx is REST:
 * slower ones would send one request after the other, and few would wait together. The requests come as from a gateway, from
 * one tenant, which is alone. `npm run bench -- polling`.
 */
import { api } from "../../../generated/index.ts";
import { proofHeader } from "../../../src/engine/runtime/http/gateway-proof.ts";
import { cpuMs, main, pinSelf } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { connections, median, run, type Server } from "./measure.ts";
import { type Nginx, startNginx } from "./nginx.ts";
import { bodyOf } from "./workloads.ts";
import { type WrkLoad, wrk } from "./wrk.ts";

await readArguments("npm run bench -- polling", (line) =>
  line.description("Measures what repeated queries of one caller cost."),
);
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 2);
const fields = 5;

/** The proof that requests come from the gateway. */
const secret = "s".repeat(32);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const keyed = await startNginx("no-store");
const fresh = await startNginx("max-age");
const start = ({ url }: Nginx) =>
  run(0, [main, "graphql"], { REST_BASE_URL: url.origin, GATEWAY_SECRET: secret });
/** Each row but the last has a role of its own, so that no caller of another row takes a share. */
const manyKeys = await start(keyed);
const oneKey = await start(keyed);
const keeping = await start(fresh);

const tenant = { [proofHeader]: secret, "x-service-tenant-id": "ten_1" };
const headers = { ...tenant, "x-api-key": "key-0" };
const saved = api.savedOperations.find(({ name }) => name === "Dashboard");
const variables = JSON.stringify({ from: "2026-11-01", to: "2026-11-28" });
const path = `/v1/graphql?${new URLSearchParams({ documentId: saved?.id ?? "", variables })}`;
const tag = (await fetch(new URL(path, keeping.url), { headers })).headers.get("etag") ?? "";
const bodies = [bodyOf("dashboard")];
const rows: [name: string, server: Server, path: string, Pick<WrkLoad, "keys" | "bodies" | "headers">][] = [
  ["50 keys", manyKeys, "/v1/graphql", { bodies, keys: connections }],
  ["one key", oneKey, "/v1/graphql", { bodies, keys: 1 }],
  ["one key, REST's responses are kept", keeping, "/v1/graphql", { bodies, keys: 1 }],
  ["the client has the answer (304)", keeping, path, { keys: 1, headers: { "if-none-match": tag } }],
];

try {
  const ask = ([, { url }, path, given]: (typeof rows)[number], seconds: number) =>
    wrk(new URL(path, url), { connections, seconds, ...given, headers: { ...tenant, ...given.headers } });
  for (const row of rows) await ask(row, 3 * seconds);
  const { status } = await fetch(new URL(path, keeping.url), {
    headers: { ...headers, "if-none-match": tag },
  });
  if (status !== 304) throw new Error(`a client that has the answer got ${status}`);
  const measured = rows.map(() => ({ rates: [] as number[], ofCore: [] as number[], calls: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, row] of rows.entries()) {
      const [, server] = row;
      const upstream = server === keeping ? fresh : keyed;
      const before = await upstream.calls();
      const cpuBefore = cpuMs(server);
      const { requests, seconds: took } = await ask(row, seconds);
      measured[index]?.rates.push(requests / took);
      measured[index]?.ofCore.push((1_000 * requests) / (cpuMs(server) - cpuBefore));
      measured[index]?.calls.push(((await upstream.calls()) - before) / requests / fields);
    }
  const base = median(measured[0]?.ofCore ?? []);
  console.log(
    "| 50 clients | requests/s | requests/s of a core | ratio | REST calls a field |\n| --- | --- | --- | --- | --- |",
  );
  for (const [index, [name]] of rows.entries()) {
    const [rate, ofCore, calls] = (["rates", "ofCore", "calls"] as const).map((key) =>
      median(measured[index]?.[key] ?? []),
    ) as [number, number, number];
    const cells = [rate.toFixed(0), ofCore.toFixed(0), (ofCore / base).toFixed(1), calls.toFixed(2)];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
} finally {
  for (const program of [manyKeys, oneKey, keeping]) await program.stop("SIGTERM");
  for (const upstream of [keyed, fresh]) upstream.stop();
}
