/**
 * Reads which operations and fields clients used: from the usage ledger (`USAGE_DIR`, a folder, or its files concatenated),
 * from Prometheus, or from a file with the concatenated `/metrics` output of all `graphql` processes.
 */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { maxTextBytes } from "../../shared/bounded-text.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { fetchText } from "../../shared/cli/fetch-text.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import { shownUrl } from "../../shared/shown-url.ts";
import { dayOfUsageFile, parseUsageLines, type UsageLine, usageDay } from "../../shared/usage-lines.ts";
import type { Usage } from "./usage.ts";

const timeoutMs = 60_000;
const clientsMetric = "graphql_client_operations_total";
const errorsMetric = "graphql_operation_errors_total";

/** Error codes of requests whose document was not executed, so that no field was used. */
const refused = [
  "BAD_REQUEST",
  "METHOD_NOT_ALLOWED",
  "UNSUPPORTED_MEDIA_TYPE",
  "OPERATION_NOT_SAVED",
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "OPERATION_RESOLUTION_FAILURE",
  "PERSISTED_QUERY_NOT_FOUND",
  "PERSISTED_QUERY_HASH_MISMATCH",
];

type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/**
 * Throws `UsageError` if the source cannot be read or counts no operations, because that must not look like an API without
 * clients.
 */
export async function readUsage(root: string, source: string, today: string): Promise<Usage> {
  const texts = isHttpUrl(source) ? undefined : textsAt(resolve(root, source), source);
  const [first = ""] = texts ?? [];
  if (texts && (texts.length !== 1 || first.trimStart().startsWith("{")))
    return fromLedger(source, texts, today);
  const { seconds, errors, clients } = texts ? fromText(source, first) : await fromPrometheus(source);
  const since = new Date(seconds * 1_000);
  if (clients.length === 0 || Number.isNaN(since.getTime()))
    throw new UsageError([`--usage ${source}: has no ${clientsMetric} of a graphql role`]);
  const counts = new Map<string, number>();
  const add = (name: string | undefined, times: number): void =>
    void (name !== undefined && counts.set(name, (counts.get(name) ?? 0) + times));
  for (const { labels, value } of clients) add(labels.operation, value);
  for (const { labels, value } of errors)
    if (refused.includes(labels.code ?? "")) add(labels.operation, -value);
  return {
    source: shownUrl(source),
    since: since.toISOString().slice(0, 10),
    runs: counts,
    clients: byOperation(clients),
    fields: new Map(),
    lastDays: new Map(),
  };
}

/** Maximum age of the ledger's last day: a copy of the ledger may be this old. */
const maxAgeDays = 7;

/**
 * Reads the usage ledger. The period ends with the ledger's last day, and begins after the latest earlier day without a record.
 */
function fromLedger(source: string, texts: Iterable<string>, today: string): Usage {
  const days = new Set<string>();
  const latestUses = new Map<string, UsageLine>();
  for (const text of texts)
    for (const line of linesOf(source, text)) {
      const { day, ...used } = line;
      const key = JSON.stringify(used);
      days.add(day);
      if (day > (latestUses.get(key)?.day ?? "")) latestUses.set(key, line);
    }
  const latest = [...days].sort().at(-1) ?? today;
  if (dayAfter(latest, maxAgeDays) < today)
    throw new UsageError([`--usage ${source}: the ledger ends on ${latest}; use a newer copy`]);
  let since = latest;
  while (days.has(dayAfter(since, -1))) since = dayAfter(since, -1);
  const inPeriod = [...latestUses.values()].filter(({ day }) => day >= since);
  const isIncomplete = inPeriod.some((line) => line.isIncomplete);
  const clients = clientsOf(inPeriod, ({ operation }) => operation);
  const fields = clientsOf(inPeriod, ({ field }) => field);
  const lastDays = new Map<string, string>();
  for (const { day, operation, field } of inPeriod) {
    const name = operation ?? field ?? "";
    if (day > (lastDays.get(name) ?? "")) lastDays.set(name, day);
  }
  const runs = new Map([...clients.keys(), ...(isIncomplete ? [unrecorded] : [])].map((name) => [name, 1]));
  return { source, since, runs, clients, fields, lastDays };
}

function clientsOf(lines: readonly UsageLine[], nameOf: (line: UsageLine) => string | undefined) {
  const found = new Map<string, Set<string>>();
  for (const line of lines) {
    const name = nameOf(line);
    if (name === undefined) continue;
    const clients = found.get(name) ?? new Set();
    found.set(name, clients);
    if (line.app !== undefined) clients.add(`${line.app} ${line.version ?? ""}`.trim());
  }
  return found;
}

