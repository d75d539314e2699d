/**
 * What a fault happens in: the platform in this process, fault proxies in front of two of its products, and the graphql
 * role as a process of its own, whose output, memory and CPU can be looked at.
 */
import type { ChildProcess } from "node:child_process";
import type { AddressInfo } from "node:net";
import { readConfig } from "../../src/config.ts";
import { demoKeys } from "../../src/platform/demo/demo.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import { cpuMs, listens, main, memoryMiB, startProgram } from "../child-process.ts";
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

export async function openWorld(environment: NodeJS.ProcessEnv = {}): Promise<World> {
  const platform = await createPlatform(readConfig({ LOG_LEVEL: "silent" }, ["platform"]));
  await platform.listen({ port: 0, host: "127.0.0.1" });
  const rest = new URL(`http://127.0.0.1:${(platform.server.address() as AddressInfo).port}`);
  const [crm, messaging] = [await faultProxy(rest), await faultProxy(rest)];
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
  await ask("{ me { id } contacts { id } }");
  const close = async (): Promise<void> => {
    await program.stop();
    await Promise.all([crm.close(), messaging.close()]);
    platform.server.closeAllConnections();
    await platform.close();
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
