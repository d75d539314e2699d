/** The graphql role as a process of its own, as in production, for load that would disturb what it measures. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

const main = new URL("../../src/main.ts", import.meta.url).pathname;

/** Linux can keep a process on one core; the load then comes from another. */
const canPin = existsSync("/usr/bin/taskset");
const onCore = (core: number): string[] => (canPin ? ["/usr/bin/taskset", "-c", String(core)] : []);
if (canPin)
  execFileSync("/usr/bin/taskset", ["-a", "-p", "-c", "1", String(process.pid)], { stdio: "ignore" });

export type Role = {
  readonly child: ChildProcess;
  readonly url: URL;
  readonly rssMiB: () => number;
  stop(): Promise<void>;
};

export async function startRole(rest: URL, environment: NodeJS.ProcessEnv = {}): Promise<Role> {
  const [command, ...args] = [...onCore(0), process.execPath, main, "graphql"];
  const child = spawn(command ?? "", args, {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      NODE_ENV: "production",
      REST_BASE_URL: rest.href,
      ...environment,
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (printed += text));
  for (;;) {
    const found = /ready on (http:\S+)/.exec(printed)?.[1];
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${printed}`);
    if (found) {
      const status = (): string => readFileSync(`/proc/${child.pid}/status`, "utf8");
      const rssMiB = (): number => Number(/VmRSS:\s+(\d+)/.exec(status())?.[1]) / 1024;
      const stop = async (): Promise<void> => {
        child.kill("SIGKILL");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      };
      return { child, url: new URL("/v1/graphql", found), rssMiB, stop };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Starts the REST platform of `rest.ts`; every answer takes `delayMs`. */
export async function startRest(delayMs = 0): Promise<{ url: URL; close(): void }> {
  const worker = new Worker(new URL("./rest.ts", import.meta.url), { workerData: { delayMs } });
  const [port] = await once(worker, "message");
  return { url: new URL(`http://127.0.0.1:${port}`), close: () => void worker.terminate() };
}

const lists = ["a", "b", "c", "d", "e", "f"].map(
  (q) => `${q}: contacts(q: "${q}") { id name email company stage tags }`,
);
export const query = JSON.stringify({ query: `{ me { id email } ${lists.join(" ")} }` });
export const headers = { "content-type": "application/json", "x-api-key": "key" };
