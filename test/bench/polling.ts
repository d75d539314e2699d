/**
 * What polling costs: 50 clients ask the dashboard's query again and again. With a key each, nothing is shared. With one key,
 * reads that wait together are one call. Then REST allows to keep its responses for an hour. At last the clients ask by GET
 * for a saved operation (five products, seven REST calls), and have the answer already. Requests/s, requests for each second
 * of the role's processor time and their ratio to the first row, and REST calls a field. The load itself takes a core, so it
 * bounds the requests/s of the last rows. `npm run bench:polling`.
 */
import { readManifest } from "../../src/graphql/saved/manifest.ts";
import { cpuMs, main, pinSelf } from "../child-process.ts";
import { readArguments } from "../script-arguments.ts";
import { connections, file, type Load, load, median, run, type Server } from "./measure.ts";
import { bodyOf } from "./workloads.ts";

await readArguments("npm run bench:polling", (line) =>
  line.description("Measures what repeated queries of one caller cost."),
);
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 2);
const fields = 5;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const upstreams = [
  await run(1, [file("upstream.ts")]),
  await run(1, [file("upstream.ts")], { CACHE_CONTROL: "max-age=3600" }),
];
const [keyed, fresh] = upstreams as [Server, Server];
const start = ({ url }: Server) => run(0, [main, "graphql"], { REST_BASE_URL: url.origin });
/** Each row but the last has a role of its own, so that no caller of another row takes a share. */
const [manyKeys, oneKey, keeping] = [await start(keyed), await start(keyed), await start(fresh)];

const callsOf = async ({ url }: Server): Promise<number> =>
  Number(await (await fetch(new URL("/calls", url))).text());

const headers = { "x-api-key": "key-0" };
const saved = readManifest().find(({ name }) => name === "Dashboard");
const variables = JSON.stringify({ from: "2026-11-01", to: "2026-11-28" });
const path = `/v1/graphql?${new URLSearchParams({ documentId: saved?.id ?? "", variables })}`;
const tag = (await fetch(new URL(path, keeping.url), { headers })).headers.get("etag") ?? "";
const bodies = [bodyOf("dashboard")];
const rows: [name: string, server: Server, Partial<Load>][] = [
  ["a key for each client", manyKeys, { bodies }],
  ["one key", oneKey, { bodies, keys: 1 }],
  ["one key, REST's responses are kept", keeping, { bodies, keys: 1 }],
  [
    "the client has the answer (304)",
    keeping,
    { keys: 1, method: "GET", path, headers: { "if-none-match": tag }, status: 304 },
  ],
];

try {
  for (const [, server, given] of rows)
    await load(server, { clients: connections, ms: 3_000 * seconds, ...given });
  const measured = rows.map(() => ({ rates: [] as number[], ofCore: [] as number[], calls: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, [, server, given]] of rows.entries()) {
      const upstream = server === keeping ? fresh : keyed;
      const before = await callsOf(upstream);
      const cpuBefore = cpuMs(server);
      const times = await load(server, { clients: connections, ms: 1_000 * seconds, ...given });
      measured[index]?.rates.push(times.length / seconds);
      measured[index]?.ofCore.push((1_000 * times.length) / (cpuMs(server) - cpuBefore));
      measured[index]?.calls.push(((await callsOf(upstream)) - before) / times.length / fields);
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
  for (const program of [manyKeys, oneKey, keeping, ...upstreams]) await program.stop("SIGTERM");
}
