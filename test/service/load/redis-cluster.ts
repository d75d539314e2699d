/** A cluster of Debian's Redis or Valkey servers for a script: three masters with a third of the slots each, and a replica of each. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isInstalled } from "../../../deploy/local/chain.ts";
import { freePort } from "../../support/free-port.ts";

const vendor = isInstalled("redis-server") ? "redis" : "valkey";

type RedisCluster = {
  readonly url: string;
  /** Kills the master that has the slot of `key`. */
  readonly killMasterOf: (key: string) => void;
  /** Runs a command on each node that is alive. */
  readonly onEachNode: (...command: string[]) => void;
  readonly stop: () => Promise<void>;
};

type Node = { readonly port: number; readonly busPort: number; readonly child: ChildProcess };

const isAlive = ({ child }: Node): boolean => !child.killed && child.exitCode === null;

/** The command-line client prints the reply, also that of an error. */
const command = ({ port }: Node, ...args: string[]): string =>
  execFileSync(`${vendor}-cli`, ["-p", String(port), ...args], { encoding: "utf8" }).trim();

export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = mkdtempSync(join(tmpdir(), "redis-cluster-"));
  const nodes: Node[] = [];
  const stop = async (): Promise<void> => {
    const alive = nodes.filter(isAlive);
    const ended = alive.map(({ child }) => once(child, "exit"));
    for (const { child } of alive) child.kill("SIGKILL");
    await Promise.all(ended);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let count = 0; count < 6; count++) nodes.push(await startNode(folder));
    const addresses = nodes.map(({ port, busPort }) => `127.0.0.1:${port}@${busPort}`);
    const create = ["--cluster", "create", ...addresses, "--cluster-replicas", "1", "--cluster-yes"];
    execFileSync(`${vendor}-cli`, create, { stdio: "ignore", timeout: 120_000 });
    await areReady(nodes);
    return {
      url: `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`,
      killMasterOf: (key) => {
        const isMaster = (node: Node) => !/^(?:MOVED|ERR)/.test(command(node, "XLEN", key));
        nodes.filter(isAlive).find(isMaster)?.child.kill("SIGKILL");
      },
      onEachNode: (...args) => {
        for (const node of nodes.filter(isAlive)) command(node, ...args);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(folder: string): Promise<Node> {
  const port = await freePort();
  const busPort = await freePort();
  const file = `nodes-${port}.conf`;
  const cluster = ["--cluster-enabled", "yes", "--cluster-config-file", file, "--cluster-port", `${busPort}`];
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...cluster];
  const child = spawn(`${vendor}-server`, [...args, "--cluster-node-timeout", "3000"], { stdio: "pipe" });
  const node = { port, busPort, child };
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  while (!output.includes("Ready to accept")) {
    if (!isAlive(node)) throw new Error(`${vendor}-server ended:\n${output}`);
    await sleep(50);
  }
  return node;
}

/** Waits until each node sees the whole cluster, and each replica follows its master. */
async function areReady(nodes: readonly Node[]): Promise<void> {
  const isReady = (node: Node): boolean =>
    /cluster_state:ok/.test(command(node, "CLUSTER", "INFO")) &&
    !/master_link_status:down/.test(command(node, "INFO", "replication"));
  for (let waited = 0; waited < 60_000; waited += 200) {
    if (nodes.every(isReady)) return;
    await sleep(200);
  }
  throw new Error("the Redis cluster is not ready after a minute");
}
