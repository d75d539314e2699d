/**
 * The roles under load and under every fault that has an alert, watched by a real Prometheus with the files of
 * deploy/prometheus. Every port is free, and Prometheus scrapes each second; all else is as deployed.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { base62, formatApiKey } from "../../../src/engine/runtime/http/api-key.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { listens, main, type Program, startProgram } from "../../support/child-process.ts";
import { patient } from "../../support/patient.ts";
import { type Prometheus, startPrometheus } from "./prometheus.ts";

export type FaultyRun = Prometheus & {
  /** From now on a product does not answer, another is slow, and whatever else has an alert. */
  readonly breakThings: () => void;
  readonly stop: () => Promise<void>;
};

export async function startFaultyRun(): Promise<FaultyRun> {
  const ends: (() => unknown)[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(ends.splice(0).map((end) => end())));
  try {
    return { ...(await startAll(ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(ends: (() => unknown)[]): Promise<Omit<FaultyRun, "stop">> {
  let isBroken = false;
  const GATEWAY_SECRET = randomBytes(24).toString("hex");
  const role = async (name: string, environment: NodeJS.ProcessEnv) => {
    const program = startProgram([main, name], {
      METRICS_PORT: "0",
      GATEWAY_SECRET,
      ...patient,
      ...environment,
    });
    ends.push(() => program.stop());
    return { url: await listens(program), metrics: await metricsOf(program) };
  };
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    ends.push(() => server.close().closeAllConnections());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const nobody = "http://127.0.0.1:9"; // the port of "discard", which nothing serves
  const platform = await role("platform", {});
  const forward =
    (whenBroken: () => Promise<boolean>): RequestListener =>
    async ({ url = "", headers }, response) => {
      if (isBroken && !(await whenBroken())) return void response.destroy();
      const passed = Object.entries(headers).filter(([name]) => /^(?:x-|authorization|accept$)/.test(name));
      const answer = await fetch(new URL(url, platform.url), {
        headers: passed as [string, string][],
      }).catch(() => undefined);
      if (!answer) return void response.destroy();
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    };
  const crm = await serve(forward(async () => false));
  const insights = await serve(forward(() => sleep(1_300, true)));
  const graphql = await role("graphql", {
    ...{ REST_BASE_URL: platform.url.href, REST_BASE_URL_CRM: crm, REST_BASE_URL_INSIGHTS: insights },
    MAX_CONCURRENT_REQUESTS: "12",
    OPERATIONS_FROM: `unread=${nobody}/manifest.json`,
  });
  const behind = {
    NODE_ENV: "production", // elsewhere there are no rate limits, and no metric of what they leave
    ...{ RATE_LIMIT_PER_KEY: "1000000", RATE_LIMIT_PER_ADDRESS: "1000000", GRAPHQL_URL: graphql.url.href },
    ...{ REST_BASE_URL: platform.url.href, KEY_INTROSPECTION_URL: `${platform.url}internal/keys/introspect` },
  };
  const gateway = await role("gateway", behind);
  const sick = await role("gateway", {
    ...behind,
    KEY_INTROSPECTION_URL: `${nobody}/introspect`,
    REDIS_URL: "redis://nobody.invalid:9", // no such name (RFC 6761 §6.4)
  });
  const older = await serve((_request, response) =>
    response.end(isBroken ? 'build_info{build="old",spec="0123456789abcdef"} 1\n' : ""),
  );
  const ask = loadOn(ends);
  const ids = saved();
  ask(gateway.url, 300, () => ({ documentId: ids.get("StartPage"), variables: { ...days, q: "an" } }));
  ask(gateway.url, 400, () => ({ documentId: ids.get("TeamInbox") }));
  ask(gateway.url, 500, () => ({ documentId: ids.get("WeeklyReport"), variables: days }));
  ask(gateway.url, 200, () => ({ query: "{ me { id } }" }));
  ask(gateway.url, 300, () => ({ query: "{ me { id } }" }), { key: anyKey });
  ask(gateway.url, 150, () => isBroken && { documentId: ids.get("WeeklyReport"), variables: days }, {
    leaveMs: 100,
  });
  ask(
    graphql.url,
    100,
    () => isBroken && { query: `{ metrics(from: "2026-01-01", to: "2026-01-02") { name } }` },
  );
  ask(graphql.url, 500, () => isBroken && { query: "{ me { id } }" }, { proof: "of another gateway" });
  ask(sick.url, 200, () => isBroken && { query: "{ me { id } }" }, { key: anyKey });
  const prometheus = await startPrometheus(ends, {
    gateway: [gateway.metrics, sick.metrics, nobody],
    graphql: [graphql.metrics, older],
  });
  return {
    ...prometheus,
    breakThings: () => {
      isBroken = true;
    },
  };
}

const days = { from: "2026-01-01", to: "2026-01-28" };
const anyKey = (): string =>
  formatApiKey("test", [...randomBytes(26)].map((byte) => base62.charAt(byte % 62)).join(""));

const saved = (): Map<string, string> => {
  const file = new URL("../../../generated/operations-manifest.json", import.meta.url);
  const { operations } = JSON.parse(readFileSync(file, "utf8")) as {
    operations: { name: string; id: string }[];
  };
  return new Map(operations.map(({ name, id }) => [name, id]));
};

type Manner = { readonly key?: () => string; readonly leaveMs?: number; readonly proof?: string };

/** Sends a request each so many ms, whether or not the last one is answered. */
function loadOn(ends: (() => unknown)[]) {
  return (
    url: URL,
    ms: number,
    body: () => object | false,
    { key, leaveMs = 20_000, proof }: Manner = {},
  ): void => {
    const timer = setInterval(() => {
      const given = body();
      if (!given) return;
      const headers = {
        "content-type": "application/json",
        "x-api-key": key?.() ?? demoKeys[0]?.key ?? "",
        ...(proof && { "x-gateway-proof": proof }),
      };
      fetch(new URL("/v1/graphql", url), {
        ...{ method: "POST", headers, body: JSON.stringify(given) },
        signal: AbortSignal.timeout(leaveMs),
      }).then(
        (answer) => answer.text().catch(() => ""),
        () => {},
      );
    }, ms);
    ends.push(() => clearInterval(timer));
  };
}

const metricsOf = async ({ prints }: Program): Promise<string> =>
  (await prints(/metrics[^\n]*?(http:\/\/[^\s,"/]+)/))[1] ?? "";
