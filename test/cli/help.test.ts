/** `--help` of every script that reads its own arguments, as npm starts it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { benches, suites } from "../suites/suites.ts";
import { programEnvironment } from "../support/child-process.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const own = Object.keys(scripts).filter((name) => /^(?:exec )?node /.test(scripts[name] ?? ""));

const printed = new Map<string, Promise<string>>();

/** What a command prints at `--help`; it prints no error. */
async function run(name: string, words: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", `${scripts[name]} ${words} --help`], {
    cwd: root,
    env: name === "start" ? programEnvironment : process.env,
  });
  expect(stderr).toBe("");
  return stdout;
}

/** Starts each command once. */
function help(name: string, words = ""): Promise<string> {
  const found = printed.get(name + words) ?? run(name, words);
  printed.set(name + words, found);
  return found;
}

test.concurrent.each(own)("npm run %s explains itself and starts nothing", async (name) => {
  const text = await help(name);
  expect(text).toContain(`Usage: npm ${name === "start" ? name : `run ${name}`} -- [options]`);
  expect(text).toContain("--help");
});

test.concurrent.each([
  ...Object.entries(suites).map(([name, one]) => ["suite", name, one] as const),
  ...Object.entries(benches).map(([name, one]) => ["bench", name, one] as const),
])("npm run %s -- %s explains itself and starts nothing", async (kind, name, one) => {
  if ("file" in one) expect(await help(kind, name)).toContain(`Usage: npm run ${kind} -- ${name} [options]`);
});

test("a help text says which options are required, and no empty default", async () => {
  expect(await help("keys", "create")).toMatch(/--tenant <id> +tenant of the key \(required\)\n/);
  const init = await help("init");
  expect(init).toMatch(/--openapi <file> [\s\S]+?\(required\)\n +--tag/);
  expect(init).not.toContain("default");
});

test("npm start's help names the roles, variables and where all of them are", async () => {
  expect(await help("start")).toMatch(/gateway, graphql, platform[\s\S]*reference\.md[\s\S]*REST_BASE_URL/);
});
