/** `npm run suite -- documents`: one table over real documents, and every failure with its reason. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Argument } from "commander";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { serveChatwoot } from "./by-hand/chatwoot.ts";
import { sources } from "./list.ts";
import type { Measured } from "./measure.ts";
import { Reasons } from "./reasons.ts";

const line = await readArguments("npm run suite -- documents", (command) =>
  command
    .description(
      "Proposes, binds, generates and type-checks real documents, and serves some operations of each through Prism. npm fetches all into a cache.",
    )
    .option("--most <count>", "operations of each document, spread over it", "200")
    .addArgument(new Argument("[name...]", "some of the documents").choices(sources.map(({ name }) => name))),
);
const verdict = new Verdict("documents");
const { most } = line.opts<{ most: string }>();
const wanted = sources.filter(({ name }) => line.args.length === 0 || line.args.includes(name));

const head = [
  "document",
  "operations",
  "proposed",
  "alone",
  "together",
  "type-checked",
  "served",
  "values right",
  "CPU s",
  "MiB",
];
const printRow = (cells: readonly string[]): void => console.log(`| ${cells.join(" | ")} |`);
const printTable = (heads: readonly string[], rows: readonly (readonly string[])[]): void => {
  printRow(heads);
  console.log(`|${" --- |".repeat(heads.length)}`);
  for (const row of rows) printRow(row);
};
printTable(head, []);

const reasons = new Reasons();
const totals = { operations: 0, proposed: 0, alone: 0, together: 0, typeChecked: 0, asked: 0 };
const served = { served: 0, generated: 0, values: 0, right: 0 };
for (const source of wanted) {
  const found = measureApart(JSON.stringify(source), most);
  for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += found[key];
  for (const key of Object.keys(served) as (keyof typeof served)[]) served[key] += found.served[key];
  printRow([
    source.name,
    ...[found.operations, found.proposed, found.alone, found.together, found.typeChecked].map(String),
    ...servedCells(found.asked, found.served),
    found.seconds.toFixed(1),
    String(found.mebibytes),
  ]);
  reasons.add(source.name, found);
}

/** Of the operations that were asked, those that Prism served; of their values, those that are right. */
function servedCells(
  asked: number,
  { served: answered, values, right }: Omit<typeof served, "generated">,
): string[] {
  return [`${answered} of ${asked}`, `${right} of ${values}`];
}

function measureApart(source: string, count: string): Measured {
  const file = join(import.meta.dirname, "measure.ts");
  const printed = execFileSync(process.execPath, [file, source, count], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(printed) as Measured;
}

const { operations, proposed, alone, together, typeChecked, asked } = totals;
const sums = [
  "all",
  ...[operations, proposed, alone, together, typeChecked].map(String),
  ...servedCells(asked, served),
  "",
  "",
];
printRow(sums);
console.log("");
printTable(["reason", "operations", "values", "documents", "example"], reasons.rows);
const share = (part: number, of: number): string =>
  of === 0 ? "none" : `${((100 * part) / of).toFixed(1)} %`;
// an operation without an answer in JSON or text, or of a method that no field sends, has nothing to propose
const showable = operations - reasons.unshowable;
console.log(
  `\nproposed ${share(proposed, operations)}, of those that a field can show ${share(proposed, showable)}; bound alone ${share(alone, operations)}, together ${share(together, operations)}; values right ${share(served.right, served.values)}`,
);
console.log(
  `${served.generated} of ${served.served} answers with values that Prism makes up: the document's example is not what it allows`,
);
if (wanted.some(({ name }) => name === "Chatwoot"))
  console.log(`Chatwoot by hand: ${await serveChatwoot()} values served, none wrong`);
verdict.hold("operations", operations);
verdict.hold("proposed, of the operations that a field can show", proposed / showable);
verdict.hold("bound alone, of the proposed ones", alone / proposed);
verdict.hold("type-checked, of those that bind together", typeChecked / together);
verdict.hold("right, of the values served", served.right / served.values);
