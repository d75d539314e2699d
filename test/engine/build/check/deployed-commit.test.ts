/** `--base <URL>`: the changes since what a running role serves. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { folderFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { hashSpec } from "../../../../src/engine/shared/spec-hash.ts";
import { depotSchema, ran, reportOf, repository, write } from "./run.ts";

async function role(answer: string): Promise<string> {
  const server = createServer((request, response) =>
    response.writeHead(request.url === "/healthz" ? 200 : 404).end(answer),
  ).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const hashOf = (root: string): string => {
  const { list, read } = folderFiles(`${root}/spec`);
  return hashSpec(list("."), read);
};

test("is the commit whose spec the role serves, however many commits ago", async () => {
  const root = repository();
  const commit = (files: Record<string, string>): string => {
    write(root, files);
    write(root, { "generated/spec.ts": `export const specHash = "${hashOf(root)}";\n` });
    execFileSync("git", ["add", "."], { cwd: root });
    const author = ["-c", "user.name=t", "-c", "user.email=t@t.example"];
    execFileSync("git", [...author, "commit", "-q", "-m", "a change"], { cwd: root });
    return hashOf(root);
  };
  const deployed = commit({});
  commit({ "spec/schema.graphql": depotSchema.replace("type Query {", "type Query {\n  # a comment") });
  expect(depotSchema).toContain("name: String!");
  commit({ "spec/schema.graphql": depotSchema.replace("name: String!", "name: String") });
  const url = await role(JSON.stringify({ status: "ok", build: "1", spec: deployed }));
  const report = await reportOf(root, "--base", url);
  const since = await reportOf(root, "--base", "HEAD~2");
  expect(report.base).toBe(url);
  expect(report.changes.length).toBeGreaterThan(0);
  expect(report.changes).toEqual(since.changes);
});

test("the commit may be a merge, whose spec neither of its parents has", async () => {
  const root = repository();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], {
      cwd: root,
      stdio: "pipe",
    });
  const commit = (files: Record<string, string>): void => {
    write(root, files);
    write(root, { "generated/spec.ts": `export const specHash = "${hashOf(root)}";\n` });
    git("add", ".");
    git("commit", "-q", "-m", "a change");
  };
  commit({});
  git("checkout", "-q", "-b", "other");
  commit({ "spec/schema.graphql": depotSchema.replace("type Query {", "type Query {\n  # a comment") });
  git("checkout", "-q", "-");
  commit({ "spec/operations/more.graphql": "query More { parcels(warehouseId: 1) { page { total } } }" });
  git("merge", "-q", "--no-commit", "-s", "ours", "other");
  git("checkout", "other", "--", "spec/schema.graphql");
  commit({});
  const deployed = hashOf(root);
  commit({ "spec/schema.graphql": depotSchema.replace("name: String!", "name: String") });
  const url = await role(JSON.stringify({ status: "ok", build: "1", spec: deployed }));
  const report = await reportOf(root, "--base", url);
  expect(report.changes).toEqual((await reportOf(root, "--base", "HEAD~1")).changes);
  expect(report.changes.length).toBeGreaterThan(0);
});

test.each([
  [
    "a spec that no commit has",
    '{"spec":"0123456789abcdef"}',
    /serves the spec 0123456789abcdef, which no commit/,
  ],
  ["no spec", '{"status":"ok"}', /\/healthz does not report a spec/],
  ["something else", "<html>", /is not valid JSON/],
])("a role that tells %s is a refusal with its reason", async (_name, answer, reason) => {
  const { code, error } = await ran(repository(), ["--base", await role(answer)]);
  expect([code, error]).toEqual([2, expect.stringMatching(reason)]);
});
