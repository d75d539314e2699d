/** A Redis cluster, and Redis behind Sentinel, of Debian's servers on free ports. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type RedisServer, redisServer, startRedis } from "../../engine/gateway/redis.ts";
import { freePort } from "../../support/free-port.ts";

const patiently = { timeout: 120_000, interval: 200 };
/** Milliseconds after which a silent server counts as down. */
const downMs = "3000";

export type ClusterNode = RedisServer & { readonly id: string };

/** Three masters with a third of the slots each, and a replica of each. */
export async function startCluster(): Promise<{
  masters: ClusterNode[];
  replicas: ClusterNode[];
  url: string;
}> {
  const nodes: (ClusterNode & { busPort: number })[] = [];
  for (let index = 0; index < 6; index++) {
    const dir = folder();
    const busPort = await freePort();
    const options = [
      "--cluster-enabled",
      "yes",
      "--cluster-node-timeout",
      downMs,
      "--cluster-port",
      `${busPort}`,
    ];
    const node = await startRedis(undefined, ...options, "--dir", dir);
    nodes.push({ ...node, busPort, id: String(await node.client.cluster("MYID")) });
  }
  const masters = nodes.slice(0, 3);
  const replicas = nodes.slice(3);
  const bounds = [0, 5_461, 10_923, 16_384];
  for (const [index, { client }] of masters.entries())
    await client.call("CLUSTER", "ADDSLOTSRANGE", bounds[index] ?? 0, (bounds[index + 1] ?? 0) - 1);
  for (const { port, busPort } of nodes.slice(1))
    await nodes[0]?.client.call("CLUSTER", "MEET", "127.0.0.1", port, busPort);
  const knows = async (text: RegExp, of = nodes): Promise<boolean> => {
    const infos = await Promise.all(of.map(({ client }) => client.cluster("INFO")));
    return infos.every((info) => text.test(String(info)));
  };
  await expect.poll(() => knows(/cluster_known_nodes:6\b/), patiently).toBe(true);
  for (const [index, { client }] of replicas.entries())
    await client.cluster("REPLICATE", masters[index]?.id ?? "");
  await expect.poll(() => knows(/cluster_state:ok/), patiently).toBe(true);
  const isLinked = async (): Promise<boolean> => {
    const infos = await Promise.all(replicas.map(({ client }) => client.info("replication")));
    return infos.every((info) => /master_link_status:up/.test(info));
  };
  await expect.poll(isLinked, patiently).toBe(true);
  const url = `redis-cluster://${masters.map(({ port }) => `localhost:${port}`).join()}`;
  return { masters, replicas, url };
}

/** A master with two replicas, watched by three sentinels. */
export async function startSentinels(): Promise<{ servers: RedisServer[]; url: string }> {
  const password = ["--requirepass", "a-word", "--masterauth", "a-word"];
  const master = await startRedis(undefined, ...password);
  const replicaOf = ["--replicaof", `127.0.0.1 ${master.port}`, "--repl-diskless-sync-delay", "0"];
  const replicas: RedisServer[] = [];
  for (let index = 0; index < 2; index++)
    replicas.push(await startRedis(undefined, ...password, ...replicaOf));
  const servers = [master, ...replicas];
  const isLinked = async (): Promise<boolean> => {
    const infos = await Promise.all(replicas.map(({ client }) => client.info("replication")));
    return infos.every((info) => /master_link_status:up/.test(info));
  };
  await expect.poll(isLinked, patiently).toBe(true);
  const ports: number[] = [];
  const outputs: (() => string)[] = [];
  for (let index = 0; index < 3; index++) {
    const dir = folder();
    const port = await freePort();
    const lines = [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${dir}`,
      `sentinel monitor the-master 127.0.0.1 ${master.port} 2`,
      ...["auth-pass the-master a-word", `down-after-milliseconds the-master ${downMs}`].map(
        (line) => `sentinel ${line}`,
      ),
      "sentinel failover-timeout the-master 10000",
    ];
    const file = join(dir, "sentinel.conf");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const sentinel = spawn(redisServer ?? "", [file, "--sentinel"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void sentinel.kill("SIGKILL"));
    let output = "";
    sentinel.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    ports.push(port);
    outputs.push(() => output);
  }
  // each knows both replicas and both other sentinels
  for (const output of outputs)
    await expect
      .poll(() => [output().match(/\+slave /g)?.length, output().match(/\+sentinel /g)?.length], patiently)
      .toEqual([2, 2]);
  return {
    servers,
    url: `redis-sentinel://:a-word@${ports.map((port) => `localhost:${port}`).join()}#the-master`,
  };
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "redis-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
