/** `restbound init --name`: a project on a document with a name, and another document that joins it. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { ran, reportOf } from "../check/run.ts";

const documentOf = (path: string, operationId: string, more: object = {}): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: `https://${operationId.toLowerCase()}.example.com` }],
    security: [{ bearer: [] }],
    paths: {
      [path]: {
        get: {
          operationId,
          responses: {
            200: {
              description: "ok",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
            },
          },
        },
      },
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: {
        Thing: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
        ...more,
      },
    },
  });

/** A project on the document `shop`, and the file `crm.json` of the other. */
async function started() {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const add = (file: string, ...more: string[]) => ran(project.root, ["--openapi", file, ...more], init);
  writeFileSync(join(project.root, "shop.json"), documentOf("/things", "getThing"));
  writeFileSync(join(project.root, "crm.json"), documentOf("/things", "getThing"));
  expect(await add("shop.json", "--name", "shop")).toMatchObject({ code: 0, error: "" });
  const files = (): string[] =>
    (readdirSync(join(project.root, "spec"), { recursive: true }) as string[]).sort();
  return { ...project, add, files };
}

test("a document with a name starts a project, with the address of that product", async () => {
  const { root, read, files } = await started();
  expect(files()).toEqual(["openapi", "openapi/shop.yaml", "rest-only.yaml", "schema.graphql"]);
  expect(read("spec/schema.graphql")).toContain('thing: Thing\n    @rest(operation: "shop/getThing")');
  for (const file of ["src/main.ts", "compose.yaml"]) expect(read(file)).toContain("REST_BASE_URL_SHOP: ");
  expect(read("src/main.ts")).toContain('"https://getthing.example.com"');
  expect((await reportOf(root)).findings).toEqual([]);
});

test("another document joins it: the schema stays, the ledger has its operations, and propose gives them fields", async () => {
  const { root, read, edit, add, files } = await started();
  const schema = read("spec/schema.graphql");
  const { code, out } = await add("crm.json", "--name", "crm-eu");
  expect([code, out.split("\n")]).toEqual([
    0,
    [
      "wrote spec/openapi/crm-eu.yaml",
      "wrote spec/rest-only.yaml",
      "wrote src/main.ts: REST_BASE_URL_CRM_EU",
      "wrote test/service.test.ts: REST_BASE_URL_CRM_EU",
      "wrote compose.yaml: REST_BASE_URL_CRM_EU",
      "wrote Dockerfile: REST_BASE_URL_CRM_EU",
      "address:  REST_BASE_URL_CRM_EU=https://getthing.example.com",
      "fields:   npm run propose -- crm-eu/getThing prints one",
    ],
  ]);
  expect(files()).toContain("openapi/crm-eu.yaml");
  expect(read("spec/schema.graphql")).toBe(schema);
  expect(read("spec/rest-only.yaml")).toMatch(
    /^# REST operations that .*\ncrm-eu\/\*: added, without a field yet\n$/s,
  );
  expect((await reportOf(root)).findings).toEqual([]);
  const proposed = await ran(root, ["crm-eu/getThing"], propose);
  edit("spec/schema.graphql", (text) => `${text}\n${proposed.out}\n`);
  const found = async () =>
    (await reportOf(root)).findings.flatMap(({ stage, rule, coordinate }) =>
      stage === "freshness" ? [] : [`${rule} ${coordinate}`],
    );
  expect(await found()).toEqual([
    "credential-shared shop#/components/securitySchemes/bearer",
    "credential-shared crm-eu#/components/securitySchemes/bearer",
    "ledger-bound crm-eu/*",
  ]);
  const target = "$.components.securitySchemes.bearer";
  const actions = [{ target, update: { "x-from-header": "X-Crm-Authorization" } }];
  writeFileSync(
    join(root, "spec/openapi/crm-eu.overlay.yaml"),
    JSON.stringify({ overlay: "1.0.0", actions }),
  );
  expect(await found()).toEqual(["ledger-bound crm-eu/*"]);
});

test("a document that joins brings its address to all that starts the service, if it is as init writes it", async () => {
  const { root, read, edit, add } = await started();
  const lines = (file: string): string[] =>
    read(file)
      .split("\n")
      .filter((line) => /REST_BASE/.test(line));
  await add("crm.json", "--name", "crm");
  expect(lines("src/main.ts")).toEqual([
    '  defaults: { REST_BASE_URL_SHOP: "https://getthing.example.com", REST_BASE_URL_CRM: "https://getthing.example.com" },',
  ]);
  expect(lines("test/service.test.ts")).toEqual([
    '  const { url, close } = await open(service, { REST_BASE_URL_SHOP: "http://127.0.0.1:9", REST_BASE_URL_CRM: "http://127.0.0.1:9" });',
  ]);
  expect(lines("compose.yaml")).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose replaces it
    '    environment: { REST_BASE_URL_SHOP: "${REST_BASE_URL_SHOP:-https://getthing.example.com}", REST_BASE_URL_CRM: "${REST_BASE_URL_CRM:-https://getthing.example.com}" }',
  ]);
  expect(lines("Dockerfile")).toEqual([
    expect.stringContaining(
      " REST_BASE_URL_SHOP=http://127.0.0.1:1 REST_BASE_URL_CRM=http://127.0.0.1:1 node dist/bundle/main.js ",
    ),
  ]);
  // several lines, as a formatter writes them; a file that its owner has changed is left alone and named
  edit("src/main.ts", (text) => text.replace(/defaults: \{.*\},/, 'defaults: {\n    A: "{}",\n  },'));
  edit("compose.yaml", (text) => text.replace(/environment: .*/, "env_file: .env"));
  writeFileSync(join(root, "docs.json"), documentOf("/pages", "getPage"));
  const { out } = await add("docs.json", "--name", "docs");
  expect(read("src/main.ts")).toContain(
    'defaults: {\n    A: "{}", REST_BASE_URL_DOCS: "https://getpage.example.com",\n  },',
  );
  expect(out).toContain("address:  REST_BASE_URL_DOCS=https://getpage.example.com; add it to compose.yaml\n");
});

