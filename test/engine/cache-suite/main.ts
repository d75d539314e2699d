/**
 * `npm run suite -- caches`: the public suite of tests for HTTP caches against the REST client. One table, and a reason for each
 * required or optional case that does not pass. Most of the time it waits: responses become stale.
 */

import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { SuiteClient } from "./client.ts";
import { reasons } from "./reasons.ts";
import { type Case, readGroups, readResults, run, startOrigin } from "./suite.ts";

await readArguments("npm run suite -- caches", (line) =>
  line.description(
    "Runs the public tests for HTTP caches (cache-tests.fyi), which npm fetches into a cache.",
  ),
);
const groups = await readGroups();
const origin = await startOrigin();
const client = new SuiteClient(origin.url);
const results = await run(groups, client.fetch, origin.url);
await client.close();
origin.close();

const byId = new Map(groups.flatMap(({ tests }) => tests.map((one) => [one.id, one])));
const kinds = ["required", "optimal", "check"] as const;
const kindOf = ({ kind = "required" }: Case): (typeof kinds)[number] => kind;

/** Why a case did not pass. `undefined`: there is no reason. */
function reasonOf(one: Case): string | undefined {
  const own = reasons.find(({ cases }) => cases.test(one.id))?.because;
  if (own !== undefined) return own;
  const ground = one.depends_on?.map((id) => byId.get(id)).find((on) => on && results[on.id] !== true);
  return ground && kindOf(ground) !== "check" ? reasonOf(ground) : undefined;
}

const count = (
  of: readonly Case[],
  kind: Case["kind"],
  from: typeof results,
): [passed: number, run: number] => {
  const given = of.filter((one) => kindOf(one) === kind && from[one.id] !== undefined);
  return [given.filter(({ id }) => from[id] === true).length, given.length];
};
const row = (name: string, of: readonly Case[], from = results): string =>
  `| ${[name, ...kinds.map((kind) => count(of, kind, from).join(" of "))].join(" | ")} |`;

const all = groups.flatMap(({ tests }) => tests);
console.log("| cases | required | optional | questions: yes |\n| --- | --- | --- | --- |");
for (const { name, tests } of groups) if (tests.some(({ id }) => results[id])) console.log(row(name, tests));
console.log(row("all", all));
for (const name of ["chrome", "firefox", "safari"])
  console.log(row(`for scale: ${name}`, all, await readResults(name)));

const failed: string[] = [];
const excused = new Map<string, string[]>();
for (const one of all) {
  const result = results[one.id];
  if (result === undefined || result === true || one.kind === "check") continue;
  const because = reasonOf(one);
  if (because === undefined) failed.push(`FAIL  ${one.id}: ${one.name}: ${result.join(": ")}`);
  else excused.set(because, [...(excused.get(because) ?? []), one.id]);
}
for (const [because, ids] of excused) console.log(`\n${ids.length} × ${because}\n  ${ids.join(" ")}`);
const needless = reasons.filter(({ because }) => !excused.has(because));
console.log("");
for (const line of failed) console.log(line);
for (const { because } of needless) console.log(`FAIL  no case needs the reason: ${because}`);
const verdict = new Verdict("caches");
verdict.hold("required cases that pass", count(all, "required", results)[0]);
verdict.hold("required or optional cases that fail without a reason", failed.length);
verdict.hold("reasons that no case needs", needless.length);
