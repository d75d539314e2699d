/** The engine as npm takes it, and projects in folders of their own that have it as a dependency. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { listens, programEnvironment, startProgram } from "../../support/child-process.ts";
import { listen } from "../gateway/fakes.ts";

const root = join(import.meta.dirname, "../../..");

/** Packs the engine into the folder, and returns the path of its tarball. */
export function pack(folder: string): string {
  execFileSync(process.execPath, ["deploy/engine-package.ts"], { cwd: root, stdio: "pipe" });
  const args = ["pack", "./dist/restbound", "--pack-destination", folder];
  return join(folder, execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim());
}

/** Runs commands in a folder; each returns its exit code and all that it printed. */
export function runIn(folder: string) {
  // npm tells its child processes of the project that started it
  const outside = Object.entries(programEnvironment).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(outside), INIT_CWD: folder };
  return (command: string, ...args: string[]): Promise<{ code: number; text: string }> =>
    new Promise((resolve) =>
      execFile(command, args, { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr }),
      ),
    );
}

/** A folder outside this repository, and npm in it. */
export function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), "restbound-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    read: (path: string): string => readFileSync(join(folder, path), "utf8"),
    run: runIn(folder),
    ask: askIn(folder),
  };
}

/** What Node runs to start a project. */
export const start = ["node_modules/restbound/bin/restbound.js", "start"];

/**
 * Starts the project in a folder in front of a REST API that answers every GET with `answer`, and sends it a query. `products` are
 * answered below paths of their own. `program`: what Node runs.
 */
export const askIn =
  (folder: string) =>
  async (
    query: string,
    answer: unknown,
    environment = {},
    products: Record<string, unknown> = {},
    program = start,
  ) => {
    const calls: string[] = [];
    const rest = await listen(({ method, url = "" }, response) => {
      calls.push(`${method} ${url}`);
      const [, first = ""] = url.split("/");
      const own = first in products ? products[first] : answer;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(own));
    });
    const urls = Object.keys(products).map((name) => [`REST_BASE_URL_${name}`, new URL(name, rest.url).href]);
    const started = startProgram(
      program,
      { REST_BASE_URL: rest.url.href, ...Object.fromEntries(urls), ...environment },
      { cwd: folder },
    );
    try {
      const url = new URL("/v1/graphql", await listens(started));
      calls.length = 0; // the start asked whether it is there
      const headers = { "content-type": "application/json" };
      const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
      return { ...((await reply.json()) as object), calls };
    } finally {
      await started.stop();
      await rest.close();
    }
  };
