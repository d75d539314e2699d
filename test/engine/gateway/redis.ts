/** Redis servers for tests, and a TCP proxy in front of one that swallows bytes, resets connections or changes its target. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { Redis } from "ioredis";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../../support/free-port.ts";

/** Debian's package `redis-server` has it, and `.ci/run` installs it. */
export const redisServer = ["redis-server", "valkey-server"].find(
  (name) => !spawnSync(name, ["--version"]).error,
);

export type RedisServer = {
  readonly port: number;
  readonly process: ChildProcess;
  /** A connection for the test. */
  readonly client: Redis;
};

export async function startRedis(port?: number, ...options: string[]): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const args = ["--port", String(at), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp", ...options];
  const server = spawn(redisServer ?? "", args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  let output = "";
  server.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/Ready to accept/i);
  const password = options[options.indexOf("--requirepass") + 1 || options.length];
  const client = new Redis(at, "127.0.0.1", { retryStrategy: () => 50, ...(password && { password }) });
  client.on("error", () => {}); // a test stops the server
  onTestFinished(() => client.disconnect());
  return { port: at, process: server, client };
}

export async function stopRedis({ process: server, client }: RedisServer): Promise<void> {
  client.disconnect();
  server.kill("SIGKILL");
  await once(server, "exit");
}

type Pair = { isDeaf: boolean; readonly sockets: readonly net.Socket[] };

export async function startProxy(target: number) {
  const state = { isDeaf: false, port: target };
  const pairs = new Set<Pair>();
  const server = net.createServer((client) => {
    const upstream = net.connect(state.port, "127.0.0.1");
    const pair: Pair = { isDeaf: state.isDeaf, sockets: [client, upstream] };
    pairs.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("error", () => {});
      from.on("data", (data) => pair.isDeaf || to.write(data));
      from.on("close", () => {
        pairs.delete(pair);
        if (!pair.isDeaf || from === client) to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const { sockets } of pairs) for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The connections stay open, and no byte passes, as where a NAT has dropped its entry. */
    deafen: () => {
      for (const pair of pairs) pair.isDeaf = true;
    },
    /** Whether new connections are deaf too. */
    deafenNew: (isDeaf: boolean) => {
      state.isDeaf = isDeaf;
    },
    cut,
    /** New connections go to another server. */
    turnTo: (port: number) => {
      state.port = port;
    },
  };
}
