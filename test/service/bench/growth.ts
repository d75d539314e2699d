/**
 * How cost grows: time and CPU of the graphql role against items per list, failures, links per level, fields per
 * operation, outcomes of conditions, distinct operations and apps' manifests, and what memory it keeps. Each table's last column is the
 * CPU of one unit: where it stays or falls, cost grows no faster than its work. `npm run bench -- growth [table]`; `SECONDS`
 * is the time a row, 0.5 unless told; below 0.1, nothing is repeated.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { api } from "../../../generated/index.ts";
import { type Config, readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { createGraphql } from "../../../src/engine/server/graphql-role.ts";
import { readArguments } from "../../support/script-arguments.ts";
import type { Shape } from "./growth-upstream.ts";

const { args } = await readArguments("npm run bench -- growth", (line) =>
  line
    .description("Measures how the cost of the graphql role grows with the size of its work.")
    .argument("[table]", "a part of a table's title; without one, all tables"),
);
const [part = ""] = args;
let tables = 0;
const isWanted = (title: string): boolean => title.includes(part) && ++tables > 0;
const upstream = fork(new URL("growth-upstream.ts", import.meta.url).pathname);
const [url] = (await once(upstream, "message")) as [string];
const environment = {
  REST_BASE_URL: url,
  LOG_LEVEL: "silent",
  ...Object.fromEntries(
    [
      "MAX_ALIASES",
      "MAX_TOKENS",
      "MAX_ROOT_FIELDS",
      "MAX_BOUND_FIELDS",
      "MAX_DIRECTIVES",
      "MAX_REST_CALLS",
      "MAX_BODY_BYTES",
      "MAX_ANSWER_BYTES",
    ].map((limit) => [limit, "100000000"]),
  ),
};
const server = await createGraphql(readConfig(environment, ["graphql"]), api);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const ask = (query: string, variables: object = {}): Promise<number> => send(server, { query, variables });

async function send(role: typeof server, payload: object): Promise<number> {
  const startedAt = performance.now();
  const { statusCode, body } = await role.inject({
    method: "POST",
    url: "/v1/graphql",
    headers: { "x-api-key": "sk_test_growth" },
    payload,
  });
  if (statusCode !== 200 || body.length < 10) throw new Error(`${statusCode}: ${body.slice(0, 300)}`);
  return performance.now() - startedAt;
}

const tell = async (shape: Shape): Promise<void> => {
  upstream.send(shape);
  await once(upstream, "message");
};

type Row = {
  readonly size: number;
  readonly units?: number;
  readonly shape: Shape;
  readonly query: () => string;
};

const rowMs = Number(process.env.SECONDS ?? 0.5) * 1_000;
const isShort = rowMs < 100;

/** Repeats each row, after a warm-up; prints the median time and the CPU. */
async function table(title: string, unit: string, rows: readonly Row[]): Promise<void> {
  if (!isWanted(title)) return;
  const printed: Record<string, unknown>[] = [];
  for (const { size, units = size, shape, query } of rows) {
    await tell(shape);
    const { p50, cpu } = await measure(() => ask(query()));
    printed.push({
      [unit]: size,
      "p50 ms": round(p50),
      "CPU ms": round(cpu),
      [`CPU µs a ${unit}`]: round((cpu * 1_000) / units),
    });
  }
  console.log(`\n${title}`);
  console.table(printed);
}

/** The median time of a request and its CPU, in ms. */
async function measure(request: () => Promise<number>): Promise<{ p50: number; cpu: number }> {
  await repeat(request, 0.3 * rowMs);
  collect();
  const before = process.cpuUsage();
  const times = await repeat(request, rowMs);
  const { user, system } = process.cpuUsage(before);
  return { p50: median(times), cpu: (user + system) / 1_000 / times.length };
}

async function repeat(request: () => Promise<number>, ms: number): Promise<number[]> {
  const times: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until || times.length < (isShort ? 1 : 3); )
    times.push(await request());
  return times;
}

const median = (times: number[]): number => times.sort((left, right) => left - right)[times.length >> 1] ?? 0;

const round = (value: number): number => Number(value.toPrecision(3));
const range = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");
const sizes = [1, 10, 100, 1_000, 10_000];
const always = (query: string) => () => query;

const plain = always("{ contacts { id name email phone company tags createdAt } }");
await table(
  "items per list",
  "item",
  sizes.map((items) => ({ size: items, shape: { items }, query: plain })),
);
await table(
  "failures: two values of each item have a wrong type",
  "item",
  sizes.map((items) => ({ size: items, shape: { items, broken: true }, query: plain })),
);
const linked = always("{ contacts { id owner { id } } }");
await table(
  "links per level",
  "link",
  sizes.map((items) => ({ size: items, shape: { items }, query: linked })),
);
await table(
  "failed links per level",
  "link",
  sizes.map((items) => ({ size: items, shape: { items, failing: true }, query: linked })),
);
await table(
  "links of an item, on 100 items that all fail",
  "link",
  [1, 10, 100].map((links) => ({
    size: links,
    shape: { items: 100, failing: true },
    query: always(`{ contacts { ${range(links, (index) => `l${index}: owner { id a${index}: id }`)} } }`),
  })),
);
await table(
  "fields per operation, on 10 items",
  "field",
  [1, 10, 100, 1_000].map((fields) => ({
    size: fields,
    shape: { items: 10 },
    query: always(`{ contacts { ${range(fields, (index) => `f${index}: name`)} } }`),
  })),
);
await table(
  "REST calls per operation",
  "call",
  [1, 10, 100, 1_000].map((calls) => ({
    size: calls,
    shape: { items: 1 },
    query: always(`{ ${range(calls, (index) => `c${index}: contacts(q: "${index}") { id }`)} }`),
  })),
);
await outcomes();
await distinctOperations();
await appsOfOperations();
await server.close();
upstream.kill();
if (tables === 0) throw new Error(`no table has '${part}' in its title`);

