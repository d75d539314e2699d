/** The scripts of the workflow that `init` writes for updates, on small documents. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { addFiles } from "../../../../src/engine/build/init/project-files.ts";
import { type Job, type Step, scheduled } from "./scheduled.ts";

const documentOf = (name: object, more: object = {}): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    security: [],
    paths: {
      "/thing": {
        get: operation("getThing", { type: "object", required: ["name"], properties: { name } }),
      },
      ...more,
    },
  });

const operation = (operationId: string, schema: object): object => ({
  operationId,
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});

const text = { type: "string" };
const old = { "/old": { get: operation("getOld", text) } };
const saved = "query Things { thing { name } }\nquery Old { old }\n";
const started = { document: documentOf(text, old), saved };

const title = "--title|Take the changes of the OpenAPI documents";
const created = `pr|create|--base|main|--head|restbound-update|${title}|--body-file|TEMP/body.md|`;
const described = "api|--method|PATCH|repos/acme/things/pulls/7|--field|body=@TEMP/body.md|--silent|";

test("a night without changes opens nothing; a safe change opens a pull request, which the next night updates", async () => {
  const { night, served, git } = await scheduled(started);
  expect(await night()).toEqual({ calls: [], body: "" });
  served.document = documentOf({ ...text, description: "more" }, old);
  expect(await night()).toEqual({
    calls: [created],
    body: expect.stringMatching(
      /^The whole report: https:\/\/github\.example\/acme\/things\/actions\/runs\/42\n\n## Spec check: ✅/,
    ),
  });
  const changed = () => git("diff", "--name-only", "main", "restbound-update").split("\n");
  expect(changed()).toEqual(expect.arrayContaining(["restbound.lock.json", "spec/openapi.yaml"]));
  expect(git("show", "restbound-update:spec/openapi.yaml")).toBe(served.document);
  expect((await night()).calls).toEqual([described]);
  expect(git("log", "--format=%s", "main..restbound-update").split("\n")).toHaveLength(1);
});

test("a change that breaks opens a draft: its text has the errors, what was removed, and saved operations by name", async () => {
  const { night, served, git, mend, open } = await scheduled(started);
  served.document = documentOf({ type: "integer" });
  const { calls, body } = await night();
  expect(calls).toEqual([`${created}--draft|`]);
  expect(body).toContain("### breaking: `Query.old`");
  expect(body).toMatch(/`GetThing.name` \(`output-type`\)/);
  expect(body).toMatch(/\| `Things` \|/);
  expect(body).toMatch(/\| `Old` \|/);

  // a person's commit stays, also when the vendor changes the document again
  mend("NOTES.md", "mended");
  served.document = documentOf({ type: "integer", description: "again" });
  expect((await night()).calls).toEqual([described, "pr|ready|7|--undo|"]);
  expect(git("log", "--format=%s", "main..restbound-update").split("\n")).toEqual([
    "Take the changes of the OpenAPI documents",
    "mend",
    "Take the changes of the OpenAPI documents",
  ]);
  expect(git("show", "restbound-update:spec/openapi.yaml")).toBe(served.document);

  // once the pull request is closed, its commits are dropped
  rmSync(open);
  expect((await night()).calls).toEqual([`${created}--draft|`]);
  expect(git("log", "--format=%s", "main..restbound-update").split("\n")).toHaveLength(1);
});

test("what a document brings stays data: the branch changes no other files, and the text has no mention, image or markup", async () => {
  const { night, served, git } = await scheduled(started);
  const hostile =
    "@acme/all ![x](https://evil.example/x) <img src=x> [see](https://evil.example)\n::add-mask::x\n### approved";
  served.document = documentOf(
    { type: "string", description: hostile, enum: [hostile] },
    {
      ...old,
      [`/${hostile}`]: { get: { ...operation("getEvil", text), summary: hostile } },
      "/.github": { get: operation(`../.github/workflows/x.yml ${hostile}`, text) },
    },
  );
  const { calls, body } = await night();
  expect(calls).toHaveLength(1);
  const plain = body.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  expect(plain).not.toMatch(/@[a-z]|!\[|(?<!\\)<img|(?<!\\)\]\(http|^::|^### approved/m);
  const changed = git("diff", "--name-only", "main", "restbound-update").split("\n");
  expect(changed.filter((path) => !/^(?:spec|generated)\/|^restbound\.lock\.json$/.test(path))).toEqual([]);
});

test("the job that reads the document and runs packages has no token that may write, and the other runs no packages", () => {
  const root = mkdtempSync(join(tmpdir(), "workflow-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  addFiles(root, { variable: "REST_BASE_URL", hasUrl: true });
  const { permissions, jobs } = parse(readFileSync(join(root, ".github/workflows/update.yml"), "utf8")) as {
    permissions: object;
    jobs: Record<"fetch" | "pull-request", Job>;
  };
  const { fetch, "pull-request": pull } = jobs;
  expect(permissions).toEqual({});
  expect(fetch.permissions).toEqual({ contents: "read", "pull-requests": "read" });
  const [checkout] = fetch.steps;
  expect(checkout?.with).toMatchObject({ "persist-credentials": false });
  const secretOf = ({ id, env }: Step): string[] =>
    Object.entries(env ?? {}).flatMap(([name, value]) =>
      /secrets|token/.test(value) ? [`${id} ${name}`] : [],
    );
  expect(fetch.steps.flatMap(secretOf)).toEqual(["branch GH_TOKEN", "update OPENAPI_HEADER"]);
  // npm ci runs what packages bring: neither secret is there
  expect(fetch.steps.find(({ run }) => run === "npm ci")?.env).toBeUndefined();
  expect(
    pull.steps.filter(({ uses = "", run = "" }) => /setup-node|\bnp[mx]\b|\bnode\b/.test(uses + run)),
  ).toEqual([]);
  // an expression inside a script would put a document's text into the shell
  for (const { run = "" } of [...fetch.steps, ...pull.steps]) expect(run).not.toContain("${{");
});
