/** `--help` of every script that reads its own arguments, as npm starts it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { run as restbound } from "../../src/engine/command/restbound.ts";
import { benches, suites } from "../suites/suites.ts";
import { programEnvironment } from "../support/child-process.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const own = Object.keys(scripts).filter((name) =>
  /^(?:exec )?(?:node|restbound) (?!deploy\/engine-package)/.test(scripts[name] ?? ""),
);

const printed = new Map<string, Promise<string>>();

/** What a command prints at `--help`; it prints no error. */
async function run(name: string, words: string): Promise<string> {
  const given = name === "start" ? programEnvironment : process.env;
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", `${scripts[name]} ${words} --help`], {
    cwd: root,
    env: { ...given, PATH: `${join(root, "node_modules/.bin")}:${given.PATH}` },
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

/** A command's surroundings, and what it prints. */
function printing() {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  return { lines, io: { root, env: {}, out: print, error: print } };
}

test.concurrent.each(own)("npm run %s explains itself and starts nothing", async (name) => {
  const text = await help(name);
  const typed = name === "start" ? "npm start --" : `npm run ${name} --`;
  const called = scripts[name]?.startsWith("restbound") ? scripts[name] : typed;
  expect(text).toContain(`Usage: ${called} [options]`);
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
  const { io, lines } = printing();
  expect(await restbound(["init", "--help"], io)).toBe(0);
  const init = lines.join("\n");
  expect(init).toMatch(/--openapi <file> [\s\S]+?\(required\)\n +--tag/);
  expect(init).not.toContain("default");
});

test("npm start's help names the roles, variables and where all of them are", async () => {
  expect(await help("start")).toMatch(/gateway, graphql, platform[\s\S]*reference\.md[\s\S]*REST_BASE_URL/);
});

test("restbound has one help for its commands, and a wrong name is told the nearest", async () => {
  const { io, lines } = printing();
  expect(await restbound(["--help"], io)).toBe(0);
  const commands = [...(lines[0] ?? "").matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name);
  expect(commands).toEqual([
    "init",
    "start",
    "dev",
    "codegen",
    "check",
    "explain",
    "propose",
    "validate",
    "client",
  ]);
  expect(await restbound(["chekc"], io)).toBe(2);
  expect(lines[1]).toBe(
    'restbound: there is no command "chekc"; did you mean "check"?; see restbound --help',
  );
  expect(await restbound(["constructor"], io)).toBe(2);
  expect(await restbound(["explain", "Query.me"], io)).toBe(0);
  expect(lines.at(-1)).toContain("GET /v1/identity/me");
  expect(await restbound(["start"], { ...io, root: join(root, "docs") })).toBe(2);
});
