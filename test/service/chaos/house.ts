/** The roles as processes of their own, and what their gauges say. */
import { setTimeout as sleep } from "node:timers/promises";
import { formatApiKey } from "../../../src/engine/runtime/http/api-key.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { listens, main, memoryMiB, type Program, startProgram } from "../../support/child-process.ts";

export type House = {
  readonly name: string;
  readonly front: "gateway" | "graphql";
  /** Of the front. */
  readonly url: URL;
  readonly programs: readonly Program[];
  /** Keys of two tenants. */
  readonly keys: readonly [string, string];
};

/** The heap is that of Node in a container of 512 MiB. Without a bound, Node keeps garbage while the machine has memory. */
const environment = {
  NODE_OPTIONS: "--max-old-space-size=259",
  ...{ METRICS_PORT: "0", MAX_OPERATIONS: "4", LOG_LEVEL: "warn", ACCESS_LOG: "off" },
  ...{ GATEWAY_SECRET: "a-secret-of-thirty-two-characters-or-so" },
};
const keyOf = (name: string): string => formatApiKey("test", name.padEnd(26, "0"));
const ofDemo = (tenant: string): string => demoKeys.find((one) => one.tenant === tenant)?.key ?? "";

export async function npmStart(): Promise<House> {
  const program = startProgram([main], environment);
  const keys = [ofDemo("ten_harbor"), ofDemo("ten_lumen")] as const;
  return { name: "npm start", front: "gateway", url: await listens(program), programs: [program], keys };
}

export async function graphqlAlone({ url }: { readonly url: URL }): Promise<House> {
  const { GATEWAY_SECRET: _, ...given } = environment;
  const program = startProgram([main, "graphql"], { ...given, REST_BASE_URL: url.href });
  return {
    name: "graphql alone",
    front: "graphql",
    url: await listens(program),
    programs: [program],
    keys: [keyOf("leaving"), keyOf("other")],
  };
}

export async function behindGateway({ url }: { readonly url: URL }): Promise<House> {
  const given = { ...environment, REST_BASE_URL: url.href };
  const graphql = startProgram([main, "graphql"], given);
  const GRAPHQL_URL = (await listens(graphql)).href;
  const KEY_INTROSPECTION_URL = new URL("/keys", url).href;
  const gateway = startProgram([main, "gateway"], { ...given, GRAPHQL_URL, KEY_INTROSPECTION_URL });
  return {
    name: "behind a gateway",
    front: "gateway",
    url: await listens(gateway),
    programs: [gateway, graphql],
    keys: [keyOf("leaving"), keyOf("other")],
  };
}

/** What `/metrics` says, summed over labels: of the connections those of the front, of the resources the timers. */
async function gaugesOf(program: Program, front: string): Promise<Map<string, number>> {
  const [, url = ""] = await program.prints(/metrics: (\S+)|"metrics":"([^"]+)"/);
  const text = await (await fetch(new URL("/metrics", url))).text();
  const gauges = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name = "", labels = "", value = ""] = /^([a-z_]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    if (name === "http_server_connections" && !labels.includes(`role="${front}"`)) continue; // roles keep theirs
    const known = name === "nodejs_active_resources" ? (labels.includes('"Timeout"') ? "timers" : "") : name;
    gauges.set(known, (gauges.get(known) ?? 0) + Number(value));
  }
  return gauges;
}

/** What is to be 0 when nothing is under way. */
const empty = [
  "http_server_active_requests",
  "http_server_connections",
  "rest_calls_in_flight",
  "rest_calls_queued",
  "gateway_key_lookups_in_flight",
  "quota_usage",
  "process_unhandled_rejections_total",
];

export const timersOf = async ({ programs, front }: House): Promise<number[]> =>
  Promise.all(programs.map(async (program) => (await gaugesOf(program, front)).get("timers") ?? 0));

export const hasEnded = ({ programs }: House): boolean =>
  programs.some(({ child }) => child.exitCode !== null || child.signalCode !== null);

/**
 * What is left once all clients have gone, in words; empty when nothing is. Waits for up to 20 s: a request may take 15 s.
 * `timers` are those of each process before.
 */
export async function leftovers({ programs, front }: House, timers: readonly number[]): Promise<string[]> {
  let left: string[] = [];
  for (const until = performance.now() + 20_000; performance.now() < until; await sleep(250)) {
    left = [];
    for (const [index, program] of programs.entries()) {
      if (program.child.exitCode !== null || program.child.signalCode !== null)
        return [`the process has ended: ${program.output().slice(-2_000)}`];
      const gauges = await gaugesOf(program, front);
      for (const name of empty) if ((gauges.get(name) ?? 0) !== 0) left.push(`${name} ${gauges.get(name)}`);
      const now = gauges.get("timers") ?? 0;
      if (now > (timers[index] ?? 0)) left.push(`timers ${timers[index]} → ${now}`);
    }
    if (left.length === 0) return left;
  }
  return left;
}

/** MiB: the largest resident size. */
export const residentOf = ({ programs }: House): number =>
  Math.max(...programs.map((program) => memoryMiB(program, "VmRSS")));