/**
 * Stands for operations that the ledger could not record. It counts as an operation that is not saved, so that every change
 * counts as used.
 */
const unrecorded = "other";

function linesOf(source: string, text: string): UsageLine[] {
  try {
    return parseUsageLines(text);
  } catch (error) {
    throw new UsageError([`--usage ${source}: ${(error as Error).message}`]);
  }
}

const dayAfter = (day: string, days: number): string =>
  usageDay(new Date(Date.parse(day) + days * 86_400_000));

/** Operation → its clients. Samples with an empty `app` label are skipped: they are from requests without a known app. */
function byOperation(samples: readonly Sample[]): Usage["clients"] {
  const clients = new Map<string, Set<string>>();
  for (const { labels, value } of samples) {
    const { app = "", version = "", operation = "" } = labels;
    if (value <= 0 || app === "") continue;
    clients.set(operation, (clients.get(operation) ?? new Set()).add(`${app} ${version}`.trim()));
  }
  return clients;
}

type UsageSamples = Readonly<Record<"errors" | "clients", Sample[]>> & { readonly seconds: number };

/**
 * Queries up to thirty days and uses the maximum of each counter: `increase` would miss a process's first run of an operation,
 * because the counter only exists from that run on.
 */
async function fromPrometheus(source: string): Promise<UsageSamples> {
  const now = Date.now() / 1_000; // the same time for all queries, so that runs and errors are consistent
  const ask = (query: string): Promise<Sample[]> => queryPrometheus(source, query, now);
  const [first, errors, clients] = await Promise.all([
    ask(`min(min_over_time(${seen}[30d:1m]) or ${seen})`),
    ask(`sum by (operation, code) (max_over_time(${errorsMetric}[30d]))`),
    ask(`sum by (app, version, operation) (max_over_time(${clientsMetric}[30d]))`),
  ]);
  return { seconds: first[0]?.value ?? Number.NaN, errors, clients };
}

type PrometheusResponse = {
  readonly error?: unknown;
  readonly data?: { readonly result?: { metric: Sample["labels"]; value: [number, string] }[] };
};

/** Scrape times of each `graphql` process. */
const seen = 'timestamp(ready{role="graphql"})';

function queryPrometheus(source: string, query: string, now: number): Promise<Sample[]> {
  const url = new URL(`${source.replace(/\/$/, "")}/api/v1/query`);
  url.searchParams.set("query", query);
  url.searchParams.set("time", String(now));
  return fetchText(`--usage ${source}`, url, samplesOf, { timeoutMs });
}

/** Parses an instant vector of Prometheus' HTTP API. */
function samplesOf(text: string): Sample[] {
  let reason: unknown;
  try {
    const { data, error } = JSON.parse(text) as PrometheusResponse;
    reason = error;
    if (data?.result)
      return data.result.map(({ metric, value }) => ({ labels: { ...metric }, value: Number(value[1]) }));
  } catch {
    // not JSON, or an unexpected structure
  }
  throw new Error(typeof reason === "string" ? reason.slice(0, 500) : "is not a Prometheus response");
}

/** The text of a file, or the texts of the ledger files in a folder. */
function textsAt(path: string, source: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [readRegularFile(path, maxTextBytes)];
    const names = readdirSync(path).filter((name) => dayOfUsageFile(name) !== undefined);
    if (names.length === 0) throw new Error("has no file of the usage ledger");
    return names.map((name) => readRegularFile(join(path, name), maxTextBytes));
  } catch (error) {
    throw new UsageError([`--usage ${source}: ${(error as Error).message}`]);
  }
}

/** Parses Prometheus' text format. The period begins with the start of the youngest process. */
function fromText(source: string, text: string): UsageSamples {
  const of = (metric: string): Sample[] =>
    [...text.matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? (\\S+)`, "gm"))].map(
      ([, labels = "", value]) => ({
        labels: Object.fromEntries(
          [...labels.matchAll(/\b(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, is]) => [key, is]),
        ),
        value: Number(value),
      }),
    );
  const starts = of("process_start_time_seconds").map(({ value }) => value);
  if (starts.length === 0) throw new UsageError([`--usage ${source}: is not the text of /metrics`]);
  return {
    seconds: Math.max(...starts),
    errors: of(errorsMetric),
    clients: of(clientsMetric),
  };
}
