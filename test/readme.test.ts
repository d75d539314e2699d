/** README holds what the code holds: what it shows is run, and its tables are compared in both directions. */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Kind, type ObjectTypeDefinitionNode, parse, print, visit } from "graphql";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { roleNames, variables } from "../src/config.ts";
import { codes } from "../src/errors.ts";
import { demoKeys } from "../src/platform/demo.ts";
import { ran } from "./check/run.ts";
import { openLayer } from "./e2e/layer.ts";
import { copyProject } from "./e2e/project-copy.ts";
import { query, runReady } from "./main/program.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const readme = read("README.md");

/** The code blocks of a language, in order. */
const blocks = (language: string): string[] =>
  [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );
const block = (language: string, index: number): string => blocks(language)[index] ?? "";

/** The cells of the table whose header begins so. */
function table(header: string): string[][] {
  const rows = readme.split(`| ${header} |`)[1]?.split("\n\n")[0]?.split("\n").slice(2) ?? [];
  return rows.filter(Boolean).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe("the first screen", () => {
  test("has two commands, which package.json knows", () => {
    const commands = block("sh", 0)
      .match(/^[^#\n]+/gm)
      ?.map((line) => line.trim());
    expect(commands).toEqual(["npm ci && npm start", "npm ci && npm test"]);
    expect(JSON.parse(read("package.json")).scripts).toMatchObject({
      start: expect.any(String),
      test: expect.any(String),
    });
  });

  test("shows a field as the schema has it", () => {
    const fieldOf = (sdl: string): string | undefined => {
      const bare = visit(parse(sdl), {
        enter: (node) => ("description" in node ? { ...node, description: undefined } : undefined),
      });
      const type = bare.definitions.find(
        (node): node is ObjectTypeDefinitionNode =>
          node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === "Query",
      );
      const field = type?.fields?.find(({ name }) => name.value === "contacts");
      return field && print(field);
    };
    expect(fieldOf(block("graphql", 0))).toMatch(/@rest/);
    expect(fieldOf(block("graphql", 0))).toBe(fieldOf(read("spec/schema.graphql")));
  });

  test("shows its REST operation as the document has it", () => {
    const [[path, item]] = Object.entries(parseYaml(block("yaml", 0))) as [
      [string, { get: { parameters: unknown[] } }],
    ];
    const operation = parseYaml(read("spec/openapi.yaml")).paths[path].get;
    const { parameters, ...shown } = item.get;
    expect(operation).toMatchObject(shown);
    for (const parameter of parameters)
      expect(operation.parameters).toContainEqual(expect.objectContaining(parameter as object));
  });

  test("shows its resolver as it is generated", () => {
    expect(read("generated/resolvers.ts")).toContain(block("ts", 0));
  });

  test("has a curl that answers what it says", async () => {
    const { url } = await openLayer();
    const command = blocks("sh")
      .find((text) => text.startsWith("curl"))
      ?.replace("http://127.0.0.1:4000", url.origin);
    const { stdout } = await promisify(execFile)("sh", ["-c", command ?? ""]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(block("json", 0)));
  });
});

/** Who follows README in this very project has the field. */
const isAdded = read("spec/schema.graphql").includes('operation: "listCampaigns"');

test.skipIf(isAdded)("adding a field is what it says", { timeout: 60_000 }, async () => {
  const copy = copyProject();
  onTestFinished(copy.remove);
  const [field = "", type = ""] = block("graphql", 1).split("# and its type\n");
  copy.edit(
    "spec/schema.graphql",
    (sdl) => `${sdl.replace("type Query {\n", `type Query {\n${field.replace(/^#.*\n/, "")}`)}\n${type}`,
  );
  copy.edit("spec/rest-only.yaml", (text) => text.replace(/^listCampaigns:.*\n/m, ""));
  await copy.codegen();
  await copy.check();
  const { url } = await runReady([], {}, [], copy.main);
  expect(await query(url, "{ campaigns { id name audience } }", demoKeys[0]?.key ?? "")).toMatchObject({
    data: {
      campaigns: expect.arrayContaining([
        { id: expect.any(String), name: expect.any(String), audience: expect.any(Number) },
      ]),
    },
  });
});

describe("its tables are the code's", () => {
  test("environment", () => {
    const shown = (value: unknown): string =>
      value === undefined || String(value) === "" ? "" : `\`${value}\``;
    const rows = Object.entries(variables).map(([name, { default: value, desc = "" }]) => [
      `\`${name}\``,
      shown(value),
      desc,
    ]);
    const perProduct = "`REST_BASE_URL_<TAG>`";
    expect(table("variable").filter(([name]) => name !== perProduct)).toEqual(rows);
    expect(table("variable").map(([name]) => name)).toContain(perProduct);
  });

  test("error codes", () => {
    const rows = Object.entries(codes).map(([code, { status, meaning }]) => [
      `\`${code}\``,
      String(status),
      meaning,
    ]);
    expect(table("code")).toEqual(rows);
  });

  test("roles", () => {
    const named = table("command").flatMap(
      ([command = ""]) => command.match(/(?<=-- )[\w ]+/)?.[0].split(" ") ?? [],
    );
    expect([...new Set(named)].sort()).toEqual([...roleNames].sort());
  });

  test("layout, and every file and npm script that it names", () => {
    const folders = table("folder").map(([name = ""]) => name.replaceAll("`", ""));
    const named = [...readme.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path = ""]) => path);
    expect([...folders, ...named].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
    const run = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(run.filter((name) => !scripts.includes(name ?? ""))).toEqual([]);
  });
});

/** Without the numbers of lines and the width of columns, which any edit of the spec may shift. */
const steady = (text: string): string =>
  text
    .replace(/(\.(?:graphql|yaml)):\d+/g, "$1")
    .replace(/^ +(>?)[ \d]*\|/gm, "$1|")
    .replace(/(\w) {2,}/g, "$1  ");

describe("what a spec change prints", () => {
  test("is what it prints", async () => {
    const folder = mkdtempSync(join(tmpdir(), "readme-check-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join(root, "spec"), join(folder, "spec"), { recursive: true });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "-q", "-m", "base");
    const path = join(folder, "spec", "openapi.yaml");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace("required: [id, name, kind,", "required: [id, kind,"),
    );
    const { code, out: printed } = await ran(folder, ["--base", "HEAD"]);
    expect(code).toBe(1);
    const out = steady(printed);
    let from = 0;
    for (const line of steady(block("text", 0)).split("\n").filter(Boolean)) {
      const at = out.indexOf(line, from);
      expect(at, `"${line}" in ${out}`).toBeGreaterThanOrEqual(from);
      from = at;
    }
  }, 60_000);
});
