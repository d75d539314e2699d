/**
 * The suite, in projects. `shared` files share their modules, which saves half of the processor time. `apart` files
 * measure a process or change it, so each has a process of its own. The other projects are suites.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { seed } from "./test/support/seed.ts";
import { tally } from "./test/support/suites/tally.ts";

/**
 * Node keeps compiled code here, as `src/main.ts` has it do: workers, and programs that tests start, need not compile again.
 * Copies of the project leave their files in it, so it is emptied when it is large.
 */
const compiled = join(import.meta.dirname, "node_modules/.cache/compiled");
if (existsSync(compiled) && readdirSync(compiled, { recursive: true }).length > 30_000)
  rmSync(compiled, { recursive: true });
process.env.NODE_COMPILE_CACHE = compiled;
process.env.SEED = String(seed);

/**
 * Files that take long: they start programs or the tools of others again and again, send floods, or try many random cases.
 * `npm run suite -- slow` runs them.
 */
const slow = [
  "test/engine/another-api/openapi-3.2.test.ts",
  "test/engine/build/check/{bounded-text,garbage,impact,large,operation-changes,request-constraints,usage}.test.ts",
  "test/engine/build/init/{init,nothing-lost,paging,signals}.test.ts",
  "test/engine/build/lsp/lsp.test.ts",
  "test/engine/build/codegen/{hostile,large-type-check,wide}.test.ts",
  "test/engine/build/openapi/{chains,union-members}.test.ts",
  "test/engine/build/update/{update,update-workflow}.test.ts",
  "test/engine/federation/compose.test.ts",
  "test/engine/gateway/{key-floods,revocation-log,revoked-keys,tenant-concurrency}.test.ts",
  "test/engine/names/every-name.test.ts",
  "test/engine/runtime/dns/stub-resolver.test.ts",
  "test/engine/runtime/governor/attacks.test.ts",
  "test/engine/runtime/graphql/{documents,documents-cost,leaving-anywhere,overload,variables}.test.ts",
  "test/engine/runtime/rest/{cache-faults,held-canary,held-tokens}.test.ts",
  "test/engine/runtime/rest/upstream/one-tenant.test.ts",
  "test/repository/{help,looked-up-names}.test.ts",
  "test/repository/docs/{ci,front-end,rule-classes,your-operations}.test.ts",
  "test/service/clients/{package,tools}.test.ts",
  "test/service/e2e/{drain,hostile}.test.ts",
  "test/service/{faults,fuzz}/*.test.ts",
  "test/service/mutations/mutations.test.ts",
  "test/service/server/{client-certificate,configuration,descriptors,dev,logs,metrics,paused}.test.ts",
  "test/service/server/{pretenuring,roles,stale,start-up,traces,upstream-tls}.test.ts",
  "test/support/suites/suites.test.ts",
];

/** Files that measure memory or processor time, or change what a whole process does. */
const apart = [
  "test/engine/build/codegen/type-check.test.ts",
  "test/engine/runtime/graphql/leaving.test.ts",
  "test/engine/runtime/graphql/plan/response-budget.test.ts",
  "test/engine/runtime/http/slow-bodies.test.ts",
  "test/engine/runtime/observe/outgoing-calls.test.ts",
  "test/engine/runtime/governor/*.test.ts",
  "test/engine/shared/*.test.ts",
];

/** The suites `tenants` and `replicas` run them, with more cases and requests than `npm test` had time for. */
const many = ["test/service/e2e/{replicas,tenants}.test.ts"];

export default defineConfig({
  test: {
    reporters: ["default", tally],
    globalSetup: ["test/engine/desk/generate.ts", "test/support/compile-program.ts"],
    // a busy machine is slow: only what hangs should fail by time
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // more than cores, because many tests wait
    maxWorkers: 2 * availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...apart,
            ...slow,
            ...many,
            "test/service/{bench,browser,deploy}/**",
            "test/engine/package/**",
          ],
          isolate: false,
        },
      },
      { extends: true, test: { name: "apart", include: apart, exclude: slow } },
      { extends: true, test: { name: "slow", include: slow } },
      { extends: true, test: { name: "many", include: many } },
      { extends: true, test: { name: "deploy", include: ["test/service/deploy/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/engine/package/*.test.ts"],
          // npm installs several times with an empty cache
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      { extends: true, test: { name: "bench", include: ["test/service/bench/*.test.ts"] } },
      { extends: true, test: { name: "browser", include: ["test/service/browser/*.test.ts"] } },
    ],
  },
});
