/**
 * What a start costs: processor time, and time on the clock, from `node` to the first answer, which is checked. Each round starts
 * every program once, in turn, so that a ratio is of neighbours. `npm run bench -- start [file…]`: the files are other forms of
 * the service's program, such as the image's; `ROUNDS` by the environment.
 */
import { cpuMs, main, pinSelf } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { file, median, run } from "./measure.ts";
import { bodyOf } from "./workloads.ts";

const line = await readArguments("npm run bench -- start", (line) =>
  line
    .description("Measures starts of the graphql role and of other servers: a Markdown table.")
    .argument("[files...]", "of the service's program in another form"),
);
const rounds = Number(process.env.ROUNDS ?? 15);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
pinSelf(1);
const upstream = await run(1, [file("upstream.ts")]);
const environment = { METRICS_PORT: "0", REST_BASE_URL: upstream.url.origin };

type Figures = { readonly cpu: number; readonly ready: number; readonly answer: number };

async function measure(args: string[], signal?: NodeJS.Signals): Promise<Figures> {
  const began = performance.now();
  const program = await run(0, args, environment);
  try {
    const answer = await fetch(program.url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "key" },
      body: bodyOf("me"),
    });
    const { data } = (await answer.json()) as { data?: { me?: { id: string } } };
    if (data?.me?.id !== "usr_1") throw new Error(`${args[0]} does not answer`);
    return { cpu: cpuMs(program), ready: program.readyMs, answer: performance.now() - began };
  } finally {
    await program.stop(signal);
  }
}

const programs: [name: string, args: string[]][] = [
  ["floor", [file("servers/floor.ts")]],
  ["src/main.ts", [main, "graphql"]],
  ...line.args.map((path): [string, string[]] => [path, [path, "graphql"]]),
  ["Mercurius", [file("servers/mercurius.ts")]],
  ["Apollo Server", [file("servers/apollo.ts")]],
];
const measured = new Map(programs.map(([name]) => [name, [] as Figures[]]));
try {
  for (const [, args] of programs) await measure(args, "SIGTERM"); // Node keeps what it compiled when a program ends
  for (let round = 0; round < rounds; round++)
    for (const [name, args] of programs) measured.get(name)?.push(await measure(args));
} finally {
  await upstream.stop();
}
const floor = measured.get("floor") ?? [];
console.log(`Medians of ${rounds} rounds.\n`);
console.log(
  "| program | processor time, ms | of the floor's | listens, ms | first answer, ms | of the floor's |",
);
console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
for (const [name, rows] of measured) {
  const ms = (figure: keyof Figures) => median(rows.map((row) => row[figure])).toFixed(0);
  const ratio = (figure: keyof Figures) =>
    median(rows.map((row, round) => row[figure] / (floor[round]?.[figure] ?? Number.NaN))).toFixed(2);
  console.log(
    `| ${name} | ${ms("cpu")} | ${ratio("cpu")} | ${ms("ready")} | ${ms("answer")} | ${ratio("answer")} |`,
  );
}
