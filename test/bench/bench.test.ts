/** The bench cannot rot: a short run starts every server, and each answers every workload as the floor does. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("every server of the bench answers alike, and is measured", { timeout: 90_000 }, async () => {
  const bench = new URL("bench.ts", import.meta.url).pathname;
  const env = { ...process.env, ROUNDS: "1", SECONDS: "0.2" };
  const { stdout } = await promisify(execFile)(process.execPath, [bench], { env });
  for (const workload of ["me", "dashboard", "nested", "mixed", "process"])
    expect(stdout).toMatch(new RegExp(`^\\| ${workload} \\|[^]*?\\| ours \\| [1-9]`, "m"));
  for (const server of ["floor", "ours", "mercurius", "apollo"])
    expect(stdout.split(`| ${server} |`)).toHaveLength(6);
});
