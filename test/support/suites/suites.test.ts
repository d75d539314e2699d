/** Tests that `npm run suite` fails when a bar is missed, nothing was measured, the name is unknown, or no test passed. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import type { TestModule } from "vitest/node";
import { bars } from "./bars.ts";
import { benches, type Runnable, suites } from "./suites.ts";
import { tally } from "./tally.ts";

const root = join(import.meta.dirname, "../../..");

type Ended = { code: number; out: string; error: string };

async function run(args: readonly string[]): Promise<Ended> {
  const options = { cwd: root, env: { ...process.env, NO_COLOR: "1" } };
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, error: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, error: stderr }),
  );
}

/** Runs a script with `lines` that compares values with bars of the suite `enclosing`. */
const held = (lines: string): Promise<Ended> =>
  run([
    "--input-type=module-typescript",
    "-e",
    `import { Verdict } from ${JSON.stringify(join(import.meta.dirname, "verdict.ts"))};
    const verdict = new Verdict("enclosing");
    ${lines}`,
  ]);

test("a suite passes when each bar was measured and kept", async () => {
  const { code, out } = await held('verdict.hold("documents", 2); verdict.hold("faults", 0);');
  expect(out).toBe(
    "pass  documents: 2 (at least 2)\npass  faults: 0 (at most 0)\ntally: 2 passed, 0 failed\n",
  );
  expect(code).toBe(0);
});

test.each([
  [
    "a bar is missed",
    'verdict.hold("documents", 2); verdict.hold("faults", 1);',
    "FAIL  faults: 1 (at most 0)",
  ],
  ["a value is no number", 'verdict.hold("documents", 0 / 0);', "FAIL  documents: NaN (at least 2)"],
  ["a bar was not measured", 'verdict.hold("documents", 2);', "FAIL  faults: not measured"],
  ["it says that all is well", "process.exit(0);", "FAIL  documents: not measured"],
])("a suite fails when %s", async (_name, lines, said) => {
  const { code, out } = await held(lines);
  expect(out).toContain(said);
  expect(code).toBe(1);
});

test.each(["suite", "bench"])("an unknown %s is an error that names the nearest", async (kind) => {
  const [name = ""] = Object.keys(kind === "suite" ? suites : benches);
  const { code, error } = await run(["test/support/suites/main.ts", kind, `${name}s`]);
  expect({ code, error }).toEqual({
    code: 2,
    error: expect.stringContaining(`there is no ${kind} '${name}s'; did you mean "${name}"?`),
  });
});

test.each([
  ["is not there", "browser", "test/service/browser/explorers.test.ts"],
  ["another suite has", "fuzz", "test/engine/shared/linear-pattern.test.ts"],
])("a path that %s is an error, not a suite of fewer tests", async (_, name, path) => {
  const { code, error } = await run(["test/support/suites/main.ts", "suite", name, path]);
  expect({ code, error }).toEqual({
    code: 2,
    error: expect.stringContaining(`no tests of this suite: ${path}`),
  });
});

test("each suite and benchmark starts files that are there, and each bar is of a suite", () => {
  const all: Runnable[] = [...Object.values(suites), ...Object.values(benches)];
  const named = all.flatMap((one) => ("suites" in one ? [] : "file" in one ? [one.file] : (one.files ?? [])));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const grouped = Object.values(suites).flatMap((one) => ("suites" in one ? one.suites : []));
  expect([...grouped, ...Object.keys(bars)].filter((name) => !(name in suites))).toEqual([]);
});

test("a run of vitest in which no test passed has failed", async () => {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--experimental.viteModuleRunner=false"];
  const filter = ["--project", "slow", "test/support/suites/suites.test.ts", "-t", "no test of this name"];
  const { code, out } = await run([...vitest, ...filter]);
  expect(out).toMatch(/^tally: 0 passed, 1 failed, \d+ skipped\nno test passed/m);
  expect(code).toBe(1);
});

test("a run of vitest says which test failed, and why", () => {
  const said: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void said.push(line));
  onTestFinished(() => log.mockRestore());
  const one = (state: string, message: string) => ({
    module: { relativeModuleId: "a.test.ts" },
    fullName: "group > test",
    result: () => ({ state, errors: [{ message }] }),
  });
  const module = {
    errors: () => [],
    children: {
      allTests: () => [
        one("passed", ""),
        one("failed", "no\nmore"),
        one("failed", "Command failed: node a.ts\na.ts:1\n\nError: why\n    at a.ts:1"),
      ],
    },
  };
  tally.onTestRunEnd?.([module as unknown as TestModule], [], "failed");
  expect(said).toEqual([
    "FAIL  a.test.ts > group > test: no",
    "FAIL  a.test.ts > group > test: Error: why",
    "tally: 1 passed, 2 failed",
  ]);
});
