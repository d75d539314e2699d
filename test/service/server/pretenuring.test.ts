/**
 * The process keeps V8 from allocating in the old generation (`src/engine/server/serve.ts`). Whether the flag is set cannot be read, so the
 * process itself allocates when it ends, as a server does: objects that survive.
 */
import { expect, test } from "vitest";
import { run } from "./program.ts";

/** Runs when the process ends, so after its first lines. Prints where a new object is after 1,200,000 of its kind survived. */
const allocating = `process.on("exit", () => {
  function make(value) { return [{ a: value, b: value }, [value, value]]; }
  %PrepareFunctionForOptimization(make);
  const kept = [];
  for (let round = 0; round < 12; round++) {
    const objects = [];
    for (let value = 0; value < 100_000; value++) objects.push(make(value));
    kept.push(objects);
  }
  %OptimizeFunctionOnNextCall(make);
  make(0);
  console.log("generation: " + (%InYoungGeneration(make(0)[1]) ? "young" : "old"));
})`;
const args = [
  // V8 decides with a young generation of full size, and here always at the same moment
  "--min-semi-space-size=4",
  "--max-semi-space-size=4",
  "--single-threaded",
  "--predictable",
  "--allow-natives-syntax",
  "--import",
  `data:text/javascript,${encodeURIComponent(allocating)}`,
];

test("no new object is allocated in the old generation, as it is by default", async () => {
  const config = { REST_BASE_URL: "http://127.0.0.1:1" };
  const program = run(["graphql", "--check-config"], config, args);
  const byDefault = run([], {}, [...args, "--eval"], "0");
  await Promise.all([program.ended, byDefault.ended]);
  expect(byDefault.output()).toContain("generation: old");
  expect(program.output()).toContain("generation: young");
});
