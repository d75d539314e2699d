/**
 * What the graphql role spends its processor time on: a CPU profile under the load of `peers`, summed by package and folder, and
 * multiplied by the processor time of a request. It tells what removing one part could gain at most. Code that V8 inlined
 * counts as its caller. `npm run bench -- profile [--workload me]`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { cpuMs, main, pinSelf } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { connections, run } from "./measure.ts";
import { startNginx } from "./nginx.ts";
import { bodyOf, type Workload, workloads } from "./workloads.ts";
import { wrk } from "./wrk.ts";

const names = Object.keys(workloads) as Workload[];
const { workload } = (
  await readArguments("npm run bench -- profile", (line) =>
    line
      .description("Measures what the graphql role spends its processor time on.")
      .addOption(new Option("--workload <name>", "what is requested").choices(names).default("me")),
  )
).opts<{ workload: Workload }>();
const seconds = Number(process.env.SECONDS ?? 10);
const callers = 5_000;
const folder = "node_modules/.cache/bench-profile";

/** The last pattern that matches the URL of a function's file names its row. */
const parts: readonly (readonly [name: string, file: RegExp])[] = [
  ["Node.js: HTTP, sockets, streams, timers", /^node:|^$/],
  ["other packages", /node_modules\//],
  ["undici", /node_modules\/undici\/|^wasm:/],
  ["Fastify and its plugins", /node_modules\/(?:@?fastify|find-my-way|secure-json-parse)/],
  ["openapi-fetch", /node_modules\/openapi-fetch\//],
  ["other code of restbound and generated resolvers", /\/src\/|\/generated\//],
  ["plans: resolve, complete and serialize", /runtime\/graphql\/|\/generated\//],
  ["REST calls", /runtime\/rest\//],
  ["parsing REST's JSON", /runtime\/rest\/rest-response|shared\/(?:exact-|json-)|upstream\/json-bytes/],
  ["caches, coalescing", /response-cache\/|rest\/cache\/|request-coalescer|lru-cache/],
  ["fair shares, quotas, start queue", /runtime\/governor\/(?!request-coalescer)|graphql\/admission/],
  ["circuit breaker, retries, deadlines", /circuit-breaker|retry-budget|pending-call|runtime\/deadline/],
  [
    "checks of headers and bodies, CORS, compression",
    /runtime\/http\/(?!record-requests)|fastify\/(?:compress|cors)/,
  ],
  ["metrics, logs, traces", /observe\/|record-requests|server\/metrics\//],
];

type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { functionName: string; url: string };
  }[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** Microseconds by part in the last third of a profile, when V8 has optimized the code. */
function timeByPart({ nodes, startTime, endTime, samples, timeDeltas }: Profile): Map<string, number> {
  const partOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => {
      if (functionName === "(garbage collector)") return [id, "garbage collection"];
      const matching = parts.findLast(([, file]) => file.test(url));
      return [id, functionName === "(idle)" ? undefined : matching?.[0]];
    }),
  );
  const times = new Map<string, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    at += delta;
    const part = partOf.get(id);
    if (part !== undefined && at > startTime + (2 * (endTime - startTime)) / 3)
      times.set(part, (times.get(part) ?? 0) + delta);
  }
  return times;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const upstream = await startNginx("validators");
const environment = { REST_BASE_URL: upstream.url.origin };
const load = { connections, keys: callers, bodies: [bodyOf(workload)] };
try {
  const plain = await run(0, [main, "graphql"], environment);
  await wrk(plain.url, { ...load, seconds: 2 * seconds });
  const before = cpuMs(plain);
  const { requests } = await wrk(plain.url, { ...load, seconds });
  const microseconds = (1_000 * (cpuMs(plain) - before)) / requests;
  await plain.stop("SIGTERM");

  const profiled = await run(0, ["--cpu-prof", `--cpu-prof-dir=${folder}`, main, "graphql"], environment);
  await wrk(profiled.url, { ...load, seconds: 3 * seconds });
  await profiled.stop("SIGTERM"); // the profile is written at the exit
  const [name = ""] = readdirSync(folder);
  const times = timeByPart(JSON.parse(readFileSync(join(folder, name), "utf8")));
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  console.log(
    `\`${workload}\`, ${callers} callers: ${microseconds.toFixed(0)} µs of processor time a request\n`,
  );
  console.log("| part | share | µs a request |\n| --- | --- | --- |");
  for (const [part, time] of [...times].sort(([, one], [, other]) => other - one)) {
    const share = time / all;
    console.log(`| ${part} | ${(100 * share).toFixed(1)} % | ${(share * microseconds).toFixed(1)} |`);
  }
  console.log(`\nCPU profile: ${join(folder, name)}`);
} finally {
  upstream.stop();
}
