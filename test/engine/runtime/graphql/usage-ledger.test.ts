/** The usage ledger: what a role writes, over days, restarts and failures of its disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSchema, parse } from "graphql";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  type OperationName,
  RequestRecord,
  type ServerInfo,
} from "../../../../src/engine/runtime/observe/request-record.ts";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { createMetricsServer, measure } from "../../../../src/engine/server/metrics/metrics.ts";
import { UsageLedger } from "../../../../src/engine/server/usage-ledger.ts";
import { parseUsageLines, type UsageLine } from "../../../../src/engine/shared/usage-lines.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

const schema = buildSchema("type Query { me(size: Int = 1): User } type User { id: ID name: String }");
const serverInfo = { role: "graphql" } as ServerInfo;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "usage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The lines of all files, without the day's own. */
const linesIn = (folder: string): UsageLine[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => parseUsageLines(readFileSync(join(folder, name), "utf8")));

function ledger(folder: string, host = "a") {
  const warn = vi.fn();
  const opened = new UsageLedger(folder, host, schema, { warn } as never);
  onTestFinished(() => opened.close());
  return Object.assign(opened, { warn });
}

type Ran = { readonly operation?: OperationName; readonly app?: string; readonly version?: string };

function run(usage: UsageLedger, texts: readonly string[], { operation, app, version }: Ran = {}): void {
  const record = new RequestRecord(serverInfo, {
    id: "id",
    method: "POST",
    route: "/v1/graphql",
    address: "192.0.2.1",
  });
  for (const text of texts) record.ran(parse(text));
  record.operation = operation;
  record.app = app;
  if (app !== undefined) record.client = { name: app, version: version ?? "" };
  usage.requestEnded(record);
}

const orders: OperationName = { app: "shop", name: "Orders", id: "1" };
const today = new Date().toISOString().slice(0, 10);

test("a saved operation is recorded once a day, with its app and version", async () => {
  const folder = newFolder();
  const usage = ledger(folder);
  for (let times = 0; times < 3; times++) run(usage, ["{ me { id } }"], { operation: orders });
  run(usage, ["{ me { id } }"], { operation: orders, app: "web", version: "1.4.0" });
  await usage.flush();
  run(usage, ["{ me { id } }"], { operation: orders });
  await usage.flush();
  expect(linesIn(folder)).toEqual([
    { day: today },
    { day: today, operation: "shop/Orders", app: "shop" },
    { day: today, operation: "shop/Orders", app: "web", version: "1.4.0" },
  ]);
});

test("of other operations, and of batches, the fields are recorded, and no values", async () => {
  const folder = newFolder();
  const usage = ledger(folder);
  run(usage, ["{ me(size: 12345) { id } __schema { queryType { name } } }", "{ me { name } }"], {
    app: "web",
  });
  run(usage, ["{ __typename }"]);
  await usage.flush();
  const used = ["Query.me", "Query.me(size:)", "User.name", "User.id"];
  const fields = linesIn(folder).flatMap(({ field, app }) =>
    field === undefined ? [] : [`${field} ${app}`],
  );
  expect(fields.sort()).toEqual(used.map((field) => `${field} web`).sort());
  expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8")).not.toContain("12345");
});

test("more versions than 20, and more documents than 500, leave no operation and no app unknown", async () => {
  const folder = newFolder();
  const usage = ledger(folder);
  await usage.flush();
  for (let index = 0; index < 25; index++)
    run(usage, ["{ me { id } }"], { operation: orders, app: "web", version: `1.${index}` });
  for (let index = 0; index < 501; index++) run(usage, [`{ a${index}: me { id } }`]);
  await usage.flush();
  const lines = linesIn(folder);
  expect(lines.filter(({ app, version }) => app === "web" && version !== undefined)).toHaveLength(20);
  expect(lines).toContainEqual({ day: today, operation: "shop/Orders", app: "web" });
  expect(lines.filter(({ isIncomplete }) => isIncomplete)).toHaveLength(1);
});

