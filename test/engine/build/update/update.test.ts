/** `restbound update` against a server that has two versions of a document. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { run as update } from "../../../../src/engine/build/update/update-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { listen } from "../../gateway/fakes.ts";
import { ran, reportOf, write } from "../check/run.ts";

const documentOf = (property: object, more: object = {}): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/thing": {
        get: operation("getThing", {
          type: "object",
          required: ["id", "name"],
          properties: { id: { type: "string" }, name: property },
        }),
      },
      ...more,
    },
  });

const operation = (operationId: string, schema: object): object => ({
  operationId,
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});

const text = { type: "string" };

/** A committed project, whose document comes from a server. */
async function started(env: NodeJS.ProcessEnv = {}, etag = "") {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const { root } = project;
  const served = {
    document: documentOf(text),
    location: "",
    etag,
    headers: [] as (string | undefined)[],
    conditions: [] as (string | undefined)[],
  };
  const server = await listen(({ headers, url }, response) => {
    served.headers.push(headers.authorization);
    served.conditions.push(headers["if-none-match"]);
    if (served.etag !== "") response.setHeader("etag", served.etag);
    if (served.etag !== "" && headers["if-none-match"] === served.etag) response.writeHead(304).end();
    else if (served.location !== "" && url === "/api.json")
      response.writeHead(302, { location: served.location }).end();
    else response.end(served.document);
  });
  onTestFinished(server.close);
  const url = new URL("/api.json", server.url).href;
  expect(await ran(root, ["--openapi", url], init, undefined, env)).toMatchObject({ code: 0, error: "" });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  write(root, { ".gitignore": "node_modules" });
  git("init", "-q", "--template=");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "-q", "-m", "base");
  const updated = (...argv: string[]) => ran(root, argv, update, undefined, env);
  return { ...project, served, url, updated };
}

test("init records the source; without changes, update says so", async () => {
  const { read, url, updated } = await started();
  expect(JSON.parse(read("package.json")).restbound).toEqual({ sources: { "openapi.yaml": url } });
  const { code, out } = await updated("--write");
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("the documents are up to date") });
});

test("a document with the recorded ETag is not sent again, unless it was edited or comes from elsewhere", async () => {
  const { edit, read, served, url, updated } = await started({}, '"one"');
  const lock = () => JSON.parse(read("restbound.lock.json"));
  const { digest } = lock()["openapi.yaml"];
  expect(lock()).toEqual({
    "openapi.yaml": { source: url, etag: '"one"', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
  });
  const next = documentOf({ ...text, description: "more" });
  served.document = next;
  expect((await updated("--write")).out).toContain("the documents are up to date");
  served.etag = 'W/"two"';
  expect((await updated()).out).not.toContain("edited");
  expect(lock()["openapi.yaml"].etag).toBe('"one"'); // only --write changes it
  expect((await updated("--write")).out).toContain("wrote spec/openapi.yaml");
  expect(lock()["openapi.yaml"]).toMatchObject({
    etag: 'W/"two"',
    digest: expect.not.stringMatching(digest),
  });
  edit("spec/openapi.yaml", (given) => `${given}\n`);
  expect((await updated("--write")).out).toContain("spec/openapi.yaml was edited after it was fetched");
  expect(read("spec/openapi.yaml")).toBe(next);
  edit("package.json", (given) => given.replace("/api.json", "/other.json"));
  await updated();
  edit("restbound.lock.json", () => "<<<<<<< HEAD");
  expect(await updated()).toMatchObject({ code: 0 });
  expect(served.conditions).toEqual([undefined, '"one"', '"one"', '"one"', undefined, undefined, undefined]);
});

test.each(["one", '"a\u00e9"', '"a" "b"'])("an ETag that is not one is not recorded: %s", async (etag) => {
  const { read } = await started({}, etag);
  expect(JSON.parse(read("restbound.lock.json"))["openapi.yaml"]).not.toHaveProperty("etag");
});

test("a change that breaks nothing is reported, and written only with --write, with generated/", async () => {
  const { root, read, served, updated } = await started();
  served.document = documentOf(
    { ...text, description: "more" },
    { "/new": { get: operation("getNew", text) } },
  );
  const before = read("spec/openapi.yaml");
  const { code, out } = await updated();
  expect(code).toBe(1);
  expect(out).toMatch(/getNew {2}operation-undecided[\s\S]*differs: spec\/openapi\.yaml/);
  expect(read("spec/openapi.yaml")).toBe(before);
  expect((await updated("--write")).out).toContain("wrote spec/openapi.yaml");
  expect(read("spec/openapi.yaml")).toBe(served.document);
  const { findings } = await reportOf(root);
  expect(findings.map(({ rule }) => rule)).toEqual(["operation-undecided"]);
});

test("a change that breaks a field is in the report, and --write writes it all the same", async () => {
  const { root, read, served, updated } = await started();
  served.document = documentOf({ type: "integer" });
  const { code, out } = await updated("--write", "--format", "markdown=report.md");
  expect(code).toBe(1);
  expect(out).toContain("generated/ is unchanged");
  expect(read("report.md")).toContain("output-type");
  expect(read("spec/openapi.yaml")).toBe(served.document);
  expect((await reportOf(root)).findings.map(({ rule }) => rule)).toContain("output-type");
});

test("the project's overlay stays, and applies to the new document", async () => {
  const { root, read, served, updated } = await started();
  const overlay = JSON.stringify({
    overlay: "1.0.0",
    info: { title: "o", version: "1" },
    actions: [{ target: "$.paths['/new']", remove: true }],
  });
  write(root, { "spec/overlay.yaml": overlay });
  served.document = documentOf(text, { "/new": { get: operation("getNew", text) } });
  expect((await updated("--write")).code).toBe(0);
  expect(read("spec/overlay.yaml")).toBe(overlay);
});

test("the header of a private document is sent, but not with a redirect, and is in no file or message", async () => {
  const secret = "Bearer s3cret";
  const { root, read, served, updated } = await started({ OPENAPI_HEADER: `Authorization: ${secret}` });
  expect(served.headers).toEqual([secret]);
  served.location = "/elsewhere";
  const { code, out, error } = await updated("--write");
  expect(code).toBe(2);
  expect(error).toContain("unexpected redirect");
  expect(served.headers).toEqual([secret, secret]); // the redirect is not followed
  expect(out + error + read("package.json") + read("restbound.lock.json")).not.toContain("s3cret");
  const malformed = await ran(root, [], update, undefined, { OPENAPI_HEADER: "Authorization: s3cret\nline" });
  expect(malformed).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^OPENAPI_HEADER: is not a header/),
  });
  expect(malformed.error).not.toContain("s3cret");
});

