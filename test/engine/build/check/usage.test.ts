/** `--usage`: a change that reaches nothing that clients ran breaks no build. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, onTestFinished, test } from "vitest";
import reportSchema from "../../../../src/engine/build/check/report.schema.json" with { type: "json" };
import { depotSchema, edited, ran, reportOf, repository, write } from "./run.ts";

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const isValidReport = ajv.compile(reportSchema);

/** The text of `/metrics`, as far as it matters; 1765000000 is 2025-12-06. */
const metrics = (runs: Record<string, number>, errors: Record<string, number> = {}, start = 1765000000) =>
  [
    "# TYPE process_start_time_seconds gauge",
    `process_start_time_seconds ${start}`,
    ...Object.entries(runs).map(
      ([operation, times]) =>
        `graphql_client_operations_total{app="",version="",operation="${operation}"} ${times}`,
    ),
    ...Object.entries(errors).map(
      ([code, times]) => `graphql_operation_errors_total{operation="other",code="${code}"} ${times}`,
    ),
    "",
  ].join("\n");

const edits = {
  "a field that Depot selects": ["  openDays: [Weekday!]!", "  openDays: [Weekday!]"],
  "a field that nobody selects": ['  capacity: Float @restName(name: "capacity_m3")\n', ""],
  "an argument that nobody gives": ['    states: [ParcelState!] @restName(name: "state")\n', ""],
  "a new required argument of a field that Depot selects": [
    "parcels(size: Int = 10",
    'parcels(page: String! @restName(name: "page_token") size: Int = 10',
  ],
  "a value of an enum that Depot sends": ['  US_EAST @restName(name: "us-east")\n', ""],
  "a value of an enum that Depot reads": ['  LOST @restName(name: "lost")\n', ""],
} as const;

/** Severities of the changes after an edit of the schema, with this usage. */
async function severities(edit: keyof typeof edits, usage: string): Promise<string[]> {
  const root = repository();
  const [from, to] = edits[edit];
  write(root, { "spec/schema.graphql": edited(depotSchema, from, to), "usage.txt": usage });
  const report = await reportOf(root, "--base", "HEAD", "--usage", "usage.txt");
  expect(isValidReport(report), JSON.stringify(isValidReport.errors)).toBe(true);
  return report.findings.flatMap(({ stage, severity }) => (stage === "changes" ? [severity] : []));
}

test.each<[keyof typeof edits, Record<string, number>, string[]]>([
  ["a field that Depot selects", { Depot: 3 }, ["error"]],
  ["a field that Depot selects", { Register: 3 }, ["note"]],
  ["a field that nobody selects", { Depot: 3, Register: 1 }, ["note"]],
  ["a field that nobody selects", { Depot: 3, other: 1 }, ["error"]],
  ["a field that nobody selects", { Depot: 3, Gone: 1 }, ["error"]],
  ["an argument that nobody gives", { Depot: 3 }, ["note", "note"]],
  ["a new required argument of a field that Depot selects", { Depot: 3 }, ["error", "warning"]],
  ["a new required argument of a field that Depot selects", { Register: 3 }, ["note", "note"]],
  ["a value of an enum that Depot sends", { Depot: 1 }, ["error"]],
  ["a value of an enum that Depot sends", { Register: 1 }, ["note"]],
  ["a value of an enum that Depot reads", { Depot: 1 }, ["error"]],
])("%s, where %o ran: %o", async (edit, runs, expected) => {
  expect(await severities(edit, metrics(runs))).toEqual(expected);
});

test("a request whose document never ran uses nothing", async () => {
  const runs = { Depot: 1, other: 7 };
  const refused = { OPERATION_NOT_SAVED: 4, GRAPHQL_VALIDATION_FAILED: 3 };
  expect(await severities("a field that nobody selects", metrics(runs, refused))).toEqual(["note"]);
  expect(await severities("a field that nobody selects", metrics(runs, { UPSTREAM_TIMEOUT: 7 }))).toEqual([
    "error",
  ]);
});

