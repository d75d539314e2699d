/** `restbound init` in a folder without packages, and an npm that only says that it ran. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";

/** Operations of one method, all with the tag `a`. */
const documentOf = (number: number, method = "get"): string => {
  const content = { "application/json": { schema: { type: "string" } } };
  const responses = { 200: { description: "ok", content } };
  const paths = Array.from({ length: number }, (_, index) => [
    `/o${index}`,
    { [method]: { operationId: `o${index}`, tags: ["a"], responses } },
  ]);
  return JSON.stringify({
    ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
    paths: Object.fromEntries(paths),
  });
};

async function started(files: Readonly<Record<string, string>>, ...argv: string[]) {
  const root = mkdtempSync(join(tmpdir(), "before-npm-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const npm = '#!/bin/sh\necho "$@" > ran\nexit 1\n';
  for (const [name, text] of Object.entries({ "api.json": documentOf(2), ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    if (name === "generated") symlinkSync(text, join(root, name));
    else writeFileSync(join(root, name), text);
  }
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin/npm"), npm, { mode: 0o755 });
  const before = readdirSync(root);
  const errors: string[] = [];
  const io = { env: { PATH: `${join(root, "bin")}:/bin:/usr/bin` }, root, out: () => undefined };
  const code = await init(["--openapi", "api.json", ...argv], { ...io, error: (line) => errors.push(line) });
  const isUntouched = JSON.stringify(readdirSync(root)) === JSON.stringify(before);
  const ran = existsSync(join(root, "ran")) ? readFileSync(join(root, "ran"), "utf8") : "";
  return { code, error: errors.join("\n"), isUntouched, ran };
}

test("where npm fails, the refusal says how to go on with a tarball", async () => {
  expect(await started({})).toEqual({
    code: 1,
    error: expect.stringMatching(
      /^npm could not install them\. .*npm install its tarball and run init again$/,
    ),
    isUntouched: false,
    ran: "install --no-audit --no-fund\n",
  });
});

const named = {
  "spec/openapi/b.json": documentOf(2),
  "spec/schema.graphql": 'type Query { a: String @rest(operation: "o1") }',
};

test.each<[string, Readonly<Record<string, string>>, string[], string]>([
  ["a choice that is missing", { "api.json": documentOf(61) }, [], "has 61 operations: choose some"],
  ["a tag that is unknown", {}, ["--tag", "b"], "--tag b: there is no such tag"],
  ["an operation that is unknown", {}, ["--operation", "b"], "--operation b: there is no such operation"],
  ["a path that is near", {}, ["--operation", "/o0/{id}"], "  --operation /o0"],
  ["a name that cannot be", {}, ["--name", "b.c"], "--name b.c: a name may only have letters"],
  ["nothing that reads", { "api.json": documentOf(2, "post") }, [], "--query o0"],
  ["a document that is none", { "api.json": "{}" }, [], "is not an OpenAPI 3.0, 3.1 or 3.2 document"],
  ["a folder", { "d/a": "" }, ["--openapi", "d"], "--openapi d: is a folder, not a file"],
  ["an overlay that is none", { "overlay.yaml": "a: 1" }, [], "is not an OpenAPI Overlay"],
  ["CommonJS", { "package.json": '{ "type": "commonjs" }' }, [], 'set it to "module"'],
  ["a package.json that is no JSON", { "package.json": "{" }, [], "package.json is not a JSON object"],
  ["a project that is there", { "spec/a": "" }, [], "spec/ already has files"],
  ["a link in place of generated/", { generated: "elsewhere" }, [], "generated is a symbolic link"],
  ["a tag for a document that joins", named, ["--name", "c", "--tag", "a"], "a document that is added"],
  ["a document that takes a name", named, ["--name", "c"], 'operationId "o1" is shared by'],
  [
    "a ledger that is none",
    { ...named, "spec/rest-only.yaml": "[" },
    ["--name", "c"],
    "spec/rest-only.yaml:1:",
  ],
])("%s is told before npm installs anything, and nothing is written", async (_, files, argv, error) => {
  expect(await started(files, ...argv)).toMatchObject({
    error: expect.stringContaining(error),
    ...{ isUntouched: true, ran: "" },
  });
});
