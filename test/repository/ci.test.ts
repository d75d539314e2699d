/** `.ci/run` fails when a suite fails, when a suite ends badly, and when a suite says nothing of a test that passed. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./docs/page.ts";

const tools = ["promtool", "redis-server", "haproxy", "varnishd", "chromium", "apt-get", "sudo"];

/** Runs it with an npm that does what `does` has for a command, and prints one test that passed for the others. */
async function run(
  does: Readonly<Record<string, string>>,
): Promise<{ code: number; last: string; failed: string[]; said: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "ci-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cases = Object.entries(does).map(([words, script]) => `*"${words}") ${script};;`);
  const npm = `case "$*" in ${cases.join(" ")} *) echo "tally: 1 passed, 0 failed";; esac`;
  for (const name of ["npm", ...tools])
    writeFileSync(join(folder, name), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { code = 0, stdout } = (await promisify(execFile)(join(root, ".ci/run"), { env }).catch(
    (error: { code: number; stdout: string }) => error,
  )) as { code?: number; stdout: string };
  const lines = stdout.trimEnd().split("\n");
  const failed = lines.filter((line) => line.startsWith("failed: "));
  return { code, last: lines.at(-1) ?? "", failed, said: lines };
}

test("its last line is the tally of all suites and steps", async () => {
  const { code, last, failed } = await run({ "suite -- deploy": 'echo "tally: 7 passed, 0 failed"' });
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  expect(last).toMatch(/^\d{2} passed, 0 failed$/);
});

const suite = (name: string) => `npm run --silent suite -- ${name}`;
const failing = [
  ["a test fails", suite("deploy"), 'echo "tally: 7 passed, 2 failed"; exit 1', 2],
  ["it ends badly, and no test failed", suite("slow"), 'echo "tally: 7 passed, 0 failed"; exit 1', 1],
  ["no test passed", suite("tenants"), 'echo "tally: 0 passed, 0 failed, 9 skipped"', 1],
  ["it has no tally", suite("browser"), "true", 1],
  ["a test of it fails in the background", suite("package"), 'echo "tally: 7 passed, 2 failed"; exit 1', 2],
  ["it ends badly in the background", suite("caches"), 'echo "tally: 7 passed, 0 failed"; exit 1', 1],
  ["it is a step in the background that fails", "types", "exit 1", 1],
] as const;

/** One run for all of them, because a run starts many processes. */
let failingRun: ReturnType<typeof run> | undefined;
const runFailing = () => {
  failingRun ??= run(Object.fromEntries(failing.map(([, name, does]) => [name.replace("npm ", ""), does])));
  return failingRun;
};

test.each(failing)("a command has failed when %s", async (_name, name) => {
  expect((await runFailing()).failed).toContain(`failed: ${name}`);
});

test("it fails when commands fail, names these alone, and counts their failures", async () => {
  const { code, last, failed } = await runFailing();
  expect([code, failed.length]).toEqual([1, failing.length]);
  const failures = failing.reduce((sum, [, , , count]) => sum + count, 0);
  expect(last).toMatch(new RegExp(`^\\d+ passed, ${failures} failed$`));
});

test("it fails when one suite fails, and repeats the failures at its end", async () => {
  const { code, said } = await run({
    "suite -- deploy": 'echo "FAIL  a.test.ts > a: b"; echo "tally: 7 passed, 1 failed"; exit 1',
  });
  expect(code).toBe(1);
  expect(said.slice(-3, -1)).toEqual(["FAIL  a.test.ts > a: b", "failed: npm run --silent suite -- deploy"]);
  expect(said.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
});
