/**
 * How fast the graphql role is, beside a hand-written floor program, Mercurius and Apollo Server as its documentation
 * starts it: same upstream, same requests, each server alone on one core, load and upstream on another. Rounds are
 * interleaved and the floor is measured next to each server; each client has a key of its own, so nothing is shared; figures are medians, and ratios are of neighbours.
 * `npm run bench [-- --profile]`; `ROUNDS` and `SECONDS` a measurement by the environment.
 */
import { isDeepStrictEqual } from "node:util";
import { cpuMs, main, memoryMiB, pinSelf } from "../child-process.ts";
import { readArguments } from "../script-arguments.ts";
import { at, connections, file, load, median, run, type Server } from "./measure.ts";
import { bodyOf, type Workload, workloads } from "./workloads.ts";

const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 2);
const { profile } = (
  await readArguments("npm run bench", (line) =>
    line
      .description("Measures the graphql role beside a floor program, Mercurius and Apollo Server.")
      .option("--profile", "writes a CPU profile of the graphql role"),
  )
).opts<{ profile?: boolean }>();
const profileDirectory = "node_modules/.cache/bench-profile";
/** A workload and server; V8 goes on optimizing for that long under load. */
const warmUpMs = 6_000;
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
  const times = await load(program, { clients: connections, ms: seconds * 1_000, bodies });
  const cpu = (cpuMs(program) - before) / times.length;
  return { perSecond: times.length / seconds, p50: at(times, 0.5), p99: at(times, 0.99), cpu };
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
async function added(upstream: Server, program: Server): Promise<number> {
  const slowest = async (): Promise<number> => {
    const list = { ...upstream, url: new URL("/v1/inbox/conversations", upstream.url) };
    return at(await load(list, { clients: 1, ms: 700, bodies: bodiesOf("me") }), 0.5);
  };
  const times = await load(program, { clients: 1, ms: 1_000, bodies: bodiesOf("dashboard") });
  return at(times, 0.5) - (await slowest());
}

// an exit ends the servers, a signal alone would not
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const upstream = await run(1, [file("upstream.ts")]);
const servers = new Map<string, Server>();
for (const [name, args] of Object.entries(commands))
  servers.set(name, await run(0, args, { REST_BASE_URL: upstream.url.origin }));
try {
  await checkAnswers(servers);
  if (seconds > 0.5)
    for (const program of servers.values())
      for (const kind of names)
        await load(program, { clients: connections, ms: warmUpMs, bodies: bodiesOf(kind) });
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
    const extra = await added(upstream, program);
    console.log(
      `| ${name} | ${program.readyMs.toFixed(0)} | ${memoryMiB(program, "VmHWM").toFixed(0)} | ${extra.toFixed(2)} |`,
    );
  }
  if (profile) console.log(`\nCPU profile: ${profileDirectory}`);
} finally {
  for (const program of [...servers.values(), upstream]) await program.stop("SIGTERM"); // as an operator would, so that a profile is written
}
