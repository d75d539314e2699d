/** `--usage`: a change that reaches nothing that clients ran breaks no build. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { readUsage } from "../../../../src/engine/build/check/read-usage.ts";
import reportSchema from "../../../../src/engine/build/check/report.schema.json" with { type: "json" };
import { stepReport } from "./in-memory.ts";
import { depotSchema, edited, project, ran, reportOf, repository, write } from "./run.ts";

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const isValidReport = ajv.compile(reportSchema);

/** A file of the ledger with the lines of one day. */
const ledger = (day: string, ...used: object[]) =>
  ["", ...used.map((line) => JSON.stringify({ day, ...line })), ""].join("\n");
/** Before the day of `ran`. */
const daysAgo = (days: number): string =>
  new Date(Date.parse("2026-01-01") - days * 86_400_000).toISOString().slice(0, 10);
/** What ran on the day of `ran`. */
const operations = (...names: string[]) => ledger(daysAgo(0), ...names.map((operation) => ({ operation })));

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
  const used = readUsage(project({ "usage.txt": usage }), "usage.txt", daysAgo(0));
  const [from, to] = edits[edit];
  const schema = edited(depotSchema, from, to);
  const report = await stepReport({}, { "spec/schema.graphql": schema }, { usage: used });
  expect(isValidReport(report), JSON.stringify(isValidReport.errors)).toBe(true);
  return report.findings.flatMap(({ stage, severity }) => (stage === "changes" ? [severity] : []));
}

test.each<[keyof typeof edits, string[], string[]]>([
  ["a field that Depot selects", ["Depot"], ["error"]],
  ["a field that Depot selects", ["Register"], ["note"]],
  ["a field that nobody selects", ["Depot", "Register"], ["note"]],
  ["a field that nobody selects", ["Depot", "Gone"], ["error"]],
  ["an argument that nobody gives", ["Depot"], ["note", "note"]],
  ["a new required argument of a field that Depot selects", ["Depot"], ["error", "warning"]],
  ["a new required argument of a field that Depot selects", ["Register"], ["note", "note"]],
  ["a value of an enum that Depot sends", ["Depot"], ["error"]],
  ["a value of an enum that Depot sends", ["Register"], ["note"]],
  ["a value of an enum that Depot reads", ["Depot"], ["error"]],
])("%s, where %o ran: %o", async (edit, names, expected) => {
  expect(await severities(edit, operations(...names))).toEqual(expected);
});

test("an operation that the change removes with its field is used while it runs", async () => {
  const old = {
    "spec/operations/old.graphql": "query Old { warehouse(id: 1, region: EU_WEST) { capacity } }",
  };
  const root = repository(old);
  write(root, {
    "spec/schema.graphql": edited(depotSchema, ...edits["a field that nobody selects"]),
    "spec/operations/old.graphql": "query New { warehouse(id: 1, region: EU_WEST) { name } }",
    "usage.txt": operations("Old"),
    "none.txt": operations("Depot"),
  });
  const severity = async (usage: string) =>
    (await reportOf(root, "--base", "HEAD", "--usage", usage)).findings.find(
      ({ coordinate }) => coordinate === "Warehouse.capacity",
    )?.severity;
  expect([await severity("usage.txt"), await severity("none.txt")]).toEqual(["error", "note"]);
});

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
  expect(findings.find(({ stage }) => stage === "changes")).toMatchObject({
    ...{ severity: "note", change: "breaking" },
    message: expect.stringMatching(/; not used since 2025-12-29$/),
  });
  const { out } = await ran(root, ["--base", "HEAD", "--usage", "usage"]);
  expect(out).toContain("usage since 2025-12-29 (usage): 1 saved operations ran");
  const all = [5, 3, 2, 1].map((day) => ledger(daysAgo(day), { operation: "Register" })).join("");
  write(root, { "all.jsonl": all });
  expect((await reportOf(root, "--base", "HEAD", "--usage", "all.jsonl")).usage).toMatchObject({
    since: daysAgo(3),
  });
});

test.each([
  ["a ledger that ends weeks ago", ledger(daysAgo(20), { operation: "Depot" }), /the ledger ends on \d{4}/],
  ["a file without lines", "\n", /has no line of the usage ledger/],
  ["a line of something else", '{"level":30}\n', /line 1 is not a line of the usage ledger/],
])("%s is a refusal", async (_name, text, reason) => {
  const root = repository();
  write(root, { "usage.jsonl": text, "none/notes.txt": "x" });
  const refusal = async (source: string) => ran(root, ["--base", "HEAD", "--usage", source]);
  expect(await refusal("usage.jsonl")).toMatchObject({ code: 2, error: expect.stringMatching(reason) });
  expect((await refusal("none")).error).toMatch(/has no file of the usage ledger/);
});

test.each([
  [["--usage", "usage.txt"], /--usage requires --base/],
  [["--base", "HEAD", "--usage", "none.txt"], /no such file/],
  [["--base", "HEAD", "--usage", "spec/schema.graphql"], /line 1 is not a line of the usage ledger/],
  [
    ["--base", "HEAD", "--usage", "http://u:secret@127.0.0.1:1"],
    /^(?!.*secret).*must be the folder of USAGE_DIR/,
  ],
])("%o is a refusal", async (argv, reason) => {
  const { code, error } = await ran(repository(), argv);
  expect([code, error]).toEqual([2, expect.stringMatching(reason)]);
});