test("beyond 100,000 lines of a day, each operation is still recorded", async () => {
  const folder = newFolder();
  const usage = ledger(folder);
  const record = (name: string, app: string) =>
    run(usage, ["{ me { id } }"], { operation: { app, name, id: "" }, app });
  for (let index = 0; index < 100_050; index++) record(`Operation${index}`, "shop");
  record("Operation100049", "shop");
  await usage.flush();
  const lines = linesIn(folder);
  expect(new Set(lines.map(({ operation }) => operation)).size).toBe(100_050 + 1);
  expect(lines).toHaveLength(100_050 + 1);
}, 60_000);

test("a day without a request has a line, and old days are deleted", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-01T23:59:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const folder = newFolder();
  for (const name of ["usage-2025-11-28.b.jsonl", "usage-2025-11-30.b.jsonl", "notes-2020-01-01.jsonl"])
    writeFileSync(join(folder, name), "");
  const usage = ledger(folder, "host/1");
  await usage.flush();
  vi.setSystemTime(new Date("2026-03-02T00:00:10Z"));
  await usage.flush();
  expect(readdirSync(folder).sort()).toEqual([
    "notes-2020-01-01.jsonl",
    "usage-2025-11-30.b.jsonl",
    "usage-2026-03-01.host_1.jsonl",
    "usage-2026-03-02.host_1.jsonl",
  ]);
});

test("what cannot be written is written later, also after the day has changed", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-01T12:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const parent = newFolder();
  const folder = join(parent, "usage");
  writeFileSync(folder, "not a folder");
  const usage = ledger(folder);
  run(usage, ["{ me { id } }"], { operation: orders });
  await usage.flush();
  await usage.flush();
  expect(usage.warn).toHaveBeenCalledTimes(1);
  vi.setSystemTime(new Date("2026-03-02T12:00:00Z"));
  rmSync(folder);
  mkdirSync(folder);
  await usage.flush();
  expect(linesIn(folder)).toEqual([
    { day: "2026-03-01" },
    { day: "2026-03-01", operation: "shop/Orders", app: "shop" },
    { day: "2026-03-02" },
  ]);
  expect(usage.warn).toHaveBeenCalledTimes(2);
});

test("a folder that cannot be written shows in the metrics until it can", async () => {
  const folder = join(newFolder(), "usage");
  writeFileSync(folder, "not a folder");
  const config = configure({ USAGE_DIR: folder });
  const server = await createGraphql(config, api);
  const measured = measure(config, new Map([["graphql", server]]), "");
  const metrics = createMetricsServer(config, measured, "");
  onTestFinished(async () => void (await Promise.all([metrics.close(), server.close()])));
  const failing = async (): Promise<string | undefined> => {
    await server.usage?.flush();
    const { body } = await metrics.inject("/metrics");
    return /^graphql_usage_failing (.+)$/m.exec(body)?.[1];
  };
  expect(await failing()).toBe("1");
  rmSync(folder);
  expect(await failing()).toBe("0");
});

test("a role records what it executes, and not what it refuses", async () => {
  const folder = newFolder();
  const server = await createGraphql(configure({ USAGE_DIR: folder }), api);
  for (const query of ["{ me { email } }", "{ nothing }", "{ me {"])
    await server.inject({ method: "POST", url: "/v1/graphql", payload: { query } });
  await server.close();
  const fields = linesIn(folder).flatMap(({ field }) => field ?? []);
  expect(fields).toContain("Query.me");
  expect(fields.some((field) => field.endsWith(".email"))).toBe(true);
});

test("a line that was not written to its end is skipped, anything else refused", () => {
  const whole = `{"day":"${today}","operation":"A"}`;
  expect(parseUsageLines(`\n${whole}\n{"day":"2026-\n${whole}\n`)).toHaveLength(2);
  for (const line of ["x", "[]", '{"day":"2026-13-45"}', '{"day":"2026-01-01","field":7}', '{"date":"x"}'])
    expect(() => parseUsageLines(line)).toThrow("line 1 is not a line of the usage ledger");
});
