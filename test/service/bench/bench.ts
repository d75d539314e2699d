/**
 * How fast the graphql role is, beside a hand-written floor program, Mercurius, Apollo Server as its documentation
 * starts it, and Tailcall if it can be had: same upstream, same requests, each server alone on one core, load and upstream on another. Both are programs
 * in C, wrk and nginx, so that a server is what bounds the figures. Rounds are interleaved, and the floor is measured next
 * to each server. Each request is of the next of so many callers, each with a key of its own: few callers hide what callers
 * cost. Figures are medians, and ratios are of neighbours. Of a machine that others use, the ratio of processor time is the
 * steadiest.
 * `npm run bench -- peers [--callers 50000 --rest 304]`; `ROUNDS` and `SECONDS` a measurement (whole ones) by the
 * environment.
 */
import { isDeepStrictEqual } from "node:util";
import { Option } from "commander";
import { cpuMs, main, memoryMiB, pinSelf } from "../../support/child-process.ts";
import { positive, readArguments } from "../../support/script-arguments.ts";
import { at, connections, file, load, median, run, type Server } from "./measure.ts";
import { type Caching, cachings, startNginx } from "./nginx.ts";
import { startTailcall } from "./tailcall.ts";
import { bodyOf, type Workload, workloads } from "./workloads.ts";
import { wrk } from "./wrk.ts";

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 1);
const { callers, rest, tailcall } = (
  await readArguments("npm run bench -- peers", (line) =>
    line
      .description("Measures the graphql role beside a floor program, Mercurius, Apollo Server and Tailcall.")
      .option("--no-tailcall", "leaves out Tailcall, which npm fetches")
      .option("--callers <number>", "the callers, each with a key of its own", positive, 5_000)
      .addOption(
        new Option("--rest <caching>", "what REST allows to keep").choices(cachings).default("validators"),
      ),
  )
).opts<{ callers: number; rest: Caching; tailcall: boolean }>();
/**
 * A workload and server, twice: V8 goes on optimizing for tens of seconds, and what it learns of one workload slows down
 * the others at first.
 */
const warmUpSeconds = 6;
const headers = { "content-type": "application/json", "x-api-key": "key" };
const names = Object.keys(workloads) as Workload[];
const kinds = [...names, "mixed"] as const;
type Kind = (typeof kinds)[number];
/** What a server does not do as the others do. */
const leftOut: Readonly<Record<string, readonly Kind[]>> = { tailcall: ["nested", "mixed"] };

const commands: Readonly<Record<string, string[]>> = {
  floor: [file("servers/floor.ts")],
  ours: [main, "graphql"],
  mercurius: [file("servers/mercurius.ts")],
  apollo: [file("servers/apollo.ts")],
};

/** `cpu`: milliseconds of processor time a request. */
type Measured = Record<"perSecond" | "p50" | "p99" | "cpu", number>;
type Compared = Measured & { readonly ofFloor: Measured };

/** The requests of a workload; of `mixed`, those of all of them. */
const bodiesOf = (kind: Kind): string[] => (kind === "mixed" ? names : [kind]).map(bodyOf);

/** What Chromium sends with a query of a page, but for `Accept-Encoding`: compression costs what it costs anybody. */
const browserHeaders = {
  accept: "*/*",
  "accept-language": "en-US,en;q=0.9",
  origin: "https://dashboard.example",
  referer: "https://dashboard.example/",
  "sec-ch-ua": '"Chromium";v="140"',
  "sec-ch-ua-mobile": "?0",
  "sec-ch-ua-platform": '"Linux"',
  "sec-fetch-dest": "empty",
  "sec-fetch-mode": "cors",
  "sec-fetch-site": "cross-site",
  "user-agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
};
/** The process of `ours` again, with the headers of a browser. */
const fromBrowser = "ours, from a browser";

const send = (name: string, program: Server, kind: Kind, seconds: number) => {
  const headers = name === fromBrowser ? browserHeaders : {};
  return wrk(program.url, { connections, keys: callers, seconds, bodies: bodiesOf(kind), headers });
};

