/** `npm run pack:client`: its files, its bytes, and the types that client libraries infer from its documents. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type DocumentNode, print } from "graphql";
import { describe, expect, test } from "vitest";
import { Project, projectAt } from "../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../src/engine/build/project/spec-files.ts";
import { packageFiles } from "../../../src/engine/client-package/package-files.ts";
import { blocksOf } from "../../repository/docs/page.ts";
import { makeConsumer, pack, packageName, root, temporaryFolder } from "./consumer.ts";

const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
const files = [
  "errors.d.ts",
  "errors.js",
  "index.d.ts",
  "index.js",
  "LICENSE",
  "mocks.d.ts",
  "mocks.js",
  "package.json",
  "README.md",
  "schema.d.ts",
  "schema.graphql",
  "schema.js",
];
test("the same spec gives the same bytes, and a version from their hash", async () => {
  const one = temporaryFolder();
  const other = temporaryFolder();
  await pack("--out", one);
  await pack("--out", other);
  expect(Object.keys(contentOf(one)).sort()).toEqual([...files].sort());
  expect(contentOf(one)).toEqual(contentOf(other));
  const { name, version, license } = JSON.parse(contentOf(one)["package.json"] ?? "");
  expect([license, contentOf(one).LICENSE]).toEqual(["MIT", expect.stringContaining("MIT License")]);
  expect([name, version]).toEqual([packageName, expect.stringMatching(/^0\.0\.0-h[0-9a-f]{12}$/)]);
});
test.each(["package.json", "README.md"])(
  "a folder with a %s of somebody else is left alone",
  async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), "{}");
    await expect(pack("--out", folder)).rejects.toThrow(`has a ${name} that this command did not write`);
    expect(contentOf(folder)).toEqual({ [name]: "{}" });
    await expect(pack("--out", ".")).rejects.toThrow("--out .: has a ");
  },
);
test("--name and --version are the package's; another content is another version", async () => {
  const plain = temporaryFolder();
  const one = temporaryFolder();
  const other = temporaryFolder();
  await pack("--out", plain);
  await pack("--out", one, "--name", "@acme/messaging", "--version", "1.4.0-rc.1");
  await pack("--out", other, "--name", "@acme/messaging");
  expect(JSON.parse(contentOf(one)["package.json"] ?? "")).toMatchObject({
    name: "@acme/messaging",
    version: "1.4.0-rc.1",
  });
  const versionOf = (folder: string) => JSON.parse(contentOf(folder)["package.json"] ?? "").version;
  expect(versionOf(other)).not.toBe(versionOf(plain));
  expect(contentOf(one)["README.md"]).toContain('from "@acme/messaging";');
});
test.each([
  [["--name", "Not A Name"], /is not a package name/],
  [["--name", "../escape"], /is not a package name/],
  [["--version", "1.4"], /is not a semantic version/],
  [["--version", "1.04.0"], /is not a semantic version/],
  [["--out", ""], /is empty/],
])("%j is refused", async (argv, message) => {
  await expect(pack("--out", temporaryFolder(), ...argv)).rejects.toThrow(message);
});
test("npm packs the files, and nothing else", async () => {
  const folder = temporaryFolder();
  await pack("--out", folder);
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json"], { cwd: folder });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  expect(packed?.files.map(({ path }) => path).sort()).toEqual([...files].sort());
});
test("it depends on the library that has the type, in the version of the tests", async () => {
  const folder = temporaryFolder();
  await pack("--out", folder);
  const { dependencies } = JSON.parse(contentOf(folder)["package.json"] ?? "");
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const library = "@graphql-typed-document-node/core";
  expect(dependencies).toEqual({ [library]: `^${devDependencies[library]}` });
});
test("without saved operations it has the schema and its constants", async () => {
  const { model } = projectAt(root).proved();
  const consumer = await makeConsumer();
  for (const [path, text] of await packageFiles({ model, saved: [], name: packageName }))
    consumer.write(join("node_modules", packageName, path), text);
  consumer.write(
    "use.ts",
    `import { ContactStage, persistedIds } from "${packageName}";
export const stage: "CUSTOMER" = ContactStage.CUSTOMER;
export const none: {} = persistedIds;`,
  );
  expect(await consumer.typeErrors("nodenext")).toBe("");
});
describe("types", () => {
  test.each(["bundler", "nodenext"] as const)(
    "a missing variable does not compile, and results are typed: %s",
    async (resolution) => {
      const consumer = await makeConsumer();
      consumer.copy(join(import.meta.dirname, "cases"), "src");
      const readme = readFileSync(join(consumer.folder, "node_modules", packageName, "README.md"), "utf8");
      const examples = blocksOf(readme, "ts");
      expect(examples).toHaveLength(3);
      const given =
        "declare const url: string, key: string, q: string, stage: 'CUSTOMER', sort: 'NEWEST', first: 5, after: undefined;\nexport {};\n";
      for (const [index, example] of examples.entries())
        consumer.write(`src/readme-${index}.ts`, given + example);
      expect(await consumer.typeErrors(resolution)).toBe("");
    },
  );
});
test("documents are the saved operations, under their persisted ids; enums and unions are constants", async () => {
  const consumer = await makeConsumer();
  consumer.write(
    "print.js",
    `import * as client from "${packageName}";
import { print } from "graphql";
const bodies = Object.keys(client.persistedIds).map((name) => [name, print(client[name + "Document"])]);
const exported = Object.keys(client).filter((name) => /Document$|FragmentDoc$/.test(name));
console.log(JSON.stringify({ ids: client.persistedIds, bodies, exported, stage: client.ContactStage.CUSTOMER, possibleTypes: client.possibleTypes }));`,
  );
  const printed = JSON.parse(await consumer.runModule("print.js"));
  const manifest = JSON.parse(readFileSync(join(root, "generated/operations-manifest.json"), "utf8")) as {
    operations: { id: string; name: string; body: string }[];
  };
  const byName = manifest.operations.map(({ name, body }) => [name, body]).sort();
  expect(printed.bodies.sort()).toEqual(byName);
  expect(printed.ids).toEqual(Object.fromEntries(manifest.operations.map(({ id, name }) => [name, id])));
  const readme = readFileSync(join(consumer.folder, "node_modules", packageName, "README.md"), "utf8");
  const listed = [...readme.matchAll(/^- `(\w+)`: a .+\.$/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(printed.exported.sort());
  expect(printed.stage).toBe("CUSTOMER");
  expect(printed.possibleTypes).toEqual({ MessageAuthor: ["ContactAuthor", "AgentAuthor", "UserAuthor"] });
});

test.each([
  ["an API key", { type: "apiKey", in: "header", name: "api_access_token" }, '{ "api_access_token": key }'],
  ["a bearer token", { type: "http", scheme: "bearer" }, `{ Authorization: \`Bearer \${key}\` }`],
])("the README sets up clients with the document's credential: %s", async (_name, scheme, headers) => {
  const openapi = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [{ key: [] }],
    paths: {
      "/me": {
        get: {
          operationId: "getMe",
          responses: {
            200: { description: "ok", content: { "application/json": { schema: { type: "string" } } } },
          },
        },
      },
    },
    components: { securitySchemes: { key: scheme } },
  };
  const files = new Map([
    ["openapi.yaml", JSON.stringify(openapi)],
    ["schema.graphql", 'type Query { me: String @rest(operation: "getMe") }'],
    ["operations/me.graphql", "query Me { me }"],
  ]);
  const { model, saved } = new Project(textFiles(files));
  if (!model) throw new Error("no model");
  const made = await packageFiles({ model, saved, name: "client" });
  expect(made.get("README.md")?.match(/headers: \{.*? \}/g)).toEqual(Array(3).fill(`headers: ${headers}`));
});

test("with semanticNonNull, the levels of a list that REST requires have no null in their types", async () => {
  const strings = (type: string | string[]) => ({ type: "array", items: { type } });
  const me = {
    type: "object",
    required: ["tags", "gaps"],
    properties: { tags: strings("string"), gaps: strings(["string", "null"]), maybe: strings("string") },
  };
  const openapi = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/me": {
        get: {
          operationId: "getMe",
          responses: { 200: { description: "ok", content: { "application/json": { schema: me } } } },
        },
      },
    },
  };
  const fields = "tags: [String] gaps: [String] maybe: [String]";
  const files = new Map([
    ["openapi.yaml", JSON.stringify(openapi)],
    ["schema.graphql", `type Query { me: Me @rest(operation: "getMe") } type Me { ${fields} }`],
    ["operations/me.graphql", "query Me { me { tags gaps maybe } }"],
  ]);
  const { model, saved } = new Project(textFiles(files));
  if (!model) throw new Error("no model");
  const made = await packageFiles({ model, saved, name: "client", semanticNonNull: true });
  const types = [...made.values()].join("\n").replaceAll(/\s+/g, " ");
  expect(types).toMatch(/tags: (?:Array<string>|string\[\])[;,]/);
  expect(types).toMatch(/gaps: (?:Array<string \| null>|\(string \| null\)\[\])[;,]/);
  expect(types).toMatch(/maybe: (?:Array<string> \| null|string\[\] \| null)[;,]/);
});

test("--semantic-non-null leaves null out of the types of fields that only a failure makes null", async () => {
  const plain = temporaryFolder();
  const strict = temporaryFolder();
  await pack("--out", plain);
  await pack("--out", strict, "--semantic-non-null");
  const nullsIn = (folder: string): number =>
    (contentOf(folder)["index.d.ts"] ?? "").match(/\| null/g)?.length ?? 0;
  expect(nullsIn(strict)).toBeGreaterThan(0); // of values that REST may leave out
  expect(nullsIn(strict)).toBeLessThan(nullsIn(plain));
  expect(contentOf(strict)["schema.graphql"]).toBe(contentOf(plain)["schema.graphql"]);
});

test("a document has the id of its operation, and each fragment is a document with those that it spreads", async () => {
  const folder = temporaryFolder();
  await pack("--out", folder);
  const made = (await import(join(folder, "index.js"))) as Record<string, never>;
  const { TeamInboxDocument, MessageLineFragmentDoc, persistedIds } = made as unknown as {
    TeamInboxDocument: { __meta__: { hash: string } };
    MessageLineFragmentDoc: DocumentNode;
    persistedIds: { TeamInbox: string };
  };
  expect(TeamInboxDocument.__meta__.hash).toBe(persistedIds.TeamInbox);
  expect(print(MessageLineFragmentDoc)).toMatch(/^fragment MessageLine on Message \{/);
});

test.each([
  ["breaking", "2.0.0", "### Breaking\n\n- A field is gone.\n"],
  ["dangerous", "1.5.0", "### Behaviour\n\n- A field is gone.\n"],
  ["safe", "1.5.0", "### Added\n\n- A field is gone.\n"],
  [undefined, "1.4.8", "The API is unchanged.\n"],
])("after 1.4.7, the report of a %s change makes %s", async (kind, version, section) => {
  const folder = temporaryFolder();
  const report = join(folder, "report.json");
  const changes = kind === undefined ? [] : [{ class: kind, message: "A field\n is gone." }];
  writeFileSync(report, JSON.stringify({ version: 2, base: "v1.4.7", changes }));
  const out = join(folder, "client");
  await pack("--out", out, "--after", "1.4.7", "--report", report);
  expect(JSON.parse(contentOf(out)["package.json"] ?? "").version).toBe(version);
  expect(contentOf(out)["CHANGELOG.md"]).toBe(`# Changelog\n\n## ${version}\n\n${section}`);
});

test("--report takes a report of check alone, and only with --after", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "report.json"), "{}");
  const given = ["--out", folder, "--report", join(folder, "report.json")];
  await expect(pack(...given)).rejects.toThrow("--after and --report must be used together");
  await expect(pack(...given, "--after", "1.0.0")).rejects.toThrow("is not a report of `npm run check");
});

test("a result's field has its description from the schema as a comment, in each type that has the field", async () => {
  const folder = temporaryFolder();
  await pack("--out", folder);
  const line = "/** International telephone number (E.164). */\n";
  const id = "/** Id. */\n";
  const types = contentOf(folder)["index.d.ts"] ?? "";
  const textOf = (type: string): string => types.split(`export type ${type} = {`)[1]?.split("\n};")[0] ?? "";
  expect(textOf("FindCustomersQuery")).toContain(`${line}        phone: string | null;`);
  expect(textOf("ConversationRowFragment")).toContain(`${line}    phone: string | null;`); // a fragment's own
  expect(textOf("TeamInboxQuery")).toContain(`${line}          phone: string | null;`); // and where it is spread
  expect(textOf("MessageLineFragment")).toMatch(/contact: \{\s+\/\*\* Full name/); // a member of a union
  expect(textOf("FindCustomersQuery").split(id)).toHaveLength(2);
});
