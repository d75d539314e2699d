/** The engine's tarball: what npm's own checkers say of it, and projects that others start with it. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { listens, startProgram } from "../../support/child-process.ts";
import { build } from "../../support/dockerfile.ts";
import { fetchDocument } from "../documents/fetch.ts";
import { askIn, openFolder, pack, runIn, start } from "./installed.ts";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "engine-package-"));
const tool = (name: string, ...args: string[]): string =>
  execFileSync(join(root, "node_modules/.bin", name), args, { encoding: "utf8" });
let tarball = "";

beforeAll(() => {
  tarball = pack(folder);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(installation, { recursive: true });
});

/** A folder with the package from npm, which is copied. It is beside the copies, because package.json has the tarball's relative path. */
const installation = mkdtempSync(join(tmpdir(), "restbound-installed-"));
let installed: Promise<void> | undefined;
async function install(): Promise<void> {
  const { code, text } = await runIn(installation)("npm", "install", "--no-audit", "--no-fund", tarball);
  expect({ code, text }).toMatchObject({ code: 0 });
}
async function copyInstallation(project: string): Promise<void> {
  installed ??= install();
  await installed;
  cpSync(installation, project, { recursive: true, verbatimSymlinks: true });
}

test("publint and attw find nothing", () => {
  expect(tool("publint", "run", tarball, "--strict")).toContain("All good!");
  // it ends with another exit code if there is a problem, and `tool` throws
  expect(tool("attw", tarball, "--profile", "esm-only")).toContain("restbound/rest");
});

test("it has 1.5 MB at most, JavaScript and types, and no test, platform or spec", () => {
  expect(statSync(tarball).size).toBeLessThan(1_500_000);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const wanted = [
    "LICENSE",
    "README.md",
    ...["js", "d.ts", "js.map"].map((ending) => `exports/rest.${ending}`),
  ];
  expect(wanted.filter((name) => !files.includes(`package/${name}`))).toEqual([]);
  expect(
    files.filter((name) =>
      /(?<!\.d)\.ts$|\.test\.js|^package\/(?:test|platform|spec|generated)\//.test(name),
    ),
  ).toEqual([]);
});

