/**
 * The suite, in projects. `shared` files share their modules, which saves half of the processor time. `apart` files
 * measure a process or change it, so each has a process of its own. `deploy`, `bench` and `browser` have scripts of their own.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { tally } from "./test/suites/tally.ts";
import { seed } from "./test/support/seed.ts";

/**
 * Node keeps compiled code here, as `src/main.ts` has it do: workers, and programs that tests start, need not compile again.
 * Copies of the project leave their files in it, so it is emptied when it is large.
 */
const compiled = join(import.meta.dirname, "node_modules/.cache/compiled");
if (existsSync(compiled) && readdirSync(compiled, { recursive: true }).length > 30_000)
  rmSync(compiled, { recursive: true });
process.env.NODE_COMPILE_CACHE = compiled;
process.env.SEED = String(seed);

/** Files that measure memory or processor time, or change what a whole process does. */
const apart = [
  "test/check/{garbage,large}.test.ts",
  "test/codegen/{type-check,wide}.test.ts",
  "test/faults/*.test.ts",
  "test/fuzz/*.test.ts",
  "test/graphql/{documents,documents-cost,leaving,overload,variables}.test.ts",
  "test/graphql/plan/budget.test.ts",
  "test/http/slow-bodies.test.ts",
  "test/rest/shares/*.test.ts",
  "test/standards/*.test.ts",
];

export default defineConfig({
  test: {
    reporters: ["default", tally],
    // a busy machine is slow: only what hangs should fail by time
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // one more than cores, because many tests wait
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...apart, "test/{bench,browser,deploy}/**"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "apart", include: apart } },
      { extends: true, test: { name: "deploy", include: ["test/deploy/*.test.ts"] } },
      { extends: true, test: { name: "bench", include: ["test/bench/*.test.ts"] } },
      { extends: true, test: { name: "browser", include: ["test/browser/*.test.ts"] } },
    ],
  },
});
