/** The benches cannot rot: a short run starts every server, and each answers every workload as the floor does. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = async (script: string, args: string[], changes: NodeJS.ProcessEnv): Promise<string> => {
  const path = new URL(script, import.meta.url).pathname;
  const env = { ...process.env, ...changes };
  return (await promisify(execFile)(process.execPath, [path, ...args], { env })).stdout;
};

test("every server of the bench answers alike, and is measured", { timeout: 90_000 }, async () => {
  const stdout = await run("bench.ts", [], { ROUNDS: "1", SECONDS: "0.2" });
  for (const workload of ["me", "dashboard", "nested", "mixed", "process"])
    expect(stdout).toMatch(new RegExp(`^\\| ${workload} \\|[^]*?\\| ours \\| [1-9]`, "m"));
  for (const server of ["floor", "ours", "mercurius", "apollo"])
    expect(stdout.split(`| ${server} |`)).toHaveLength(6);
});

test("the tables of growth are whole, up to their largest rows", { timeout: 90_000 }, async () => {
  const stdout = await run("growth.ts", ["s per "], { SECONDS: "0.01" });
  const sizes = [...stdout.matchAll(/^│ \d +│ (\d+) /gm)].map(([, size]) => Number(size));
  const lists = [1, 10, 100, 1_000, 10_000];
  expect(sizes).toEqual([lists, lists, lists, lists.slice(0, 4), lists.slice(0, 4)].flat());
});
