/** `.ci/run` fails when a suite fails, when a suite ends badly, and when a suite says nothing of a test that passed. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { root } from "./docs/page.ts";

const tools = ["promtool", "redis-server", "haproxy", "varnishd", "chromium", "apt-get", "sudo"];

/** Runs it with an npm that does what `does` says for the suite, and prints one test that passed for the others. */
async function run(
  does: string,
  suite = "deploy",
): Promise<{ code: number; last: string; failed: string[]; said: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "ci-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const npm = `case "$*" in *"suite -- ${suite}"*) ${does};; *) echo "tally: 1 passed, 0 failed";; esac`;
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
  const { code, last, failed } = await run('echo "tally: 7 passed, 0 failed"');
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  expect(last).toMatch(/^\d{2} passed, 0 failed$/);
});

test.each([
  ["a test fails", "deploy", 'echo "tally: 7 passed, 2 failed"; exit 1', 2],
  ["it ends badly, and no test failed", "deploy", 'echo "tally: 7 passed, 0 failed"; exit 1', 1],
  ["no test passed", "deploy", 'echo "tally: 0 passed, 0 failed, 9 skipped"', 1],
  ["it has no tally", "deploy", "true", 1],
  ["a test of a suite in the background fails", "package", 'echo "tally: 7 passed, 2 failed"; exit 1', 2],
  ["a suite in the background ends badly", "caches", 'echo "tally: 7 passed, 0 failed"; exit 1', 1],
])("it fails when %s", async (_name, suite, does, count) => {
  const { code, last, failed } = await run(does, suite);
  expect({ code, failed }).toEqual({ code: 1, failed: [`failed: npm run --silent suite -- ${suite}`] });
  expect(last).toMatch(new RegExp(`^\\d+ passed, ${count} failed$`));
});

test("failures are repeated at its end", async () => {
  const { said } = await run('echo "FAIL  a.test.ts > a: b"; echo "tally: 7 passed, 1 failed"; exit 1');
  expect(said.slice(-3, -1)).toEqual(["FAIL  a.test.ts > a: b", "failed: npm run --silent suite -- deploy"]);
});