test("a link in a vendor's folder is a part of the document only if it stays in the folder", async () => {
  const { root, add, files } = await started();
  mkdirSync(join(root, "vendor/parts"), { recursive: true });
  for (const path of ["secret.json", "vendor/parts/a.json"])
    writeFileSync(join(root, path), '{ "A": { "type": "string" } }');
  symlinkSync(join(root, "secret.json"), join(root, "vendor/parts/out.json"));
  symlinkSync("a.json", join(root, "vendor/parts/in.json"));
  const more = { Out: { $ref: "parts/out.json#/A" }, In: { $ref: "parts/in.json#/A" } };
  writeFileSync(join(root, "vendor/crm.json"), documentOf("/b", "getB", more));
  expect(await add("vendor/crm.json", "--name", "crm")).toMatchObject({ code: 0 });
  expect(files().filter((file) => file.startsWith("openapi/parts/"))).toEqual(["openapi/parts/in.json"]);
});

test("what cannot join is refused, and nothing is written", async () => {
  const { root, add, files, read } = await started();
  const before = files();
  const refused = async (...argv: Parameters<typeof add>): Promise<string> => {
    const { code, error } = await add(...argv);
    expect(code).not.toBe(0);
    expect(files()).toEqual(before);
    return error;
  };
  expect(await refused("crm.json")).toMatch(/^spec\/ already has files; to add a document .* use --name/);
  expect(await refused("crm.json", "--name", "shop")).toBe("spec/openapi/shop.yaml already exists");
  expect(await refused("crm.json", "--name", "crm.eu")).toBe(
    "--name crm.eu: a name may only have letters, digits, - and _",
  );
  expect(await refused("crm.json", "--name", "crm", "--tag", "a")).toMatch(/^--tag, --operation, --query: /);
  mkdirSync(join(root, "parts"));
  writeFileSync(join(root, "parts/a.json"), '{ "A": { "type": "string" } }');
  writeFileSync(join(root, "beside.json"), '{ "B": { "type": "string" } }');
  const inFolder = { Other: { $ref: "parts/a.json#/A" } };
  writeFileSync(
    join(root, "both.json"),
    documentOf("/b", "getB", { ...inFolder, More: { $ref: "beside.json#/B" } }),
  );
  expect(await refused("both.json", "--name", "crm")).toBe(
    "--openapi both.json: a $ref names the file beside.json, which has a special meaning in spec/openapi/: give it another name, in a folder, there and in the $ref",
  );
  writeFileSync(join(root, "parted.json"), documentOf("/b", "getB", inFolder));
  expect(await add("parted.json", "--name", "crm")).toMatchObject({ code: 0 });
  expect(read("spec/openapi/parts/a.json")).toContain('"A"');
});

test("init declares the errors that it understands in the overlay of the document, and reports the others", async () => {
  const project = emptyProject();
  onTestFinished(() => project.remove());
  const text = { type: "string" };
  const errors = {
    404: { error: text },
    409: { number: { type: "integer" } },
    422: { message: text, code: text },
  };
  const document = JSON.parse(documentOf("/things", "getThing"));
  for (const [status, properties] of Object.entries(errors))
    document.paths["/things"].get.responses[status] = {
      description: "refused",
      content: { "application/json": { schema: { type: "object", properties } } },
    };
  writeFileSync(join(project.root, "shop.json"), JSON.stringify(document));
  for (const name of ["shop", "crm"]) {
    const { code, out } = await ran(project.root, ["--openapi", "shop.json", "--name", name], init);
    expect(code).toBe(0);
    expect(out).toMatch(/^errors: +clients see no text of the error schema of \w+\/getThing 409: /m);
    expect(out).toContain(`spec/openapi/${name}.overlay.yaml`);
    expect(out).not.toContain("mend it:");
    expect(project.read(`spec/openapi/${name}.overlay.yaml`).match(/message: \w+/g)).toEqual([
      "message: error",
      "message: message",
    ]);
  }
  expect((await reportOf(project.root)).findings).toEqual([]);
});
