/** `npm run suite -- <name>` and `npm run bench -- <name>`: runs one of a table, with the arguments behind its name. */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { processIo, runCommand } from "../../../src/engine/cli/command.ts";
import { nearestSuggestion } from "../../../src/engine/cli/nearest-suggestion.ts";
import { UsageError } from "../../../src/engine/cli/usage-error.ts";
import { benches, type Runnable, suites, type Tests } from "./suites.ts";

const root = join(import.meta.dirname, "../../..");
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--experimental.viteModuleRunner=false"];

/** Of random cases. A suite has others each time, and `SEED=…` repeats a run. */
const SEED = process.env.SEED ?? String(randomInt(2 ** 31));

/** The exit code of the suite: that of the first that fails, if it is several. */
function run(one: Runnable, rest: readonly string[]): number {
  if ("suites" in one) {
    const codes = one.suites.map((name) => {
      console.log(`== ${name}`);
      return run(suites[name] as Runnable, rest);
    });
    return codes.find((code) => code !== 0) ?? 0;
  }
  const [args, environment] = "file" in one ? [[one.file], {}] : [tests(one), one.environment];
  const options = { cwd: root, stdio: "inherit", env: { ...environment, ...process.env, SEED } } as const;
  if (kind === "suite") console.log(`SEED=${SEED} repeats the random choices of this run`);
  const { status } = spawnSync(process.execPath, [...args, ...rest], options);
  return status ?? 1; // no status: a signal ended it
}

/** vitest takes a file that is not there for a pattern that fits nothing, and runs the others. */
function tests({ projects, files = [] }: Tests): string[] {
  const gone = files.filter((file) => !existsSync(join(root, file)));
  if (gone.length > 0) throw new Error(`no such tests: ${gone.join(", ")}`);
  return [...vitest, ...projects.flatMap((name) => ["--project", name]), ...files];
}

const [kind = "", ...argv] = process.argv.slice(2);
const table = kind === "bench" ? benches : suites;
const names = Object.keys(table);
const width = Math.max(...names.map(({ length }) => length));
const list = names.map((name) => `  ${name.padEnd(width)}  ${table[name]?.does}`).join("\n");

process.exitCode = await runCommand(`npm run ${kind}`, argv, processIo, (line, does) =>
  line
    .description(kind === "bench" ? "Runs a benchmark." : "Runs a suite of tests.")
    .passThroughOptions()
    .argument("<name>", "one of the list below")
    .argument("[arguments...]", `of the ${kind}: \`<name> --help\` has them`)
    .addHelpText("after", `\n${list}`)
    .action(
      does((name: string, rest: string[]) => {
        const found = Object.hasOwn(table, name) ? table[name] : undefined;
        if (!found)
          throw new UsageError([
            `there is no ${kind} '${name}'${nearestSuggestion(name, names)}; the list is ${names.join(", ")}`,
          ]);
        return run(found, rest);
      }),
    ),
);
