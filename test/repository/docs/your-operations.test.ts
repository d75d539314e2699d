/** docs/guides/your-operations.md and examples/saved-operations: each client's set-up sends ids of its own manifest to a server that runs nothing else. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { generate } from "@graphql-codegen/cli";
import { expect, test, vi } from "vitest";
import { parse as parseYaml } from "yaml";
import { makeConsumer, temporaryFolder } from "../../service/clients/consumer.ts";
import { type Answer, keys, openLayer } from "../../service/e2e/layer.ts";
import { blocksOf, foreignExcerpts, modulesOf, read, root } from "./page.ts";

const page = read("docs/guides/your-operations.md");
const [operation = ""] = blocksOf(page, "graphql");
const modules = modulesOf(page, "examples/saved-operations");

const runTool = (tool: string, cwd: string, ...argv: string[]) =>
  promisify(execFile)(process.execPath, [join(root, "node_modules", tool), ...argv], { cwd });

/** A client's repository: the operation, and what each tool makes of it. */
async function repository() {
  const consumer = await makeConsumer();
  const at = (path: string): string => join(consumer.folder, path);
  const [tsconfig = "", relay = ""] = blocksOf(page, "json");
  consumer.write("tsconfig.json", tsconfig);
  consumer.write("src/operation.ts", modules.find(({ name }) => name === "gql-tada.ts")?.code ?? "");
  for (const task of ["generate output", "check --fail-on-warn", "generate persisted"])
    await runTool("gql.tada/bin/cli.js", consumer.folder, ...task.split(" "));
  consumer.write("src/operation.ts", modules[0]?.code ?? "");
  await runTool("@apollo/generate-persisted-query-manifest/cli.js", consumer.folder);
  rmSync(at("src/operation.ts"));
  consumer.write("src/who-am-i.graphql", operation);
  mkdirSync(at("node_modules/@graphql-codegen"), { recursive: true });
  const preset = "node_modules/@graphql-codegen/client-preset";
  symlinkSync(join(root, preset), at(preset));
  const config = parseYaml(blocksOf(page, "yaml")[0] ?? "");
  await generate({ ...config, silent: true, cwd: consumer.folder }, true);
  consumer.write("persisted.json", "{}");
  const types =
    "export const graphql: (text: TemplateStringsArray) => unknown; export type ConcreteRequest = any;";
  consumer.write("relay-runtime.d.ts", `declare module "relay-runtime" { ${types} }`);
  consumer.write("relay.config.json", relay);
  consumer.write(
    "src/WhoAmI.ts",
    `import { graphql } from "relay-runtime";\nexport const query = graphql\`${operation.replace("WhoAmI", "WhoAmIQuery")}\`;`,
  );
  await runTool("relay-compiler/cli.js", consumer.folder);
  return { ...consumer, at };
}

test("each client sends the ids of its own manifest to a server that runs saved operations only", async () => {
  const { at, write, typeErrors, runModule } = await repository();
  const apps = temporaryFolder();
  const published = [
    ["web.json", "persisted-query-manifest.json"],
    ["preset.json", "src/gql/persisted-documents.json"],
    ["relay.json", "persisted.json"],
    ["tada.json", "persisted-operations.json"],
  ] as const;
  const { url, post } = await openLayer([], { OPERATIONS: "saved", OPERATIONS_FROM: apps });
  const codeOf = async (documentId: string): Promise<unknown> => {
    const answer = await post(JSON.stringify({ documentId }), { "x-api-key": keys.owner });
    return ((await answer.json()) as Answer).errors?.[0]?.extensions.code;
  };
  expect(modules).toHaveLength(5);
  for (const { name, code } of modules)
    write(`src/${name}`, code.replaceAll("http://127.0.0.1:4000", url.origin));
  expect(await typeErrors()).toBe("");
  for (const [name, manifest] of published) {
    const ids = idsOf(JSON.parse(readFileSync(at(manifest), "utf8")));
    expect([name, ...(await Promise.all(ids.map(codeOf)))]).toEqual([name, "PERSISTED_QUERY_NOT_FOUND"]);
    copyFileSync(at(manifest), join(apps, name));
    await vi.waitFor(async () => expect(await codeOf(ids[0] ?? "")).toBeUndefined(), { timeout: 60_000 });
  }
  for (const { name, output } of modules)
    expect([name, await runModule(`src/${name}`, { NO_COLOR: "1" })]).toEqual([name, output]);
});

test("its excerpts are lines of a module that it links", () => {
  expect(foreignExcerpts(page, "examples/saved-operations")).toEqual([]);
});

const idsOf = (manifest: { operations?: { id: string }[] }): string[] =>
  manifest.operations?.map(({ id }) => id) ?? Object.keys(manifest);
