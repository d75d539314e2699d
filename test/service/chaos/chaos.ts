/**
 * Forty clients of mixed manners (they leave, stop in the middle of a body, read slowly, pipeline, send GETs, batches, ids
 * and mutations) over a REST that fails in every way: `npm run suite -- chaos --minutes 10`. Criterion: the process
 * lives with the heap of a container of 512 MiB and fits in it, each whole answer is GraphQL with known codes and no fault of
 * ours, and holds the data of its own caller in its own place; in the end no gauge is above 0.
 */
import { codes } from "../../../src/engine/shared/error-codes.ts";
import { pinSelf } from "../../support/child-process.ts";
import { Random } from "../../support/random.ts";
import { positive, readArguments } from "../../support/script-arguments.ts";
import { seed } from "../../support/seed.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { manners } from "./clients.ts";
import { graphqlAlone, hasEnded, leftovers, residentOf, timersOf } from "./house.ts";
import { startFaultyRest } from "./rest.ts";

const clients = 40;
const callers = 8;

type Found = Readonly<Record<string, unknown>>;

/** Data of another caller, or a linked object below another's parent. */
function misplaced(value: unknown, key: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, company, contact, assignee, me } = value as Found;
  const idOf = (linked: unknown): unknown => (linked as Found | null | undefined)?.id;
  const [, number] = /^cnv_(\d+)$/.exec(String(id)) ?? [];
  const expected: readonly (readonly [found: unknown, wanted: string])[] = [
    [typeof company === "string" ? company.split(" ")[0] : undefined, key],
    [idOf(me), key],
    ...(number === undefined
      ? []
      : ([
          [idOf(contact), `con_${number}`],
          [idOf(assignee), `agt_${Number(number) % 10}`],
        ] as const)),
  ];
  const wrong = expected.find(([found, wanted]) => found !== undefined && found !== wanted);
  if (wrong) return `${wrong[0]} in the place of ${wrong[1]}`;
  for (const below of Object.values(value)) {
    const found = misplaced(below, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is wrong with an answer that a client has read to its end. */
function faultOf(text: string, key: string): string | undefined {
  try {
    for (const one of [JSON.parse(text)].flat()) {
      if (one.data === undefined && one.errors === undefined)
        return `neither data nor errors: ${text.slice(0, 200)}`;
      for (const { extensions } of one.errors ?? [])
        if (!(extensions?.code in codes) || extensions.code === "INTERNAL_SERVER_ERROR")
          return JSON.stringify(one.errors).slice(0, 300);
      const found = misplaced(one.data, key);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch {
    return `no JSON: ${text.slice(0, 200)}`;
  }
}

const line = await readArguments("npm run suite -- chaos", (given) =>
  given
    .description("Forty clients of mixed manners over a REST that fails in every way.")
    .option("--minutes <number>", "how long", positive, 1),
);
const { minutes } = line.opts<{ minutes: number }>();
const verdict = new Verdict("chaos");
pinSelf(1);
const rest = await startFaultyRest(seed, 0.04, 0.3);
const house = await graphqlAlone(rest);
const timers = await timersOf(house);
const faults: string[] = [];
let sent = 0;
let whole = 0;
const until = performance.now() + minutes * 60_000;
async function client(_: unknown, index: number): Promise<void> {
  const random = new Random(seed, index);
  while (performance.now() < until && !hasEnded(house)) {
    sent++;
    const key = `key-${random.int(callers)}`;
    const answer = await random.pick(manners)(house.url, key, random);
    if (!answer) continue;
    whole++;
    const fault = faultOf(answer.text, key);
    if (fault !== undefined) faults.push(`${answer.status} ${fault}`);
  }
}
await Promise.all(Array.from({ length: clients }, client));
const left = await leftovers(house, timers);
process.stdout.write(`${sent} requests\n`);
for (const line of [...faults.slice(0, 3), ...left]) process.stdout.write(`${line}\n`);
verdict.hold("whole answers", whole);
verdict.hold("wrong answers", faults.length);
verdict.hold("things left over", left.length);
if (!hasEnded(house)) verdict.hold("resident memory", residentOf(house));
for (const program of house.programs) await program.stop();
await rest.stop();