/** The first second after a pause is slower: connections have ended, and caches are cold. So a second of load comes before. */
async function measure(name: string, program: Server, kind: Kind): Promise<Measured> {
  if (rounds > 1) await send(name, program, kind, 1);
  const before = cpuMs(program);
  const { requests, seconds: took, p50, p99 } = await send(name, program, kind, seconds);
  return { perSecond: requests / took, p50, p99, cpu: (cpuMs(program) - before) / requests };
}

async function answerOf({ url }: Server, name: Workload): Promise<unknown> {
  const answer = await fetch(url, { method: "POST", headers, body: bodyOf(name) });
  return answer.json();
}

const serversOf = (kind: Kind, servers: ReadonlyMap<string, Server>): [name: string, Server][] =>
  [...servers].filter(([name]) => !leftOut[name]?.includes(kind));

/** Throws unless each server answers each workload as the floor does. */
async function checkAnswers(servers: ReadonlyMap<string, Server>): Promise<void> {
  for (const workload of names) {
    const expected = await answerOf(servers.get("floor") as Server, workload);
    for (const [name, program] of serversOf(workload, servers)) {
      const answer = await answerOf(program, workload);
      if (!isDeepStrictEqual(answer, expected))
        throw new Error(`${name} answers ${workload} with ${JSON.stringify(answer).slice(0, 300)}`);
    }
  }
}

/** Each server beside the floor, once. */
async function round(servers: ReadonlyMap<string, Server>, kind: Kind): Promise<Map<string, Compared>> {
  const measured = new Map<string, Compared>();
  for (const [name, program] of serversOf(kind, servers)) {
    const beside = await measure("floor", servers.get("floor") as Server, kind);
    const own = name === "floor" ? beside : await measure(name, program, kind);
    const of = (key: keyof Measured): number => own[key] / beside[key];
    const ofFloor = { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), cpu: of("cpu") };
    measured.set(name, { ...own, ofFloor });
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
const upstream = await startNginx(rest);
const servers = new Map<string, Server>();
const environment = { REST_BASE_URL: upstream.url.origin, CORS_ORIGINS: browserHeaders.origin };
for (const [name, args] of Object.entries(commands)) servers.set(name, await run(0, args, environment));
servers.set(fromBrowser, servers.get("ours") as Server);
if (tailcall)
  await startTailcall(upstream.url).then(
    (program) => servers.set("tailcall", program),
    (error: Error) => console.log(`without Tailcall, because ${error.message.split("\n")[0]}`),
  );
try {
  await checkAnswers(servers);
  if (rounds > 1)
    for (const kind of [...names, ...names])
      for (const [name, program] of serversOf(kind, servers)) await send(name, program, kind, warmUpSeconds);
  console.log(`${callers} callers, REST: ${rest}`);
  for (const kind of kinds) {
    const results: Map<string, Compared>[] = [];
    for (let count = 0; count < rounds; count++) results.push(await round(servers, kind));
    console.log(
      `\n| ${kind} | requests/s | of floor | p50 ms | p99 ms | of floor | CPU ms a request | of floor |\n| ${"--- | ".repeat(8)}`,
    );
    for (const [name] of serversOf(kind, servers)) {
      const own = results.flatMap((one) => one.get(name) ?? []);
      const of = (pick: (one: Compared) => number, digits: number) => median(own.map(pick)).toFixed(digits);
      const cells = [
        of((one) => one.perSecond, 0),
        of((one) => one.ofFloor.perSecond, 2),
        of((one) => one.p50, 1),
        of((one) => one.p99, 1),
        of((one) => one.ofFloor.p99, 2),
        of((one) => one.cpu, 3),
        of((one) => one.ofFloor.cpu, 2),
      ];
      console.log(`| ${name} | ${cells.join(" | ")} |`);
    }
  }
  console.log(
    "\n| process | listens after ms | peak MiB | of floor | added ms at one connection |\n| --- | --- | --- | --- | --- |",
  );
  const peak = (program: Server): number => memoryMiB(program, "VmHWM");
  servers.delete(fromBrowser);
  for (const [name, program] of servers) {
    const cells = [
      program.readyMs.toFixed(0),
      peak(program).toFixed(0),
      (peak(program) / peak(servers.get("floor") as Server)).toFixed(2),
      (await added(upstream.url, program)).toFixed(2),
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
} finally {
  for (const program of new Set(servers.values())) await program.stop("SIGTERM");
  upstream.stop();
}
