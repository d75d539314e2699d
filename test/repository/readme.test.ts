/** README shows what is so: each snippet is run, or compared with the file that it comes from. */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Kind, type ObjectTypeDefinitionNode, parse, print, visit } from "graphql";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { roleNames } from "../../src/engine/runtime/settings/config.ts";
import { demoKeys } from "../../src/platform/demo/demo.ts";
import { ran } from "../engine/build/check/run.ts";
import { copyProject } from "../service/copy-project.ts";
import { openLayer } from "../service/e2e/layer.ts";
import { query, runReady } from "../service/server/program.ts";
import { blocksOf, read, root, tableOf } from "./docs/page.ts";

const readme = read("README.md");
const blocks = (language: string): string[] => blocksOf(readme, language);
const block = (language: string, index: number): string => blocks(language)[index] ?? "";

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
      [string, { get: { parameters: { name: string }[] } }],
    ];
    const operation = parseYaml(read("spec/openapi.yaml")).paths[path].get;
    const { parameters, ...shown } = item.get;
    expect(operation).toMatchObject(shown);
    for (const parameter of parameters)
      expect(
        operation.parameters.find(({ name }: { name: string }) => name === parameter.name),
      ).toMatchObject(parameter);
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

test.skipIf(isAdded)("adding a field is what it says", async () => {
  const copy = copyProject();
  onTestFinished(copy.remove);
  const [field = "", type = ""] = block("graphql", 1).split("# and its type\n");
  copy.edit(
    "spec/schema.graphql",
    (sdl) => `${sdl.replace("type Query {\n", `type Query {\n${field.replace(/^#.*\n/, "")}`)}\n${type}`,
  );
  copy.edit("spec/rest-only.yaml", (text) => text.replace(/^listCampaigns:.*\n/m, ""));
  await copy.codegen();
  expect(await ran(copy.root, [])).toMatchObject({ code: 0, error: "" });
  const { url } = await runReady([], {}, [], copy.main);
  expect(await query(url, "{ campaigns { id name audience } }", demoKeys[0]?.key ?? "")).toMatchObject({
    data: {
      campaigns: expect.arrayContaining([
        { id: expect.any(String), name: expect.any(String), audience: expect.any(Number) },
      ]),
    },
  });
});

test("the roles are the program's", () => {
  const named = tableOf(readme, "command").flatMap(
    ([command = ""]) => command.match(/(?<=-- )[\w ]+/)?.[0].split(" ") ?? [],
  );
  expect([...new Set(named)].sort()).toEqual([...roleNames].sort());
});

/** Without the numbers of lines and the width of columns, which any edit of the spec may shift. */
const steady = (text: string): string =>
  text
    .replace(/(\.(?:graphql|yaml)):\d+/g, "$1")
    .replace(/^ +(>?)[ \d]*\|/gm, "$1|")
    .replace(/(\w) {2,}/g, "$1  ");

describe("the report of a spec change", () => {
  test("is the one that README shows", async () => {
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
  });
});
