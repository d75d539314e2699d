/** What a copied overlay decides about credentials and servers wants to be confirmed, place by place. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { ran } from "../check/run.ts";

const answer = {
  200: { description: "ok", content: { "application/json": { schema: { type: "string" } } } },
};

const operation = (operationId: string, more: object = {}) => ({
  get: { operationId, responses: answer, ...more },
});

const documentOf = (key: object, more: object = {}): object => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  servers: [{ url: "https://rates.example.com" }],
  security: [{ k: [] }],
  paths: {
    "/rates": operation("listRates"),
    "/news": operation("listNews"),
    "/{day}": operation("getDay", {
      security: [{ k: [] }, {}],
      parameters: [{ name: "day", in: "path", required: true, schema: { type: "string" } }],
    }),
  },
  components: { securitySchemes: { k: key } },
  ...more,
});

const key = { type: "apiKey", in: "header", name: "X-Rates-Key" };
const crmKey = { type: "apiKey", in: "header", name: "X-Crm-Key" };

/** A folder with a vendor's files, and `init` over them. */
function vendor(actions: readonly object[] | undefined, document = documentOf(key)) {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const put = (folder: string, file: string, value: object): void => {
    mkdirSync(join(project.root, folder), { recursive: true });
    writeFileSync(join(project.root, folder, file), JSON.stringify(value));
  };
  put("vendor", "api.json", document);
  if (actions)
    put("vendor", "overlay.yaml", { overlay: "1.0.0", info: { title: "t", version: "1" }, actions });
  const run = (...more: string[]) => ran(project.root, ["--openapi", "vendor/api.json", ...more], init);
  return { ...project, put, run };
}

const withoutPosition = (line = ""): string => line.trim().replace(/:1:\d+: /, ": ");

const securitySchemes = "$.components.securitySchemes";

test.each<[string, object[], string[]]>([
  [
    "the header of a credential",
    [{ target: `${securitySchemes}.k`, update: { "x-from-header": "X-Crm-Key" } }],
    [
      "--confirm '#/components/securitySchemes/k'  vendor/overlay.yaml: security scheme k: x-from-header X-Crm-Key, type apiKey, in header, name X-Rates-Key; without the overlay: type apiKey, in header, name X-Rates-Key",
    ],
  ],
  [
    "another scheme, by a removal and a reference to a file that the vendor does not have",
    [
      { target: `${securitySchemes}.k`, remove: true },
      { target: securitySchemes, update: { k: { $ref: "crm.yaml#/components/securitySchemes/key" } } },
    ],
    ["--confirm '#/components/securitySchemes/k'"],
  ],
  [
    "another scheme, by all that holds it",
    [{ target: "$", update: { components: { securitySchemes: { k: { name: "X-Crm-Key" } } } } }],
    ["--confirm '#/components/securitySchemes/k'"],
  ],
  [
    "what the document requires, and a new scheme",
    [
      { target: "$.security", update: [{ crm: [] }] },
      { target: securitySchemes, update: { crm: crmKey } },
    ],
    [
      "--confirm '#/security'  vendor/overlay.yaml: security of the document: k or crm; without the overlay: k",
      "--confirm '#/components/securitySchemes/crm'",
    ],
  ],
  [
    "what operations require, by the value that they get",
    [{ target: "$.paths[*].get", update: { security: [{ crm: [] }] } }],
    [
      "--confirm '#/paths/~1rates/get/security'  vendor/overlay.yaml: security of GET /rates and 1 more: crm; without the overlay: nothing",
      "--confirm '#/paths/~1%7Bday%7D/get/security'  vendor/overlay.yaml: security of GET /{day}: k or none or crm; without the overlay: k or none",
    ],
  ],
  [
    "that an operation requires as much as the document",
    [{ target: "$.paths['/{day}'].get.security", remove: true }],
    [
      "--confirm '#/paths/~1%7Bday%7D/get/security'  vendor/overlay.yaml: security of GET /{day}: nothing; without the overlay: k or none",
    ],
  ],
  [
    "the servers of the document, of a path and of an operation",
    [
      { target: "$.servers", remove: true },
      { target: "$", update: { servers: [{ url: "https://other.example.com" }] } },
      { target: "$.paths['/news']", update: { servers: [{ url: "https://path.example.com" }] } },
      { target: "$.paths['/news'].get", update: { servers: [{ url: "https://op.example.com" }] } },
    ],
    [
      "--confirm '#/servers'  vendor/overlay.yaml: servers of the document: https://other.example.com; without the overlay: https://rates.example.com",
      "--confirm '#/paths/~1news/servers'",
      "--confirm '#/paths/~1news/get/servers'",
    ],
  ],
  [
    "the credentials of an operation that it adds",
    [
      { target: "$.paths", update: { "/more": operation("listMore", { security: [{ crm: [] }] }) } },
      { target: "$.paths", update: { "/plain": operation("listPlain") } },
    ],
    ["--confirm '#/paths/~1more/get/security'"],
  ],
])("an overlay may not decide unseen: %s", async (_, actions, lines) => {
  const { root, run } = vendor(actions);
  const { code, error } = await run();
  const [head, ...told] = error.split("\n");
  expect([code, head]).toEqual([
    2,
    "--openapi vendor/api.json: its files decide which credentials of callers go where. Confirm each line that you agree with, or remove what it names from the file:",
  ]);
  expect(told.map(withoutPosition)).toEqual(lines.map((line) => expect.stringContaining(line)));
  expect(existsSync(join(root, "spec"))).toBe(false);
  const confirmed = told.flatMap((line) => /--confirm '([^']+)'/.exec(line)?.[1] ?? []);
  if (confirmed.length > 1)
    expect((await run("--confirm", confirmed[0] ?? "")).error.split("\n")).toHaveLength(told.length);
  expect((await run("--confirm", ...confirmed, "#/info")).error).toBe(
    "--confirm #/info: there is nothing to confirm",
  );
});

