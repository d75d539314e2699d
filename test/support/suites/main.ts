/**
 * `npm run suite -- <name>` and `npm run bench -- <name>`: runs a suite or a benchmark of the table in `suites.ts`, with the
 * arguments that follow its name.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { processIo, runCommand } from "../../../src/engine/shared/cli/command.ts";
import { UsageError } from "../../../src/engine/shared/cli/command-failure.ts";
import { didYouMean } from "../../../src/engine/shared/cli/nearest-suggestion.ts";
import { benches, type Runnable, suites, type Tests } from "./suites.ts";

const root = join(import.meta.dirname, "../../..");
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--experimental.viteModuleRunner=false"];

/** The seed of random cases. Each run of a suite uses a new seed; `SEED=…` repeats a run. */
const SEED = process.env.SEED ?? String(randomInt(2 ** 31));

/** Runs a suite or all suites of a group. Returns the exit code of the first that fails, or 0. */
function run(one: Runnable, rest: readonly string[]): number {
  if ("suites" in one) {
    const codes = one.suites.map((name) => {
      console.log(`== ${name}`);
      return run(suites[name] as Runnable, rest);
    });
    return codes.find((code) => code !== 0) ?? 0;
  }
  const [args, environment] = "file" in one ? [[one.file, ...rest], {}] : [tests(one, rest), one.environment];
  const options = { cwd: root, stdio: "inherit", env: { ...environment, ...process.env, SEED } } as const;
  if (kind === "suite") console.log(`SEED=${SEED} repeats the random choices of this run`);
  const { status } = spawnSync(process.execPath, args, options);
  return status ?? 1; // null: a signal ended the process
}

/**
 * Paths before the first option replace the suite's files. Rejects a path that does not exist: vitest would treat it as a pattern
 * without matches and run only the other files.
 */
function tests({ projects, files = ["test"] }: Tests, rest: readonly string[]): string[] {
  const option = rest.findIndex((word) => word.startsWith("-"));
  const named = rest.slice(0, option < 0 ? rest.length : option);
  const isOurs = (path: string) => files.some((file) => path === file || path.startsWith(`${file}/`));
  const gone = [...files, ...named].filter((path) => !existsSync(join(root, path)) || !isOurs(path));
  if (gone.length > 0) throw new UsageError([`no tests of this ${kind}: ${gone.join(", ")}`]);
  const chosen = named.length > 0 ? rest : [...files, ...rest];
  return [...vitest, ...projects.flatMap((name) => ["--project", name]), ...chosen];
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
            `there is no ${kind} '${name}'${didYouMean(name, names)}; the list is ${names.join(", ")}`,
          ]);
        return run(found, rest);
      }),
    ),
);