test("several processes are summed, and count since the youngest's start", async () => {
  const root = repository();
  write(root, {
    "spec/schema.graphql": edited(depotSchema, ...edits["a field that Depot selects"]),
    "usage.txt": metrics({ Register: 1 }) + metrics({ Register: 1 }, {}, 1765100000),
  });
  const { usage, findings } = await reportOf(root, "--base", "HEAD", "--usage", "usage.txt");
  expect(usage).toEqual({ source: "usage.txt", since: "2025-12-07", used: ["Register"], unknown: 0 });
  expect(findings.find(({ stage }) => stage === "changes")).toMatchObject({
    change: "breaking",
    message: expect.stringMatching(/; not used since 2025-12-07$/),
  });
  const { out } = await ran(root, ["--base", "HEAD", "--usage", "usage.txt"]);
  expect(out).toContain("usage since 2025-12-07 (usage.txt): 1 saved operations ran");
});

test("an operation that the change removes with its field is used while it runs", async () => {
  const old = {
    "spec/operations/old.graphql": "query Old { warehouse(id: 1, region: EU_WEST) { capacity } }",
  };
  const root = repository(old);
  write(root, {
    "spec/schema.graphql": edited(depotSchema, ...edits["a field that nobody selects"]),
    "spec/operations/old.graphql": "query New { warehouse(id: 1, region: EU_WEST) { name } }",
    "usage.txt": metrics({ Old: 1 }),
    "none.txt": metrics({ Depot: 1 }),
  });
  const severity = async (usage: string) =>
    (await reportOf(root, "--base", "HEAD", "--usage", usage)).findings.find(
      ({ coordinate }) => coordinate === "Warehouse.capacity",
    )?.severity;
  expect([await severity("usage.txt"), await severity("none.txt")]).toEqual(["error", "note"]);
});

/** A file of the ledger with the lines of one day. */
const ledger = (day: string, ...used: object[]) =>
  ["", ...used.map((line) => JSON.stringify({ day, ...line })), ""].join("\n");
/** Before the day of `ran`. */
const daysAgo = (days: number): string =>
  new Date(Date.parse("2026-01-01") - days * 86_400_000).toISOString().slice(0, 10);

test.each<[keyof typeof edits, object[], string[]]>([
  ["a field that Depot selects", [{ operation: "Depot" }], ["error"]],
  ["a field that Depot selects", [{ operation: "Register", app: "web" }], ["note"]],
  ["a field that nobody selects", [{ operation: "Depot" }, { field: "Query.warehouse" }], ["note"]],
  ["a field that nobody selects", [{ operation: "Depot" }, { field: "Warehouse.capacity" }], ["error"]],
  ["a field that nobody selects", [{ operation: "Gone" }], ["error"]],
  ["a field that nobody selects", [{ operation: "Depot" }, { isIncomplete: true }], ["error"]],
  ["an argument that nobody gives", [{ field: "Query.parcels" }], ["note", "warning"]],
  ["an argument that nobody gives", [{ field: "Query.parcels(states:)" }], ["error", "note"]],
])("%s, where the ledger has %o: %o", async (edit, used, expected) => {
  expect(await severities(edit, ledger(daysAgo(0), ...used))).toEqual(expected);
});

test("a folder of all replicas' files counts since the last day that none of them has", async () => {
  const root = repository();
  const file = (day: number, host: string) => `usage/usage-${daysAgo(day)}.${host}.jsonl`;
  write(root, {
    "spec/schema.graphql": edited(depotSchema, ...edits["a field that Depot selects"]),
    [file(5, "a")]: ledger(daysAgo(5), { operation: "Depot" }), // nobody was recording on the fourth day
    [file(3, "a")]: ledger(daysAgo(3), {}),
    [file(2, "b")]: ledger(daysAgo(2), { operation: "Register" }),
    [file(1, "a")]: ledger(daysAgo(1), {}),
    "usage/notes.txt": "x",
  });
  const { usage, findings } = await reportOf(root, "--base", "HEAD", "--usage", "usage");
  expect(usage).toEqual({ source: "usage", since: daysAgo(3), used: ["Register"], unknown: 0 });
  expect(findings.find(({ stage }) => stage === "changes")?.severity).toBe("note");
  const all = [5, 3, 2, 1].map((day) => ledger(daysAgo(day), { operation: "Register" })).join("");
  write(root, { "all.jsonl": all });
  expect((await reportOf(root, "--base", "HEAD", "--usage", "all.jsonl")).usage).toMatchObject({
    since: daysAgo(3),
  });
});

