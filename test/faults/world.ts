/**
 * What a fault happens in: the platform in this process, fault proxies in front of two of its products, and the graphql
 * role as a process of its own, whose output, memory and CPU can be looked at.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { readConfig } from "../../src/config.ts";
import { demoKeys } from "../../src/platform/demo.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import { type FaultProxy, faultProxy } from "./proxy.ts";

export const key = demoKeys.find(({ user }) => user === "usr_harbor_olivia")?.key ?? "";

type Failure = {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; retryAfter?: number };
};
export type Answer = {
  status: number;
  ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  data?: any;
  errors?: Failure[];
  retryAfter: string | null;
};

export type World = {
  /** In front of the contacts. */
  readonly crm: FaultProxy;
  /** In front of what sends messages. */
  readonly messaging: FaultProxy;
  readonly graphql: URL;
  readonly platform: URL;
  readonly child: ChildProcess;
  readonly ask: (query: string, signal?: AbortSignal) => Promise<Answer>;
  /** All that clients got and all that was logged. */
  readonly shown: () => string;
  readonly peakRss: () => number;
  /** Starts the peak anew and answers with what it is now, in MiB. */
  readonly resetPeakRss: () => number;
  readonly cpuMs: () => number;
  readonly close: () => Promise<void>;
};

const main = new URL("../../src/main.ts", import.meta.url).pathname;

export async function openWorld(environment: NodeJS.ProcessEnv = {}): Promise<World> {
  const platform = await createPlatform(readConfig({ LOG_LEVEL: "silent" }, ["platform"]));
  await platform.listen({ port: 0, host: "127.0.0.1" });
  const rest = new URL(`http://127.0.0.1:${(platform.server.address() as AddressInfo).port}`);
  const [crm, messaging] = [await faultProxy(rest), await faultProxy(rest)];
  const child = spawn(process.execPath, [main, "graphql"], {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      LOG_LEVEL: "debug",
      REST_BASE_URL: rest.href,
      REST_BASE_URL_CRM: crm.url.href,
      REST_BASE_URL_MESSAGING: messaging.url.href,
      ...environment,
    },
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (shown += text));
  const graphql = new URL("/v1/graphql", await readyAt(child, () => shown));
  const ask = async (query: string, signal?: AbortSignal): Promise<Answer> => {
    const began = performance.now();
    const response = await fetch(graphql, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ query }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    shown += response.status === 200 && !text.includes('"errors"') ? "" : text;
    const { data, errors } = JSON.parse(text);
    return {
      status: response.status,
      ms: performance.now() - began,
      data,
      errors,
      retryAfter: response.headers.get("retry-after"),
    };
  };
  await ask("{ me { id } contacts { id } }");
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await Promise.all([crm.close(), messaging.close()]);
    platform.server.closeAllConnections();
    await platform.close();
  };
  const statusLine = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) /
    1024;
  return {
    crm,
    messaging,
    graphql,
    platform: rest,
    child,
    ask,
    shown: () => shown,
    peakRss: () => peak.stop(),
    resetPeakRss: () => peak.start(() => statusLine("VmRSS")),
    cpuMs: () => cpuMs(child),
    close,
  };
}

/** The highest resident size since the start, looked at every 5 ms. */
const peak = {
  highest: 0,
  timer: undefined as NodeJS.Timeout | undefined,
  start(read: () => number): number {
    clearInterval(this.timer);
    this.highest = read();
    const now = this.highest;
    this.timer = setInterval(() => (this.highest = Math.max(this.highest, read())), 5);
    return now;
  },
  stop(): number {
    clearInterval(this.timer);
    return this.highest;
  },
};

/** User and system time so far, in ms (proc_pid_stat(5); a tick is 10 ms). */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function readyAt(child: ChildProcess, printed: () => string): Promise<string> {
  for (;;) {
    const url = /ready on (http:\S+)/.exec(printed())?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${printed()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