test.each(["http://api.example.com/api.json", "http://127.0.0.1.example.com/", "http://10.0.0.1/api.json"])(
  "the header is not sent in clear text to %s",
  async (url) => {
    const project = emptyProject();
    onTestFinished(() => project.remove());
    const env = { OPENAPI_HEADER: "X-Token: s3cret" };
    const { code, error } = await ran(project.root, ["--openapi", url], init, undefined, env);
    expect(code).toBe(2);
    expect(error).toMatch(/^OPENAPI_HEADER: is not sent over plain http/);
    expect(error).not.toContain("s3cret");
  },
);

test("an invalid URL is a usage error, also with a header", async () => {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const env = { OPENAPI_HEADER: "X-Token: s3cret" };
  const { code } = await ran(project.root, ["--openapi", "http://"], init, undefined, env);
  expect(code).toBe(2);
});

test("a URL with a password or a query is not written; a missing source is named", async () => {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const server = await listen((_request, response) => response.end(documentOf(text)));
  onTestFinished(server.close);
  const url = new URL("/api.json?token=s3cret", server.url).href;
  expect((await ran(project.root, ["--openapi", url], init)).code).toBe(0);
  expect(project.read("package.json")).not.toContain("s3cret");
  expect(existsSync(join(project.root, "restbound.lock.json"))).toBe(false);
  expect(await ran(join(project.root), [], update)).toMatchObject({
    code: 2,
    error: expect.stringContaining('package.json has no "restbound.sources"'),
  });
});

test("what lies beside a document on disk stays there: an overlay, and files with a meaning in spec/", async () => {
  const { root, remove } = emptyProject();
  onTestFinished(remove);
  write(root, { "vendor/api.json": documentOf(text), ".gitignore": "node_modules" });
  expect(await ran(root, ["--openapi", "vendor/api.json"], init)).toMatchObject({ code: 0, error: "" });
  for (const words of [
    "init -q --template=",
    "add .",
    "-c user.name=t -c user.email=t@t.example commit -q -m base",
  ])
    execFileSync("git", words.split(" "), { cwd: root, stdio: "pipe" });
  write(root, {
    "vendor/api.json": documentOf({ ...text, description: "new" }),
    "vendor/overlay.yaml": "overlay: 1.0.0\nactions: [{ target: $.info, update: { title: theirs } }]\n",
  });
  expect(await ran(root, ["--write"], update)).toMatchObject({ code: 0 });
  expect(existsSync(join(root, "spec/overlay.yaml"))).toBe(false);
  write(root, {
    "vendor/api.json": documentOf({ $ref: "approvals.yaml#/name" }),
    "vendor/approvals.yaml": "name: { type: string }\n",
  });
  const { code, error } = await ran(root, ["--write"], update);
  expect([code, error]).toEqual([2, expect.stringContaining("a $ref names the file approvals.yaml")]);
  expect(existsSync(join(root, "spec/approvals.yaml"))).toBe(false);
});