test.each([
  ["a ledger that ends weeks ago", ledger(daysAgo(20), { operation: "Depot" }), /the ledger ends on \d{4}/],
  ["a line of something else", '{"level":30}\n', /line 1 is not a line of the usage ledger/],
])("%s is a refusal", async (_name, text, reason) => {
  const root = repository();
  write(root, { "usage.jsonl": text, "none/notes.txt": "x" });
  const refusal = async (source: string) => ran(root, ["--base", "HEAD", "--usage", source]);
  expect(await refusal("usage.jsonl")).toMatchObject({ code: 2, error: expect.stringMatching(reason) });
  expect((await refusal("none")).error).toMatch(/has no file of the usage ledger/);
});

async function prometheus(answer: (query: string) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    if (pathname !== "/prefix/api/v1/query") return response.writeHead(404).end("404 page not found");
    return response.end(JSON.stringify(answer(searchParams.get("query") ?? "")));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
}

test("Prometheus is asked by its address", async () => {
  const vector = (...result: [Record<string, string>, string][]) => ({
    status: "success",
    data: {
      resultType: "vector",
      result: result.map(([metric, value]) => ({ metric, value: [1765200000, value] })),
    },
  });
  const url = await prometheus((query) => {
    if (query.includes("ready{")) return vector([{}, "1765000000"]);
    if (query.includes("errors_total"))
      return vector([{ operation: "other", code: "GRAPHQL_PARSE_FAILED" }, "2"]);
    return vector([{ operation: "Depot" }, "5"], [{ operation: "other" }, "2"]);
  });
  const { usage } = await reportOf(repository(), "--base", "HEAD", "--usage", `${url}/`);
  expect(usage).toMatchObject({ since: "2025-12-06", used: ["Depot"], unknown: 0 });
});

test.each([
  ["nothing of a graphql role", { data: { result: [] } }, /has no graphql_client_operations_total/],
  [
    "a time that is none",
    { data: { result: [{ metric: { operation: "Depot" }, value: [1, "1e20"] }] } },
    /has no graphql_client_operations_total/,
  ],
  ["an error", { status: "error", error: "too many samples" }, /: too many samples/],
  ["something else", {}, /is not a Prometheus response/],
])("%s is a refusal, and never no use", async (_name, answer, reason) => {
  const { code, error } = await ran(repository(), [
    "--base",
    "HEAD",
    "--usage",
    await prometheus(() => answer),
  ]);
  expect([code, error]).toEqual([2, expect.stringMatching(reason)]);
});

test.each([
  null,
  [],
  7,
  { data: 7 },
  { data: { result: 7 } },
  { data: { result: [7] } },
  { data: { result: [{}] } },
])("an answer of another form is a refusal: %j", async (answer) => {
  const url = await prometheus(() => answer);
  const { code, error } = await ran(repository(), ["--base", "HEAD", "--usage", url]);
  expect([code, error]).toEqual([
    2,
    expect.stringMatching(/is not a Prometheus response|has no graphql_client/),
  ]);
});

test.each([
  [["--usage", "usage.txt"], /--usage requires --base/],
  [["--base", "HEAD", "--usage", "none.txt"], /no such file/],
  [["--base", "HEAD", "--usage", "spec/schema.graphql"], /is not the text of \/metrics/],
  [["--base", "HEAD", "--usage", "http://127.0.0.1:1"], /ECONNREFUSED|bad port/],
])("%o is a refusal", async (argv, reason) => {
  const { code, error } = await ran(repository(), argv);
  expect([code, error]).toEqual([2, expect.stringMatching(reason)]);
});
