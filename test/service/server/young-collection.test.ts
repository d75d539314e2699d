/** V8 collects the young generation within the work that allocates. So the caller of that work pays for the collection. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { main } from "../../support/child-process.ts";

/** Loads the program, and allocates in 400 turns of the event loop. Its last line counts the collections. */
const program = `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  import { setImmediate as nextTurn } from "node:timers/promises";
  const { service } = await import(${JSON.stringify(main)});
  const { serve } = await import(${JSON.stringify(new URL("../../../src/engine/server/serve.ts", import.meta.url))});
  await serve(service, ["--help"]);
  const works = [];
  const collections = [];
  new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ["gc"] });
  for (let turn = 0; turn < 400; turn++) {
    const from = performance.now();
    globalThis.kept = Array.from({ length: 4_000 }, (_, id) => ({ id, name: "x" + id }));
    works.push([from, performance.now()]);
    await nextTurn();
  }
  await nextTurn();
  const young = collections.filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR);
  const within = young.filter(({ startTime }) => works.some(([from, to]) => from <= startTime && startTime <= to));
  console.log(JSON.stringify({ within: within.length, between: young.length - within.length }));
`;

test("no collection comes between two pieces of work", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  const { within, between } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(within).toBeGreaterThan(5);
  expect(between).toBeLessThanOrEqual(within / 5);
});
