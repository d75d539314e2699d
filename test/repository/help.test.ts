/** `--help` of every script that reads its own arguments, as npm starts it; and pages name no other command, and no other option. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { run as restbound } from "../../src/engine/bin/restbound.ts";
import { programEnvironment } from "../support/child-process.ts";
import { benches, suites } from "../support/suites/suites.ts";
import { codeOf, pages, read, root } from "./docs/page.ts";

const { scripts } = JSON.parse(read("package.json")) as {
  scripts: Record<string, string>;
};
/** The command that npm hands the arguments to. */
const commandOf = (name: string): string => scripts[name]?.split(" && ").at(-1) ?? "";
const own = Object.keys(scripts).filter((name) => /^(?:exec )?(?:node|restbound) /.test(commandOf(name)));

const printed = new Map<string, Promise<string>>();

/** What a command prints at `--help`; it prints no error. */
async function run(name: string, words: string): Promise<string> {
  const given = name === "start" ? programEnvironment : process.env;
  const one = ({ suite: suites, bench: benches } as Record<string, typeof suites>)[name]?.[words];
  // `npm run suite` and `npm run bench` start the file of the name with the words behind it
  const script = one && "file" in one ? `node ${one.file}` : `${commandOf(name)} ${words}`;
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", `${script} --help`], {
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
  const called = /^(?:exec )?(restbound .*)/.exec(commandOf(name))?.[1] ?? typed;
  expect(text).toContain(`Usage: ${called} [options]`);
  expect(text).toContain("--help");
});

const suitesAndBenches = [
  ...Object.entries(suites).map(([name, one]) => ["suite", name, one] as const),
  ...Object.entries(benches).map(([name, one]) => ["bench", name, one] as const),
];

test.concurrent.each(suitesAndBenches)(
  "npm run %s -- %s explains itself and starts nothing",
  async (kind, name, one) => {
    if ("file" in one)
      expect(await help(kind, name)).toContain(`Usage: npm run ${kind} -- ${name} [options]`);
  },
);

test("a help text says which options are required, and no empty default", async () => {
  expect(await help("keys", "create")).toMatch(/--tenant <id> +tenant of the key \(required\)\n/);
  const { io, lines } = printing();
  expect(await restbound(["key", "--help"], io)).toBe(0);
  const key = lines.join("\n");
  expect(key).toMatch(/--name <name> [\s\S]+?\(required\)\n +--scopes/);
  expect(key).not.toContain("default");
});

test("npm start's help names the roles, variables and where all of them are", async () => {
  expect(await help("start")).toMatch(/gateway, graphql, platform[\s\S]*variables\.md[\s\S]*REST_BASE_URL/);
});

test("restbound has one help for its commands, and suggests the nearest name for a wrong one", async () => {
  const { io, lines } = printing();
  expect(await restbound(["--help"], io)).toBe(0);
  const commands = [...(lines[0] ?? "").matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name);
  expect(commands).toEqual([
    "init",
    "start",
    "dev",
    "codegen",
    "check",
    "update",
    "explain",
    "propose",
    "lsp",
    "validate",
    "bundle",
    "key",
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

/** Of a command that a page names; `undefined` if there is no such command, "" if its options are another tool's. */
async function helpOf(command: string, name: string, rest: string): Promise<string | undefined> {
  const { io, lines } = printing();
  if (!own.includes(name)) {
    if (command !== "restbound") return name in scripts ? "" : undefined;
    return (await restbound([name, "--help"], io)) === 0 ? lines.join("\n") : undefined;
  }
  const [first = ""] = rest.replace(/^ -- /, "").split(" ");
  const table = { suite: suites, bench: benches }[name];
  if (table && /^\w/.test(first)) return first in table ? help(name, first) : undefined;
  return help(name, name === "keys" ? first : "");
}

/** The help of every command in one text. */
const everyHelp = async (): Promise<string> => {
  const scripted = suitesAndBenches.flatMap(([kind, name, one]) => ("file" in one ? [help(kind, name)] : []));
  const all = [helpOf("restbound", "init", ""), ...own.map((name) => help(name)), ...scripted];
  return (await Promise.all(all)).join("\n");
};

/** Options of V8, npm and docker that pages name by themselves. */
const foreign =
  /^--(?:max-(?:old|semi)-space-size|no-(?:minor-gc-task|allocation-site-pretenuring)|always-sparkplug|enable-source-maps|interrupt-budget|trace-deopt|install-links|build-arg)\b/;

const optionsIn = (text: string): string[] => text.match(/(?<=^| )--[a-z][\w-]*/g) ?? [];
const has = (text: string, option: string): boolean =>
  new RegExp(`(?<![\\w-])${option}(?![\\w-])`).test(text);

test.concurrent.each(pages.filter((path) => path !== "CHANGELOG.md"))(
  "%s names commands that there are, with options that they have",
  async (path) => {
    const unknown: string[] = [];
    const page = read(path);
    for (const code of codeOf(page).flatMap((line) => line.split(/&&|;| [|>] |\)/))) {
      const called =
        /(?:^|[\s(])(npm run(?: -s| --silent)?|npm(?= (?:start|test)\b)|restbound) ([a-z][\w:-]*)(.*)$/.exec(
          code,
        );
      const [, command = "", name = "", rest = ""] = called ?? [];
      const file = /(?:^| )node ([\w./-]+\.\w+)/.exec(code)?.[1];
      if (file !== undefined && !existsSync(join(root, file))) unknown.push(code);
      const isOption = /^(?:-- )?--[a-z]/.test(code) && !foreign.test(code);
      const text = called ? await helpOf(command, name, rest) : isOption ? await everyHelp() : "";
      if (
        text === undefined ||
        (text !== "" && !optionsIn(called ? rest : code).every((one) => has(text, one)))
      )
        unknown.push(code);
    }
    expect(unknown).toEqual([]);
  },
);
