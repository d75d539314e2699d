/**
 * Two tenants, one process: what one key at its rate limit (20 requests a second), or ten keys with ten requests a second
 * each, can do to the other by the bytes and the processor time of its requests. Each tenant is a process of its own, and the
 * attacker's gives way to the other programs of its core: it must take no time from the clock of the other tenant or from REST.
 */
import { Argument } from "commander";
import { memoryMiB, waitedMs } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { startRest, startRole } from "./role.ts";
import { startTenant } from "./tenant.ts";

const seconds = Number(process.env.SECONDS ?? 8);
type Rate = { readonly keys: number; readonly perSecond: number };
const oneKey: Rate = { keys: 1, perSecond: 20 };
const tenKeys: Rate = { keys: 10, perSecond: 100 };
const lists = (count: number, field: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`).join(" ");
const repeat = (count: number, text: string): string => Array.from({ length: count }, () => text).join(" ");
/** Each index is another call. */
const messages = (index: number, below: string): string =>
  `conversationsConnection(first: 100, assigneeId: "agt_${index}") { nodes { messages(last: ${20 - index}) { ${below} } } }`;
const thread = (depth: number): string =>
  depth === 0 ? "id name" : `id conversations(first: 20) { id subject contact { ${thread(depth - 1)} } }`;
const members =
  "... on ContactAuthor { contactId } ... on AgentAuthor { agentId } ... on UserAuthor { userId } ";

const nested = `{ contacts { ${thread(3)} } }`;
const attacks: Record<string, string> = {
  "large lists": `{ ${lists(10, (index) => messages(index, "id body"))} }`,
  "one large list": `{ ${messages(0, "id body")} }`,
  "aliases of large lists": `{ ${lists(20, (index) => `contactsConnection(first: 100, q: "${index}") { nodes { id name email company } }`)} }`,
  "one field 700 times": `{ message(id: "1") { ${repeat(700, "author { __typename }")} } }`,
  "unions of 20 kB": `{ ${messages(0, `author { ${members.repeat(200)} }`)} }`,
  "nested links": nested,
  "nested links, ten keys": nested,
  "nested links within the bound": `{ contacts { ${thread(2)} } }`,
  "aliases of nested links": `{ ${lists(8, (index) => `contacts(q: "${index}") { ${thread(1)} }`)} }`,
};

const { args } = await readArguments("npm run suite -- two-tenants", (line) =>
  line
    .description("Measures what one tenant's costly requests do to another tenant.")
    .addArgument(new Argument("[attack...]", "some of them").choices(Object.keys(attacks))),
);
const verdict = new Verdict("two-tenants");

/** The heap that `deploy/kubernetes` gives the role. */
const heapMiB = 768;
const rest = await startRest(0, "./large-rest.ts");
const sorted = (times: number[]): number[] => times.sort((a, b) => a - b);
const at = (times: number[], part: number): number =>
  sorted(times)[Math.floor(times.length * part)] ?? Number.NaN;

for (const [name, document] of Object.entries(attacks)) {
  if (args.length > 0 && !args.includes(name)) continue;
  const role = await startRole(rest.url, { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` });
  const other = startTenant(role.url);
  const attacker = startTenant(role.url, 10);
  await other.ask(3_000); // warms up
  const before = await other.ask(3_000);
  const rate = name.endsWith("ten keys") ? tenKeys : oneKey;
  const waited = waitedMs(role);
  const attacking = attacker.attack({ document, ...rate, ms: seconds * 1_000 });
  const during = await other.ask(seconds * 1_000);
  const starved = (waitedMs(role) - waited) / (seconds * 10);
  const peak = memoryMiB(role, "VmHWM");
  const outcomes = await attacking;
  const ratio = at(during.times, 0.95) / at(before.times, 0.95);
  const change = (part: number): string =>
    `${at(before.times, part).toFixed(1)} → ${at(during.times, part).toFixed(1)} ms`;
  const found = Object.entries(outcomes).map(([outcome, count]) => `${count} × ${outcome}`);
  process.stdout.write(
    `${name} (${document.length} characters): the other's p50 ${change(0.5)}, p95 ${change(0.95)} (${ratio.toFixed(1)} ×), ${during.failed} of ${during.times.length} failed; the role waited for its core ${starved.toFixed(0)} % of the time; ${found.join(", ")}; ${peak.toFixed(0)} MiB\n`,
  );
  verdict.hold("p95 of the other tenant, of what it was", ratio, name);
  verdict.hold("memory at most", peak, name);
  verdict.hold("failed requests of the other tenant", during.failed, name);
  verdict.hold("processes that ended", role.child.exitCode === null ? 0 : 1, name);
  other.stop();
  attacker.stop();
  await role.stop();
}
rest.close();
