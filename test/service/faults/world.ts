/**
 * What a fault happens in: the platform in this process, fault proxies in front of two of its products, and the graphql
 * role as a process of its own, whose output, memory and processor time can be read.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import { cpuMs, listens, main, memoryMiB, startProgram } from "../../support/child-process.ts";
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
  /** Ends all faults. Resolves when both proxies are answered for, with their counts at zero. */
  readonly calm: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** One platform for all worlds. */
export async function openPlatform(): Promise<{ url: URL; close: () => Promise<void> }> {
  const platform = await createPlatform(readConfig({ LOG_LEVEL: "silent" }, ["platform"]));
  const url = new URL(await platform.listen({ port: 0, host: "127.0.0.1" }));
  const close = async (): Promise<void> => {
    platform.server.closeAllConnections();
    await platform.close();
  };
  return { url, close };
}

export async function openWorld(rest: URL, environment: NodeJS.ProcessEnv = {}): Promise<World> {
  const crm = await faultProxy(rest);
  const messaging = await faultProxy(rest);
  const program = startProgram([main, "graphql"], {
    LOG_LEVEL: "debug",
    REST_BASE_URL: rest.href,
    REST_BASE_URL_CRM: crm.url.href,
    REST_BASE_URL_MESSAGING: messaging.url.href,
    ...environment,
  });
  const graphql = new URL("/v1/graphql", await listens(program));
  let answered = "";
  const ask = async (query: string, signal?: AbortSignal): Promise<Answer> => {
    const began = performance.now();
    const response = await fetch(graphql, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ query }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    answered += response.status === 200 && !text.includes('"errors"') ? "" : text;
    const { data, errors } = JSON.parse(text);
    return {
      status: response.status,
      ms: performance.now() - began,
      data,
      errors,
      retryAfter: response.headers.get("retry-after"),
    };
  };
  const calm = async (): Promise<void> => {
    crm.choose = messaging.choose = () => undefined;
    const send = 'mutation { sendMessage(channel: "sms", to: "+12025550143", body: "calm") { id } }';
    for (const query of ["{ me { id } contacts { id } }", send])
      while ((await ask(query)).errors) await sleep(50);
    for (const list of [crm.requests, crm.left, messaging.requests, messaging.left]) list.length = 0;
  };
  const close = async (): Promise<void> => {
    await program.stop();
    await Promise.all([crm.close(), messaging.close()]);
  };
  return {
    crm,
    messaging,
    graphql,
    platform: rest,
    child: program.child,
    ask,
    shown: () => answered + program.output(),
    peakRss: () => peak.stop(),
    resetPeakRss: () => peak.start(() => memoryMiB(program, "VmRSS")),
    cpuMs: () => cpuMs(program),
    calm,
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
