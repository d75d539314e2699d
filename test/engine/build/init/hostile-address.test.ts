/** The files that `restbound init` writes, where the vendor's document tells a server that is more than an address. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { ran } from "../check/run.ts";

const schema = { type: "object", properties: { a: { type: "string" } } };
const responses = { 200: { description: "d", content: { "application/json": { schema } } } };

/** What a user copies or runs. */
async function writtenFor(url: string, variables?: object): Promise<string> {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url, ...(variables && { variables }) }],
    paths: { "/a": { get: { operationId: "a", responses } } },
  };
  writeFileSync(join(project.root, "vendor.json"), JSON.stringify(document));
  const { code, out } = await ran(project.root, ["--openapi", "vendor.json"], init);
  expect(code).toBe(0);
  return [out, project.read("src/main.ts"), project.read("compose.yaml")].join("\n");
}

test("no line of what init and propose print begins with text of the document", async () => {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const hostile = "x\n::error::a\r\n##[error]b\u001b[2J";
  const media = { "application/json": { schema } };
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/a": { get: { operationId: "a", description: `${hostile}\n::warning::c`, responses } },
      [`/b/${hostile}`]: {
        get: {
          operationId: hostile,
          responses: { 200: { description: "d", content: media }, 422: { description: "d", content: media } },
        },
      },
      "/c": {
        get: {
          operationId: `c${hostile}`,
          responses: { 200: { description: hostile, content: { [hostile]: {} } } },
        },
      },
    },
  };
  writeFileSync(join(project.root, "vendor.json"), JSON.stringify(document));
  const started = await ran(project.root, ["--openapi", "vendor.json"], init);
  const proposed = await ran(project.root, ["a"], propose);
  const refused = await ran(project.root, [hostile], propose);
  for (const { out, error } of [started, proposed, refused]) {
    expect(`${out}\n${error}`).not.toMatch(/^\s*::/m);
    expect(`${out}\n${error}`).not.toContain("##[");
    expect(`${out}\n${error}`).not.toContain("\u001b");
  }
  expect(started.code).toBe(0);
  expect(started.out).toMatch(/^errors: {4}clients see no text of the error schema of x.* 422: /m);
});

test("no file and no line has text of the document that a shell or a terminal would obey", async () => {
  const good = await writtenFor("https://api.vendor.example:8443/v2");
  expect(good).toContain('REST_BASE_URL: "https://api.vendor.example:8443/v2"');
  expect(good).toContain("REST_BASE_URL:-https://api.vendor.example:8443/v2");
  expect(good).toMatch(/^start it: {2}npm start$/m);
  for (const rest of ["$(touch x)", "`id`", "; id", "\u001b[2J", "\nid", " && id", "'"]) {
    const written = await writtenFor(`https://api.vendor.example/${rest}`);
    expect(written).not.toContain("vendor.example");
    expect(written).toMatch(/^start it: {2}REST_BASE_URL=https:\/\/api\.example\.com npm start$/m);
  }
});

test.each([
  ["https://{region}.vendor.example/{v}", "https://eu.vendor.example/v2", true],
  ["/v1/", "https://api.example.com/v1", false],
  ["v1", "https://api.example.com/v1", false],
  ["/", "https://api.example.com", false],
  ["//evil.example/x", "https://api.example.com", false],
  ["{other}/x", "https://api.example.com", false],
  ["/{v}", "https://api.example.com/v2", false],
])("a server of %s is %s to start with", async (url, shown, isKnown) => {
  const written = await writtenFor(url, { region: { default: "eu" }, v: { default: "v2" } });
  if (isKnown) expect(written).toContain(`REST_BASE_URL: "${shown}"`);
  else expect(written).not.toContain("defaults:");
  expect(written).toContain(`start it:  ${isKnown ? "" : `REST_BASE_URL=${shown} `}npm start`);
});

test.each(["https://example.com/api", "https://api.example.org"])(
  "a server on a domain for documentation, %s, has to be replaced to start",
  async (url) => {
    expect(await writtenFor(url)).toContain(`start it:  REST_BASE_URL=${url} npm start`);
  },
);