test("every page that a page of it links to, and that its help names, is in it", () => {
  const unpacked = mkdtempSync(join(folder, "pages-"));
  execFileSync("tar", ["-xzf", tarball, "-C", unpacked]);
  const pages = readdirSync(unpacked, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const linked = pages.flatMap((page) =>
    [...readFileSync(join(unpacked, page), "utf8").matchAll(/\]\(([^)#:\s]+)[)#]/g)].map(([, path = ""]) =>
      join(page, "..", path),
    ),
  );
  expect(linked).toContain("package/docs/guides/your-own-api.md");
  const named = ["package/docs/reference/mapping.md", "package/docs/guides/your-own-api.md"];
  expect([...linked, ...named].filter((path) => !pages.includes(path))).toEqual([]);
  const texts = readdirSync(join(unpacked, "package"), { recursive: true, encoding: "utf8" })
    .filter((name) => /^(?:docs|deploy)\/.*\.\w+$/.test(name))
    .map((name) => readFileSync(join(unpacked, "package", name), "utf8"));
  const cited = texts.flatMap((text) => text.match(/(?<=node_modules\/restbound\/)[\w./-]+\w/g) ?? []);
  expect(cited).toContain("build/check/report.schema.json");
  expect(cited.filter((path) => !existsSync(join(unpacked, "package", path)))).toEqual([]);
});

const example = (file: string): string => fetchDocument({ package: "@readme/oas-examples@8.2.2", file });

/** The document as two files: its schemas stand in one of their own. */
function inTwoFiles(text: string): Readonly<Record<string, string>> {
  const { components, ...others } = JSON.parse(text.replaceAll('"#/components/schemas/', '"#/schemas/'));
  const { schemas, ...left } = components;
  const main = JSON.stringify({ ...others, components: left });
  return {
    "vendor.json": main.replaceAll('"#/schemas/', '"schemas.json#/schemas/'),
    "schemas.json": JSON.stringify({ schemas }),
  };
}

/** Bytes of the files below a folder. */
const bytesBelow = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/** The document whose project is installed without what development needs, and started as production does. */
const installsForProduction = "Train Travel";

const pet = { id: 7, name: "Rex", photoUrls: [] };
const station = { id: "s1", name: "Berlin", address: "Platz", country_code: "DE" };

test.each([
  {
    what: "Swagger 2.0",
    files: () => ({ "vendor.json": example("2.0/json/petstore.json") }),
    ...{ query: '{ petById(petId: "7") { id name } }', answer: pet, call: "GET /pet/7" },
    data: { petById: { id: "7", name: "Rex" } },
  },
  {
    what: "OpenAPI 3.1 in two files",
    files: () => inTwoFiles(example("3.1/json/petstore.json")),
    ...{ query: '{ petById(petId: "7") { id name } }', answer: pet, call: "GET /pet/7" },
    data: { petById: { id: "7", name: "Rex" } },
  },
  {
    what: "Train Travel",
    files: () => ({ "vendor.json": example("3.1/json/train-travel.json") }),
    ...{ query: "{ stations { id name } }", answer: { data: [station] }, call: "GET /stations" },
    data: { stations: [{ id: "s1", name: "Berlin" }] },
  },
])(
  "in an empty folder a project on a document starts, answers, and passes its test and check: $what",
  async ({ what, files, query, answer, call, data }) => {
    const { folder, run, ask } = openFolder();
    for (const [name, text] of Object.entries(files())) writeFileSync(join(folder, name), text);
    const runs = async (command: string, ...words: string[]): Promise<void> =>
      expect(await run(command, ...words), words.join(" ")).toMatchObject({ code: 0 });
    await copyInstallation(folder);
    await runs("npx", "restbound", "init", "--openapi", "vendor.json");
    expect(await ask(query, answer)).toEqual({ data, calls: [call] });
    await runs("npm", "run", "types");
    await runs("npm", "test");
    await runs("npm", "run", "check");
    if (what !== installsForProduction) return;
    const image = build(join(folder, "Dockerfile"), folder, {
      npm_config_cache: mkdtempSync(join(folder, "cache-")),
    });
    onTestFinished(() => rmSync(image.top, { recursive: true }));
    const [, ...program] = image.command;
    const environment = { ...image.env, PORT: "0", METRICS_PORT: "0" };
    expect(await askIn(image.folder)(query, answer, environment, {}, program)).toEqual({
      data,
      calls: [call],
    });
    await runs("npm", "ci", "--omit=dev", "--no-audit", "--no-fund");
    expect(bytesBelow(join(folder, "node_modules"))).toBeLessThan(75e6);
    expect(await ask(query, answer, { NODE_ENV: "production" })).toEqual({ data, calls: [call] });
    expect((await run("npx", "restbound", "check")).text).toMatch(
      /npm install --save-dev --save-exact @graphql-codegen/,
    );
    expect((await run("npx", "restbound", "lsp")).text).toMatch(
      /npm install --save-dev --save-exact vscode-languageserver@[\d.]+ vscode-languageserver-textdocument@[\d.]+$/m,
    );
    const started = startProgram(start, { REST_BASE_URL: "http://127.0.0.1:9" }, { cwd: folder });
    onTestFinished(() => started.stop());
    const url = new URL("/v1/graphql", await listens(started));
    const explorer = await fetch(url, { headers: { accept: "text/html" } });
    expect([explorer.status, await explorer.text()]).toEqual([
      501,
      expect.stringMatching(/npm install --save-dev --save-exact @graphql-yoga\/render-graphiql@[\d.]+$/m),
    ]);
  },
);

test("two vendors' documents make one graph: one query calls both, and an edit of one is reported", async () => {
  const { folder, read, run, ask } = openFolder();
  const runs = async (command: string, ...words: string[]): Promise<string> => {
    const { code, text } = await run(command, ...words);
    expect({ code, text }, words.join(" ")).toMatchObject({ code: 0 });
    return text;
  };
  writeFileSync(join(folder, "trains.json"), example("3.1/json/train-travel.json"));
  writeFileSync(join(folder, "pets.json"), example("3.0/json/petstore.json"));
  await copyInstallation(folder);
  await runs("npx", "restbound", "init", "--openapi", "trains.json", "--name", "trains", "--deploy");
  await runs("npx", "restbound", "init", "--openapi", "pets.json", "--name", "pets");
  expect(read("deploy/kubernetes/base/settings.env").match(/^REST_BASE_URL_\w+/gm)).toEqual([
    "REST_BASE_URL_TRAINS",
    "REST_BASE_URL_PETS",
  ]);
  const schema = join(folder, "spec/schema.graphql");
  for (const id of ["pets/getPetById", "pets/findPetsByStatus"])
    appendFileSync(schema, `\n${await runs("npx", "restbound", "propose", id)}\n`);
  // both take OAuth's token as Authorization
  expect((await run("npm", "run", "codegen")).text).toContain(
    "credential-shared at pets#/components/securitySchemes/petstore_auth",
  );
  const overlay = {
    overlay: "1.0.0",
    info: { title: "Clients send the pets' token apart", version: "1" },
    actions: [
      {
        target: "$.components.securitySchemes.petstore_auth",
        update: { "x-from-header": "X-Pets-Authorization" },
      },
    ],
  };
  writeFileSync(join(folder, "spec/openapi/pets.overlay.yaml"), JSON.stringify(overlay));
  await runs("npm", "run", "codegen");
  const answers = { TRAINS: { data: [station] }, PETS: pet };
  expect(await ask('{ stations { name } petById(petId: "7") { name } }', null, {}, answers)).toEqual({
    data: { stations: [{ name: "Berlin" }], petById: { name: "Rex" } },
    calls: ["GET /TRAINS/stations", "GET /PETS/pet/7"],
  });
  await runs("npm", "run", "types");
  await runs("npm", "test");
  await runs("npm", "run", "check");
  for (const words of ["init -q", "add .", "-c user.name=t -c user.email=t@t.example commit -q -m base"])
    await runs("git", ...words.split(" "));
  const document = read("spec/openapi/pets.yaml");
  writeFileSync(
    join(folder, "spec/openapi/pets.yaml"),
    document.replace('"/pet/{petId}": {', '"/pets/{petId}": {'),
  );
  const { code, text } = await run("npx", "restbound", "check", "--base", "HEAD");
  expect([code, text]).toEqual([
    1,
    expect.stringMatching(/spec\/openapi\/pets\.yaml:\d+[\s\S]*Query\.petById/),
  ]);
});

test("a project that a version before made says so, and codegen mends it", async () => {
  const { folder, run, ask } = openFolder();
  cpSync(join(import.meta.dirname, "cases/previous"), folder, { recursive: true });
  expect(await run("npm", "install", "--no-audit", "--no-fund", tarball)).toMatchObject({ code: 0 });
  const { code, text } = await run("npm", "run", "check");
  expect([code, text]).toEqual([
    1,
    expect.stringMatching(/generated\/ was generated by an earlier restbound, but this is \d/),
  ]);
  expect(await run("npm", "run", "codegen")).toMatchObject({ code: 0 });
  expect(await run("npm", "run", "check")).toMatchObject({ code: 0 });
  const book = { id: "b1", title: "Art" };
  expect(await ask("{ books { id title } }", [book])).toEqual({
    data: { books: [book] },
    calls: ["GET /books"],
  });
});
