/** Maps of REST in `check --base`, `explain` and `propose`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { run as explain } from "../../../../src/engine/build/explain/explain-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { stepReport } from "./in-memory.ts";
import { edited, ran, reportOf, repository, silent, write } from "./run.ts";

const folder = join(import.meta.dirname, "../codegen/cases/maps");
const openapi = readFileSync(join(folder, "openapi.yaml"), "utf8");
const schema = readFileSync(join(folder, "schema.graphql"), "utf8");
const files = {
  "spec/openapi.yaml": openapi,
  "spec/schema.graphql": schema,
  "spec/rest-only.yaml": "",
  "spec/operations/depot.graphql": "query Rounds { rounds { key value } }\n",
};
const scores = 'additionalProperties: { $ref: "#/components/schemas/Score" }';

async function changesFrom(from: string, to: string, base = openapi) {
  const was = { ...files, "spec/openapi.yaml": base };
  const { changes } = await stepReport(was, { "spec/openapi.yaml": edited(base, from, to) });
  return changes.map(({ rule, class: kind, coordinates }) => [rule, kind, coordinates.join(" ")]);
}

test("a change of a map's values reaches the fields of its entries, and that of a map the list", async () => {
  expect(await changesFrom("points: { type: integer }", "points: { type: number }")).toEqual([
    ["output-type", "breaking", "PlayerScore.points"],
  ]);
  for (const now of ["additionalProperties: true", "additionalProperties: false", ""])
    expect(await changesFrom(`type: object, ${scores}`, `type: object, ${now}`)).toEqual([
      ["map-unfit", "breaking", expect.stringContaining("Query.scores")],
    ]);
  const marks = "additionalProperties: { type: array, items: { type: string } }";
  expect(await changesFrom(marks, "additionalProperties: { type: array, items: { type: integer } }")).toEqual(
    [["output-type", "breaking", "Day.marks"]],
  );
  expect(await changesFrom("propertyNames: { format: date }", "propertyNames: {}")).toMatchObject([
    ["scalar-format", "breaking", "Day.date"],
  ]);
});

test("a property beside the entries, and a map that no field shows as its entries, reach no entry", async () => {
  const one = "properties: { points: { type: integer }, teamId: { type: string } }";
  const open = edited(openapi, one, `${one}\n      additionalProperties: { type: string }`);
  expect(
    await changesFrom("additionalProperties: { type: string }", "additionalProperties: true", open),
  ).toEqual([]);
});

test("a directive that is added or removed is a change of the binding", async () => {
  const withoutDirective = edited(
    schema,
    'days: [Day!] @restName(name: "value") @restEntries',
    'days: JSON @restName(name: "value")',
  );
  const withoutType = edited(withoutDirective, /type Day \{[^}]*\}\n/.exec(schema)?.[0] ?? "", "");
  const { changes } = await stepReport(files, { "spec/schema.graphql": withoutType });
  expect(changes.map(({ message }) => message)).toContain(
    "Season.days is bound differently now: property value, it was the entries of property value",
  );
});

test("explain names the entries, of a call and of a property", async () => {
  const root = repository(files);
  expect((await ran(root, ["Query.scores"], explain)).out).toContain(
    "  result: byPlayer\n  as a list of the map's entries\n",
  );
  expect((await ran(root, ["Board.seasons"], explain)).out).toContain(
    'the entries of property "seasons" of its parent\'s REST object; no REST call',
  );
});

test("propose prints a type for the entries of a map, and binds", async () => {
  const root = repository({
    ...files,
    "spec/schema.graphql": 'type Query {\n  rounds: JSON @rest(operation: "getRounds")\n}\nscalar JSON\n',
  });
  const { out } = await ran(root, ["getBoard", "getScores", "getRanks"], propose);
  expect(out).toContain("  seasons: [BoardSeasonsEntry!] @restEntries\n");
  expect(out).toMatch(
    /type BoardSeasonsEntry \{\n {2}key: String!\n {2}value: \[BoardSeasonsEntryValueEntry!\] @restEntries\n\}/,
  );
  expect(out).toMatch(/type BoardSeasonsEntryValueEntry \{\n {2}key: Date!\n {2}value: \[String!\]!\n\}/);
  expect(out).toMatch(/type BoardPrizesEntry \{\n {2}key: String!\n {2}value: BoardPrizesEntryValue!\n\}/);
  expect(out).toContain('@rest(operation: "getScores", result: "byPlayer") @restEntries');
  expect(out).toContain('@rest(operation: "getRanks") @restEntries');
  const start = readFileSync(join(root, "spec/schema.graphql"), "utf8");
  write(root, {
    "spec/schema.graphql": `${start}${out}\n`,
    "spec/operations/depot.graphql": "query Ranks { ranks(players: []) { key value } }\n",
    "spec/rest-only.yaml": "getTeam: not asked for\nlistProfiles: not asked for\n",
  });
  await codegen([], { root, ...silent });
  const { findings } = await reportOf(root);
  expect(findings.map(({ message }) => message)).toEqual([]);
});
