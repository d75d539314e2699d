/**
 * `npm run suite -- history`: real versions of real documents, one after another. `npm run check` and an oracle that shares no
 * code with it say which bound fields each step breaks or endangers. Its reports are valid SARIF by the published schema.
 */
import { execFileSync } from "node:child_process";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { Argument } from "commander";
import { formatSarif } from "../../../src/engine/build/check/format/sarif.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { fetchDocument } from "./fetch.ts";
import { held, snapshotOf } from "./held.ts";
import { proposalsOf } from "./proposals.ts";

const histories = [
  { package: "@figma/rest-api-spec", file: "openapi/openapi.yaml", from: "0.20.0", most: 60 },
  { package: "@octokit/openapi", file: "generated/api.github.com.json", from: "10.0.0", most: 30 },
  { package: "@goauthentik/api", file: "schema.yml", from: "2025.12.6", most: 60 },
  { package: "@blockfrost/openapi", file: "openapi.yaml", from: "0.1.84", most: 40 },
  {
    package: "@digdir/dialogporten-schema",
    file: "swagger.verified.json",
    from: "1.7.1-18101c1",
    most: 60,
  },
];

const line = await readArguments("npm run suite -- history", (command) =>
  command
    .description("Compares versions of real documents, and holds the findings against an oracle's.")
    .addArgument(
      new Argument("[package...]", "some of the packages").choices(histories.map((each) => each.package)),
    ),
);
const verdict = new Verdict("history");
const isSarif = sarifValidator();
let schema = "";
const totals = { steps: 0, right: 0, missed: 0, false: 0 };
for (const history of histories) {
  if (line.args.length > 0 && !line.args.includes(history.package)) continue;
  schema = "";
  const versions = versionsOf(history.package, history.from);
  for (const [index, version] of versions.entries()) {
    const before = versions[index - 1];
    if (before !== undefined) compare(history, before, version);
  }
}
console.log("");
verdict.hold("steps from one version to the next", totals.steps);
verdict.hold("fields that a step breaks, found", totals.right);
verdict.hold("fields that a step breaks, missed", totals.missed);
verdict.hold("false, of all findings", totals.false / (totals.right + totals.false));

function compare(
  { package: name, file, most }: (typeof histories)[number],
  older: string,
  newer: string,
): void {
  const [old, now] = [older, newer].map((version) =>
    fetchDocument({ package: `${name}@${version}`, file }),
  ) as [string, string];
  const step = `${name} ${older} → ${newer}`;
  totals.steps++;
  if (old === now) return console.log(`${step}: the same`);
  // the schema of the step before, as long as it fits
  if (!fits(old))
    schema =
      proposalsOf((name) => (name === "openapi.yaml" ? old : undefined), most, most).groups[0]?.schema ?? "";
  const { report, fields, right, missed, wrong } = held(schema, snapshotOf(schema, old), old, now, older);
  if (!isSarif(JSON.parse(formatSarif(report))))
    throw new Error(`${step}: not SARIF: ${JSON.stringify(isSarif.errors)}`);
  totals.right += right;
  totals.missed += missed.length;
  totals.false += wrong.size;
  console.log(
    `${step}: ${fields} fields, ${right + wrong.size} found, ${missed.length} missed, ${wrong.size} false`,
  );
  for (const each of missed) console.log(`  MISSED ${each}`);
  for (const [each, message] of wrong) console.log(`  FALSE ${each}: ${message}`);
}

function fits(text: string): boolean {
  return schema !== "" && snapshotOf(schema, text).diagnostics.every(({ severity }) => severity !== "error");
}

function versionsOf(name: string, from: string): string[] {
  const printed = execFileSync("npm", ["view", name, "versions", "--json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const versions = JSON.parse(printed) as string[];
  const index = versions.indexOf(from);
  if (index === -1) throw new Error(`${name}: the registry has no version ${from} any more`);
  return versions.slice(index);
}

/**
 * The schema of OASIS for SARIF 2.1.0. It is of draft 4, of whose keywords it uses none that later drafts read otherwise. GitHub
 * refuses a file in which a result has no location.
 */
function sarifValidator() {
  const text = fetchDocument({
    package: "@microsoft/jest-sarif@1.0.0-beta.0",
    file: "lib/schemas/sarif-2.1.0-rtm.5.json",
  });
  const { $schema: _, id: __, ...schema } = JSON.parse(text);
  schema.definitions.result.required.push("locations");
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  return ajv.compile(schema);
}
