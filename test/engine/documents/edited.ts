/**
 * `npm run suite -- edits`: random edits of what bound operations reach in real documents. `npm run check` and an oracle that
 * shares no code with it say which bound fields each edit breaks or endangers.
 */
import { Argument } from "commander";
import { randomOf } from "../../support/random.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { seed } from "../../support/seed.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { edits } from "./edits.ts";
import { specFiles } from "./fetch.ts";
import { held, snapshotOf } from "./held.ts";
import { sources } from "./list.ts";
import { argument, Sdl } from "./oracle/sdl.ts";
import { readJson } from "./oracle/ways.ts";
import { proposalsOf } from "./proposals.ts";

const usual = [
  "Directus",
  "Blockfrost",
  "Chatwoot",
  "Dialogporten",
  "ReadMe",
  "authentik",
  "CWMS",
  "Bond Sports",
  "Doppler",
];
const line = await readArguments("npm run suite -- edits", (command) =>
  command
    .description("Edits real documents at random, and holds the findings against an oracle's.")
    .option("--edits <count>", "edits of each document", "100")
    .addArgument(
      new Argument("[name...]", `some of the documents; without one, ${usual.join(", ")}`).choices(
        sources.map(({ name }) => name),
      ),
    ),
);
const verdict = new Verdict("edits");
const options = line.opts<{ edits: string }>();
const names = line.args.length > 0 ? line.args : usual;

const totals = { right: 0, missed: 0, false: 0, edits: 0, told: 0 };
for (const source of sources.filter(({ name }) => names.includes(name))) {
  const text = specFiles(source)("openapi.yaml") ?? "";
  const { schema = "" } =
    proposalsOf((name) => (name === "openapi.yaml" ? text : undefined), 20, 20).groups[0] ?? {};
  const document = JSON.stringify(readJson(text));
  const operations = new Sdl(schema).calls.flatMap(({ rest }) => argument(rest, "operation") ?? []);
  const base = snapshotOf(schema, document);
  const own = { right: 0, missed: 0, false: 0 };
  const made = edits(document, operations, Number(options.edits), randomOf(seed, source.name));
  for (const { name, document: edited } of made) {
    const { right, missed, wrong, told } = held(
      schema,
      base,
      document,
      JSON.stringify(edited),
      "the document",
    );
    if (told.length > 0) totals.edits++;
    totals.told += told.length;
    if (told.length > 1)
      console.log(
        `${source.name}, ${name}\n  TOLD ${told.map(({ rule, coordinate, message }) => `${rule} ${coordinate}: ${message}`).join("\n  TOLD ")}`,
      );
    own.right += right;
    own.missed += missed.length;
    own.false += wrong.size;
    if (missed.length > 0) console.log(`${source.name}, ${name}\n  MISSED ${missed.join(", ")}`);
    if (wrong.size > 0)
      console.log(
        `${source.name}, ${name}\n  FALSE ${[...wrong].map((each) => each.join(": ")).join("\n  FALSE ")}`,
      );
  }
  console.log(`${source.name}: right ${own.right}, missed ${own.missed}, false ${own.false}`);
  for (const key of ["right", "missed", "false"] as const) totals[key] += own[key];
}
console.log("");
verdict.hold("fields that an edit breaks, found", totals.right);
verdict.hold("fields that an edit breaks, missed", totals.missed);
verdict.hold("findings of an edit that breaks something", totals.told / totals.edits);
verdict.hold("false, of all findings", totals.false / (totals.right + totals.false));
