/**
 * Two tenants, one process: what one key at its rate limit (20 requests a second), or ten keys with ten requests a second
 * each, can do to the other by the bytes and the processor time of its requests.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Argument } from "commander";
import { Pool } from "undici";
import { memoryMiB } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { headers, query, startRest, startRole } from "./role.ts";

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

async function victim(pool: Pool, ms: number): Promise<{ times: number[]; failed: number }> {
  const times: number[] = [];
  let failed = 0;
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) {
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      path: "/v1/graphql",
      method: "POST",
      headers: { ...headers, "x-api-key": "victim" },
      body: query,
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"')) failed++;
    times.push(performance.now() - began);
  }
  return { times, failed };
}

/** One request in `1 / perSecond` s, whatever comes back; each document is another one. The keys take turns. */
async function attack(
  pool: Pool,
  document: string,
  { keys, perSecond }: Rate,
  ms: number,
): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>();
  const sent: Promise<void>[] = [];
  const began = performance.now();
  const one = async (index: number): Promise<void> => {
    const body = JSON.stringify({ query: `${document} # ${index}` });
    const outcome = await pool
      .request({
        path: "/v1/graphql",
        method: "POST",
        headers: { ...headers, "x-api-key": `key${index % keys}` },
        body,
      })
      .then(async (answer) => {
        let bytes = 0;
        let start = "";
        for await (const chunk of answer.body) {
          if (start.length < 2_000) start += String(chunk);
          bytes += chunk.length;
        }
        return `${answer.statusCode} ${/"code":"(\w+)"/.exec(start)?.[1] ?? `${(bytes / 1e6).toFixed(0)} MB`}`;
      })
      .catch((error: NodeJS.ErrnoException) => error.code ?? String(error));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  while (performance.now() - began < ms) {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    while (sent.length < due) sent.push(one(sent.length));
    await sleep(5);
  }
  await Promise.all(sent);
  return outcomes;
}

for (const [name, document] of Object.entries(attacks)) {
  if (args.length > 0 && !args.includes(name)) continue;
  const role = await startRole(rest.url, { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` });
  const pool = new Pool(role.url.origin, { connections: 1_000, pipelining: 1 });
  await victim(pool, 3_000); // warms up
  const before = await victim(pool, 3_000);
  const rate = name.endsWith("ten keys") ? tenKeys : oneKey;
  const attacking = attack(pool, document, rate, seconds * 1_000);
  const during = await victim(pool, seconds * 1_000);
  const peak = memoryMiB(role, "VmHWM");
  const outcomes = await Promise.race([attacking, sleep(20_000).then(() => new Map([["unanswered", 1]]))]);
  const ratio = at(during.times, 0.95) / at(before.times, 0.95);
  process.stdout.write(
    `${name} (${document.length} characters): the other's p50 ${at(before.times, 0.5).toFixed(1)} → ${at(during.times, 0.5).toFixed(1)} ms, p95 ${at(before.times, 0.95).toFixed(1)} → ${at(during.times, 0.95).toFixed(1)} ms (${ratio.toFixed(1)} ×), ${during.failed} of ${during.times.length} failed; ${[...outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(", ")}; ${peak.toFixed(0)} MiB\n`,
  );
  verdict.hold("p95 of the other tenant, of what it was", ratio, name);
  verdict.hold("memory at most", peak, name);
  verdict.hold("failed requests of the other tenant", during.failed, name);
  verdict.hold("processes that ended", role.child.exitCode === null ? 0 : 1, name);
  await pool.destroy();
  await role.stop();
}
rest.close();
