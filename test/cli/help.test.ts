/** `--help` of every script that reads its own arguments, as npm starts it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { programEnvironment } from "../child-process.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const withoutArguments = ["test:load"];
const own = Object.entries(scripts).filter(
  ([name, command]) => /^(?:exec )?node /.test(command) && !withoutArguments.includes(name),
);

test.concurrent.each(own)("npm run %s explains itself and starts nothing", async (name, command) => {
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", `${command} --help`], {
    cwd: root,
    env: name === "start" ? programEnvironment : process.env,
  });
  expect(stderr).toBe("");
  expect(stdout).toContain(`Usage: npm ${name === "start" ? name : `run ${name}`} -- [options]`);
  expect(stdout).toContain("--help");
});

test("a help text says which options are required, and no empty default", async () => {
  const help = async (name: string, ...words: string[]): Promise<string> =>
    (await promisify(execFile)("sh", ["-c", [scripts[name], ...words, "--help"].join(" ")], { cwd: root }))
      .stdout;
  expect(await help("keys", "create")).toMatch(/--tenant <id> +tenant of the key \(required\)\n/);
  const init = await help("init");
  expect(init).toMatch(/--openapi <file> [\s\S]+?\(required\)\n +--tag/);
  expect(init).not.toContain("default");
});

test("npm start's help names the roles, variables and where all of them are", async () => {
  const command = `${scripts.start} --help`;
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    cwd: root,
    env: programEnvironment,
  });
  expect(stdout).toMatch(/gateway, graphql, platform[\s\S]*reference\.md[\s\S]*REST_BASE_URL/);
});
