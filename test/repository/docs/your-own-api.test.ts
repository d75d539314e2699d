/** The test that the guide shows passes in a project that `init` has written. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyProject } from "../../support/project.ts";
import { blocksOf, read } from "./page.ts";

const text = { type: "string" };
const context = {
  type: "object",
  required: ["message", "octicon"],
  properties: { message: text, octicon: text },
};
const hovercard = {
  type: "object",
  required: ["contexts"],
  properties: { contexts: { type: "array", items: context } },
};

/** This operation as GitHub's document declares it. */
const openapi = {
  openapi: "3.0.3",
  info: { title: "GitHub", version: "1" },
  servers: [{ url: "https://api.github.com" }],
  security: [],
  paths: {
    "/users/{username}/hovercard": {
      get: {
        operationId: "users/get-context-for-user",
        tags: ["users"],
        parameters: [
          { name: "username", in: "path", required: true, schema: text },
          { name: "subject_type", in: "query", schema: { type: "string", enum: ["organization", "issue"] } },
          { name: "subject_id", in: "query", schema: text },
        ],
        responses: {
          200: { description: "Response", content: { "application/json": { schema: hovercard } } },
        },
      },
    },
  },
};

test("the test of the guide passes", { timeout: 300_000 }, async () => {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  writeFileSync(join(project.root, "github.json"), JSON.stringify(openapi));
  const started = await project.restbound("init", "--openapi", "github.json");
  expect(started).toMatchObject({ code: 0 });
  const [block = ""] = blocksOf(read("docs/guides/your-own-api.md"), "ts");
  expect(block).toContain("usersGetContextForUser");
  writeFileSync(join(project.root, "test/hovercard.test.ts"), block);
  expect(project.typeErrors(["test"])).toBe("");
  const done = await project.script("test");
  expect(done.stdout).toMatch(/pass 2\n/);
  expect(done).toMatchObject({ code: 0 });
});