/** Every outcome of k conditions would have a plan of its own. */
async function outcomes(): Promise<void> {
  const title = "outcomes of @skip and @include";
  if (!isWanted(title)) return;
  await tell({ items: 10 });
  const printed: Record<string, unknown>[] = [];
  for (const count of [1, 2, 4, 6, 8]) {
    const query = `query (${range(count, (index) => `$v${index}: Boolean!`)}) { contacts { id ${range(count, (index) => `f${index}: name @include(if: $v${index})`)} } }`;
    const before = process.cpuUsage();
    for (let round = 0; round < 256; round++)
      await ask(
        query,
        Object.fromEntries(
          Array.from({ length: count }, (_, bit) => [`v${bit}`, ((round >> bit) & 1) === 1]),
        ),
      );
    const { user, system } = process.cpuUsage(before);
    printed.push({ outcomes: 2 ** count, "CPU ms": round((user + system) / 256_000) });
  }
  console.log(`\n${title}, 256 requests`);
  console.table(printed);
}

/** Operations that were never seen before, then memory after all of them. */
async function distinctOperations(): Promise<void> {
  const title = "distinct operations";
  if (!isWanted(title)) return;
  await tell({ items: 10 });
  const printed: Record<string, unknown>[] = [];
  let seen = 0;
  for (const count of [100, 1_000, 5_000, 10_000, 20_000]) {
    const before = process.cpuUsage();
    const times: number[] = [];
    const from = seen;
    for (; seen < count; seen++)
      times.push(
        await ask(
          `query Q${seen} { a${seen}: contacts { id name email phone company tags createdAt owner { id name kind } } conversations { id subject status contact { id name } messages(last: 3) { id body author { __typename ... on AgentAuthor { agentId } } } } }`,
        ),
      );
    const { user, system } = process.cpuUsage(before);
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    printed.push({
      operations: count,
      "p50 ms": round(median(times)),
      "CPU ms": round((user + system) / 1_000 / (count - from)),
      "heap MiB": Math.round(heapUsed / 1_048_576),
      "RSS MiB": Math.round(rss / 1_048_576),
    });
  }
  console.log(`\n${title}, each asked once`);
  console.table(printed);
}

/** What the manifests of apps add to a start, and what a request by one of their ids costs beside the others. */
async function appsOfOperations(): Promise<void> {
  const title = "apps of 200 operations";
  if (!isWanted(title)) return;
  await tell({ items: 10 });
  const printed: Record<string, unknown>[] = [];
  const folder = mkdtempSync(join(tmpdir(), "growth-apps-"));
  let written = 0;
  for (const apps of [0, 1, 10, 100]) {
    for (; written < apps; written++) writeFileSync(join(folder, `app${written}.json`), manifestOf(written));
    const config = readConfig({ ...environment, OPERATIONS: "saved", OPERATIONS_FROM: folder }, ["graphql"]);
    const starts: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      collect();
      const startedAt = performance.now();
      const role = await createGraphql(config, api);
      starts.push(performance.now() - startedAt);
      await role.close();
    }
    const row = { apps, "start ms": round(median(starts)) };
    printed.push(apps > 0 ? { ...row, ...(await costById(config, apps)) } : row);
  }
  rmSync(folder, { recursive: true });
  console.log(`\n${title}, a request by id`);
  console.table(printed);
}

/** Measured when all texts are checked against the schema, which is done beside the first requests. */
async function costById(config: Config, apps: number): Promise<Record<string, unknown>> {
  const role = await createGraphql(config, api);
  const startedAt = performance.now();
  while (role.apps.refused.length < apps) await setTimeout(100);
  const checked = (performance.now() - startedAt) / 1_000;
  const { p50, cpu } = await measure(() => send(role, { documentId: `${apps - 1}-0` }));
  await role.close();
  return { "s until checked": round(checked), "p50 ms": round(p50), "CPU ms a request": round(cpu) };
}

/** The last one does not fit the schema. */
function manifestOf(app: number): string {
  const operations = Array.from({ length: 200 }, (_, index) => [
    `${app}-${index}`,
    `query Q${app}_${index} { contacts { id name email phone ${index < 199 ? "company" : "gone"} tags owner { id name } } }`,
  ]);
  return JSON.stringify(Object.fromEntries(operations));
}
