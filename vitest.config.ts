/**
 * The suite, and once more what asks the layer over HTTP with every operation on graphql-js: plans must change nothing
 * that a client can see. `--project suite` or `--project graphql-js` runs one of them.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "suite", include: ["test/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "graphql-js",
          include: ["test/e2e/*.test.ts", "test/graphql/*.test.ts"],
          // servers that are processes of their own, and what plans alone bound
          exclude: ["test/e2e/{drain,tenants,unfolding}.test.ts"],
          env: { PLANS: "off" },
          setupFiles: "test/graphql/plan/no-plans.ts",
        },
      },
    ],
  },
});
