/**
 * The sizing table of docs/guides/operating.md: how many requests a second one core of a role takes, and how much memory the
 * process holds then, by workload. Each row has a fresh process, as in production, with metrics, alone on one core; REST and
 * the load run on another. A request's processor time is measured, which a busy machine changes less than its rate.
 * `npm run bench -- sizing`; `SECONDS` a measurement by the environment.
 */
import { cpus } from "node:os";
import { goodKey } from "../../engine/gateway/fakes.ts";
import { cpuMs, main, memoryMiB, pinSelf } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { connections, file, type Load, load, run, type Server } from "./measure.ts";
import { bodyOf } from "./workloads.ts";

await readArguments("npm run bench -- sizing", (line) =>
  line.description("Measures requests a second for each core, and memory, of both roles: a Markdown table."),
);
const ms = 1_000 * Number(process.env.SECONDS ?? 5);
/** V8 goes on optimizing for that long. */
const warmUpMs = 1.5 * ms;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const upstream = await run(1, [file("upstream.ts")]);
const production = {
  ...{
    NODE_ENV: "production",
    METRICS_PORT: "0",
    API_ENVIRONMENT: "test",
    REST_BASE_URL: upstream.url.origin,
  },
  ...{ RATE_LIMIT_PER_KEY: "100000000", RATE_LIMIT_PER_ADDRESS: "100000000" },
};
const secret = { GATEWAY_SECRET: "the-secret-of-a-bench-on-loopback" };
const behind = await run(1, [main, "graphql"], { ...production, ...secret });
const gateway = {
  ...{ ...production, ...secret, GRAPHQL_URL: behind.url.origin },
  KEY_INTROSPECTION_URL: `${upstream.url.origin}/internal/keys/introspect`,
};
const byKey = { clients: 16, headers: { "x-api-key": goodKey } };
const dashboard = [bodyOf("dashboard")];
type Row = readonly [role: "graphql" | "gateway", what: string, Partial<Load>];
const rows: readonly Row[] = [
  ["graphql", "the caller's profile: one REST call", { bodies: [bodyOf("me")] }],
  ["graphql", "50 conversations with contact and assignee: three REST calls", { bodies: [bodyOf("nested")] }],
  ["graphql", "a dashboard of five products: five REST calls", { bodies: dashboard }],
  [
    "graphql",
    "the same dashboard, polled with one key: reads that wait are shared",
    { bodies: dashboard, keys: 1 },
  ],
  ["gateway", "a REST call", { ...byKey, method: "GET", path: "/v1/identity/me" }],
  ["gateway", "a GraphQL request, the dashboard's answer", { ...byKey, bodies: dashboard }],
];

async function measure([role, , given]: Row) {
  const program = await run(0, [main, role], role === "gateway" ? gateway : production);
  try {
    await load(program, { clients: connections, ms: warmUpMs, ...given });
    const before = cpuMs(program);
    const { length } = await load(program, { clients: connections, ms, ...given });
    const perRequest = (cpuMs(program) - before) / length;
    return { perRequest, memory: memoryMiB(program, "VmHWM"), bytes: await bytesOf(program, given) };
  } finally {
    await program.stop();
  }
}

async function bytesOf(
  { url }: Server,
  { path, method = "POST", headers, bodies }: Partial<Load>,
): Promise<number> {
  const asked = { "content-type": "application/json", "x-api-key": "key", ...headers };
  const body = bodies?.[0] ?? null;
  const answer = await fetch(new URL(path ?? url.pathname, url), { method, headers: asked, body });
  return (await answer.arrayBuffer()).byteLength;
}

try {
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus()[0]?.model.trim()}\n`,
  );
  console.log(
    "| role | workload | answer | requests/s a core | memory at most |\n| --- | --- | --- | --- | --- |",
  );
  for (const row of rows) {
    const { perRequest, memory, bytes } = await measure(row);
    const size = `${(bytes / 1_024).toFixed(1)} KiB`;
    const rate = Math.round(1_000 / perRequest / 10) * 10;
    console.log(
      `| ${row[0]} | ${row[1]} | ${size} | ${rate.toLocaleString("en")} | ${memory.toFixed(0)} MiB |`,
    );
  }
} finally {
  for (const program of [behind, upstream]) await program.stop();
}