test("an overlay that is confirmed is copied, and one that decides nothing of the kind needs no word", async () => {
  const claiming = vendor([{ target: `${securitySchemes}.k`, update: { "x-from-header": "X-Crm-Key" } }]);
  expect(await claiming.run("--confirm", "#/components/securitySchemes/k")).toMatchObject({
    code: 0,
    error: "",
  });
  expect(claiming.read("spec/overlay.yaml")).toContain("X-Crm-Key");
  const mending = vendor([
    { target: `${securitySchemes}.k`, update: { description: "as the dashboard shows it" } },
    { target: "$.paths['/news']", remove: true },
    { target: "$.paths['/{day}'].get", update: { summary: "One day" } },
  ]);
  expect(await mending.run()).toMatchObject({ code: 0, error: "" });
});

test("a document that joins others may not name the header of one of them unseen", async () => {
  const claiming = documentOf({ ...key, "x-from-header": "x-crm-key" });
  const { root, put, run } = vendor(undefined, claiming);
  put("own", "crm.json", documentOf(crmKey));
  expect(await ran(root, ["--openapi", "own/crm.json", "--name", "crm"], init)).toMatchObject({ code: 0 });
  const { code, error } = await run("--name", "rates");
  expect([code, withoutPosition(error.split("\n")[1])]).toEqual([
    2,
    "--confirm '#/components/securitySchemes/k'  vendor/api.json: security scheme k: x-from-header x-crm-key, type apiKey, in header, name X-Rates-Key; crm takes this header",
  ]);
  expect(existsSync(join(root, "spec/openapi/rates.yaml"))).toBe(false);
  expect(await run("--name", "rates", "--confirm", "#/components/securitySchemes/k")).toMatchObject({
    code: 0,
  });
});

test("names of paths and schemes steer no terminal and no shell, and can be confirmed as they are printed", async () => {
  const name = "k\n::error::'x'\u001b[2J";
  const { run } = vendor([{ target: securitySchemes, update: { [name]: crmKey } }]);
  const { error } = await run();
  expect(error.split("\n")).toHaveLength(2);
  expect(error).not.toContain("\n::");
  expect(error).not.toContain("\u001b");
  const [, word = ""] = /--confirm '((?:[^']|'\\'')+)'/.exec(error) ?? [];
  expect(await run("--confirm", word.replaceAll("'\\''", "'"))).toMatchObject({ code: 0 });
});
