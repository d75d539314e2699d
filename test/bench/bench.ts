/**
 * How fast the graphql role is, beside a hand-written floor program, Mercurius and Apollo Server as its documentation
 * starts it: same upstream, same requests, each server alone on one core, load and upstream on another. Both are programs
 * in C, wrk and nginx, so that a server is what bounds the figures. Rounds are interleaved, and the floor is measured next
 * to each server. The requests of a round have as many keys as connections, so little is shared. Figures are medians, and
 * ratios are of neighbours.
 * `npm run bench [-- --profile]`; `ROUNDS` and `SECONDS` a measurement (whole ones) by the environment.
 */
import { isDeepStrictEqual } from "node:util";
import { cpuMs, main, memoryMiB, pinSelf } from "../support/child-process.ts";
import { readArguments } from "../support/script-arguments.ts";
import { at, connections, file, load, median, run, type Server } from "./measure.ts";
import { startNginx } from "./nginx.ts";
import { bodyOf, type Workload, workloads } from "./workloads.ts";
import { wrk } from "./wrk.ts";

const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 2);
const { profile } = (
  await readArguments("npm run bench -- peers", (line) =>
    line
      .description("Measures the graphql role beside a floor program, Mercurius and Apollo Server.")
      .option("--profile", "writes a CPU profile of the graphql role"),
  )
).opts<{ profile?: boolean }>();
const profileDirectory = "node_modules/.cache/bench-profile";
/** A workload and server; V8 goes on optimizing for that long under load. */
const warmUpSeconds = 6;
const headers = { "content-type": "application/json", "x-api-key": "key" };
const names = Object.keys(workloads) as Workload[];
const kinds = [...names, "mixed"] as const;
type Kind = (typeof kinds)[number];

const commands: Readonly<Record<string, string[]>> = {
  floor: [file("servers/floor.ts")],
  ours: [...(profile ? ["--cpu-prof", `--cpu-prof-dir=${profileDirectory}`] : []), main, "graphql"],
  mercurius: [file("servers/mercurius.ts")],
  apollo: [file("servers/apollo.ts")],
};

type Measured = { perSecond: number; ratio: number; p50: number; p99: number; cpu: number };

/** The requests of a workload; of `mixed`, those of all of them. */
const bodiesOf = (kind: Kind): string[] => (kind === "mixed" ? names : [kind]).map(bodyOf);

async function measure(program: Server, kind: Kind): Promise<Omit<Measured, "ratio">> {
  const bodies = bodiesOf(kind);
  await load(program, { clients: connections, ms: 300, bodies });
  const before = cpuMs(program);
  const {
    requests,
    seconds: took,
    p50,
    p99,
  } = await wrk(program.url, { connections, keys: connections, seconds, bodies });
  return { perSecond: requests / took, p50, p99, cpu: (cpuMs(program) - before) / requests };
}

async function answerOf({ url }: Server, name: Workload): Promise<unknown> {
  const answer = await fetch(url, { method: "POST", headers, body: bodyOf(name) });
  return answer.json();
}

/** Throws unless each server answers each workload as the floor does. */
async function checkAnswers(servers: ReadonlyMap<string, Server>): Promise<void> {
  for (const workload of names) {
    const expected = await answerOf(servers.get("floor") as Server, workload);
    for (const [name, program] of servers) {
      const answer = await answerOf(program, workload);
      if (!isDeepStrictEqual(answer, expected))
        throw new Error(`${name} answers ${workload} with ${JSON.stringify(answer).slice(0, 300)}`);
    }
  }
}

/** Each server beside the floor, once. */
async function round(servers: ReadonlyMap<string, Server>, kind: Kind): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>();
  const floor = servers.get("floor") as Server;
  for (const [name, program] of servers) {
    const beside = await measure(floor, kind);
    const result = name === "floor" ? beside : await measure(program, kind);
    measured.set(name, { ...result, ratio: result.perSecond / beside.perSecond });
  }
  return measured;
}

/** Milliseconds that the server adds to its slowest REST call, at one connection (p50). */
async function added(rest: URL, program: Server): Promise<number> {
  const slowest = async (): Promise<number> => {
    const url = new URL("/v1/inbox/conversations", rest);
    return at(await load({ url }, { clients: 1, ms: 700, method: "GET" }), 0.5);
  };
  const times = await load(program, { clients: 1, ms: 1_000, bodies: bodiesOf("dashboard") });
  return at(times, 0.5) - (await slowest());
}

// an exit ends the servers, a signal alone would not
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const upstream = await startNginx();
const servers = new Map<string, Server>();
for (const [name, args] of Object.entries(commands))
  servers.set(name, await run(0, args, { REST_BASE_URL: upstream.url.origin }));
try {
  await checkAnswers(servers);
  if (rounds > 1)
    for (const { url } of servers.values())
      for (const kind of names)
        await wrk(url, { connections, keys: connections, seconds: warmUpSeconds, bodies: bodiesOf(kind) });
  const pick = (results: Measured[], key: keyof Measured): number => median(results.map((one) => one[key]));
  for (const kind of kinds) {
    const results: Map<string, Measured>[] = [];
    for (let count = 0; count < rounds; count++) results.push(await round(servers, kind));
    console.log(
      `\n| ${kind} | requests/s | of floor | p50 ms | p99 ms | CPU s / 1,000 |\n| --- | --- | --- | --- | --- | --- |`,
    );
    for (const name of servers.keys()) {
      const own = results.flatMap((one) => one.get(name) ?? []);
      const cells = [
        pick(own, "perSecond").toFixed(0),
        pick(own, "ratio").toFixed(2),
        pick(own, "p50").toFixed(1),
        pick(own, "p99").toFixed(1),
        pick(own, "cpu").toFixed(3),
      ];
      console.log(`| ${name} | ${cells.join(" | ")} |`);
    }
  }
  console.log(
    "\n| process | listens after ms | peak MiB | added ms at one connection |\n| --- | --- | --- | --- |",
  );
  for (const [name, program] of servers) {
    const extra = await added(upstream.url, program);
    console.log(
      `| ${name} | ${program.readyMs.toFixed(0)} | ${memoryMiB(program, "VmHWM").toFixed(0)} | ${extra.toFixed(2)} |`,
    );
  }
  if (profile) console.log(`\nCPU profile: ${profileDirectory}`);
} finally {
  for (const program of servers.values()) await program.stop("SIGTERM"); // as an operator would, so that a profile is written
  upstream.stop();
}
