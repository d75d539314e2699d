/**
 * What a fresh `graphql` role costs: the processor time of a dashboard request in the seconds after "ready", beside a later
 * one. Switches of V8 are compared with none, and so is a warm-up before the first second: by this bench, which sends the
 * same operation and answers as REST, so it is the most that any warm-up can reach.
 * `npm run bench -- warming --warm-up 2000 -- --always-sparkplug`; `ROUNDS` and `SECONDS` by the environment.
 */
import { cpuMs, main, memoryMiB, pinSelf } from "../../support/child-process.ts";
import { positive, readArguments } from "../../support/script-arguments.ts";
import { file, load, median, run } from "./measure.ts";
import { bodyOf } from "./workloads.ts";

const line = await readArguments("npm run bench -- warming", (line) =>
  line
    .description("Measures the first seconds of a graphql role: a Markdown table.")
    .argument("[switches...]", "of V8, after `--`")
    .option("--warm-up <ms>", "requests before the first second", positive),
);
const { warmUp } = line.opts<{ warmUp?: number }>();
const rounds = Number(process.env.ROUNDS ?? 3);
const ms = 1_000 * Number(process.env.SECONDS ?? 1);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const upstream = await run(1, [file("upstream.ts")]);
const environment = { METRICS_PORT: "0", REST_BASE_URL: upstream.url.origin };

/** Each step of a process's life: milliseconds of processor time for a request, but for start and memory. */
async function measure(switches: readonly string[], warmUpMs: number | undefined): Promise<number[]> {
  const program = await run(0, [...switches, main, "graphql"], environment);
  const send = (during: number) => load(program, { clients: 8, bodies: [bodyOf("dashboard")], ms: during });
  const cost = async (during: number): Promise<number> => {
    const before = cpuMs(program);
    const { length } = await send(during);
    return (cpuMs(program) - before) / length;
  };
  try {
    if (warmUpMs) await send(warmUpMs);
    const first = await cost(ms);
    const second = await cost(ms);
    const third = await cost(ms);
    await send(6 * ms);
    const later = await cost(5 * ms);
    return [first, second, third, later, first / later, program.readyMs, memoryMiB(program, "VmHWM")];
  } finally {
    await program.stop();
  }
}

const kinds = new Map<string, Parameters<typeof measure>>([["fresh", [[], undefined]]]);
if (line.args.length > 0) kinds.set(line.args.join(" "), [line.args, undefined]);
if (warmUp) kinds.set([...line.args, `${warmUp} ms of requests before`].join(" "), [line.args, warmUp]);
const measured = new Map([...kinds.keys()].map((kind) => [kind, [] as number[][]]));
try {
  for (let round = 0; round < rounds; round++)
    for (const [kind, given] of kinds) measured.get(kind)?.push(await measure(...given));
  console.log("| | first second | second | third | later | first / later | start, ms | memory, MiB |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [kind, rows] of measured) {
    const medians = (rows[0] ?? []).map((_, column) => median(rows.map((row) => row[column] ?? 0)));
    const digits = [2, 2, 2, 2, 2, 0, 0];
    console.log(`| ${kind} | ${medians.map((value, column) => value.toFixed(digits[column])).join(" | ")} |`);
  }
} finally {
  await upstream.stop();
}
