/** `check --compose`: an edit that breaks the supergraph is a finding at the field. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Project, projectOf } from "../../support/project.ts";

const users = readFileSync(join(import.meta.dirname, "users.graphql"), "utf8");
let project: Project;

beforeAll(async () => {
  project = projectOf(join(import.meta.dirname, "spec"));
  writeFileSync(join(project.root, "users.graphql"), users);
  await project.codegen();
  return () => project.remove();
});

const compose = (...files: string[]) => project.restbound("check", "--compose", ...files, "--format", "text");

test("subgraphs that compose have no finding", async () => {
  const { stdout } = await compose("users.graphql");
  expect(stdout).toContain("n-plus-one");
  expect(stdout).not.toContain("composition-failed");
});

test("a type that disagrees with another subgraph is a finding at the field, with the message of composition", async () => {
  writeFileSync(
    join(project.root, "prices.graphql"),
    users.replace("stars: Int!", "stars: Int!\n  price: Int! @shareable"),
  );
  const { code, stdout } = await compose("prices.graphql");
  expect(code).toBe(1);
  expect(stdout).toMatch(/error Product\.price {2}composition-failed/);
  expect(stdout).toMatch(
    /Type of field "Product\.price" is incompatible across subgraphs: .* "this subgraph"/,
  );
  expect(stdout).toMatch(/spec\/schema\.graphql:\d+/);
});

test.each([
  ["a missing file", ["none.graphql"], /--compose none\.graphql: ENOENT/],
  ["a file that is no SDL", ["spec/openapi.yaml"], /--compose spec\/openapi\.yaml: Syntax Error/],
  ["two files of one name", ["users.graphql", "./users.graphql"], /two files are named "users"/],
])("%s is a usage error", async (_name, files, message) => {
  expect(await compose(...files)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test("a project that is no subgraph is a usage error", async () => {
  const other = projectOf(join(import.meta.dirname, "../desk/spec"));
  try {
    writeFileSync(join(other.root, "users.graphql"), users);
    expect(await other.restbound("check", "--compose", "users.graphql")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--compose requires a subgraph/),
    });
  } finally {
    other.remove();
  }
});
