/**
 * Whatever REST answers: random JSON in place of the answer, right answers with values changed, statuses, headers, bytes
 * that are no HTTP, all of it cut off anywhere. On both ways of running, and looked for in the log too.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { inFrontOf } from "../graphql/rest-stand-in.ts";
import { fuzz, timeout } from "./fuzz.ts";
import { hostileNames, jsonText } from "./hostile.ts";
import { canary, judge } from "./judge.ts";
import { operations, rightAnswer } from "./operations.ts";
import { sendRaw } from "./raw-client.ts";

/** One answer, made from the right one; `cut` leaves that part of it, and then `after` happens to the connection. */
type Reply = {
  readonly body: (right: object) => Buffer;
  readonly status: string;
  readonly headers: readonly string[];
  readonly cut: number;
  readonly after: "keep" | "end" | "reset";
};

const value: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: jsonText },
  {
    weight: 2,
    arbitrary: fc.constantFrom(`"${canary}"`, `{"a":"${canary}"}`, `["${canary}"]`, `{"id":"${canary}"}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`{"detail":"${canary}","argument":"id"}`, '{"argument":"__proto__"}', ""),
  },
);

/** The right answer's text with some of its values, or names, replaced. */
const changed = fc
  .array(fc.record({ at: fc.nat(), put: value, name: fc.option(fc.constantFrom(...hostileNames)) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((edits) => (right: object): Buffer => {
    const text = edits.reduce((current, { at, put, name }) => {
      const places = [...current.matchAll(/"(\w+)":("[^"]*"|[\w.]+|\[[^[\]]*\]|\{[^{}]*\})/g)];
      const place = places[at % Math.max(places.length, 1)];
      if (!place) return current;
      const [whole, key] = place;
      const member = `${JSON.stringify(name ?? key)}:${put || "null"}`;
      return current.slice(0, place.index) + member + current.slice(place.index + whole.length);
    }, JSON.stringify(right));
    return Buffer.from(text);
  });

const body: Arbitrary<Reply["body"]> = fc.oneof(
  { weight: 8, arbitrary: changed },
  { weight: 3, arbitrary: fc.constant((right: object) => Buffer.from(JSON.stringify(right))) },
  { weight: 3, arbitrary: value.map((text) => () => Buffer.from(text)) },
  { weight: 2, arbitrary: value.map((text) => () => Buffer.from(`{"items":[${text || "1"}]}`)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => () => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant((right: object) => gzipSync(JSON.stringify(right))) },
);

const rightReply: Reply = {
  body: (right) => Buffer.from(JSON.stringify(right)),
  status: "200 OK",
  headers: [],
  cut: 1,
  after: "keep",
};
const status = fc.oneof(
  { weight: 12, arbitrary: fc.constant("200 OK") },
  fc.integer({ min: 200, max: 599 }).map((code) => `${code} ${canary}`),
  fc.constantFrom(
    "201 X",
    "204 X",
    "205 X",
    "304 X",
    "307 X",
    "400 X",
    "404 X",
    "422 X",
    "429 X",
    "500 X",
    "503 X",
  ),
  fc.constantFrom("100 X", "101 X", "103 X", "0 X", "99 X", "600 X", "999 X", canary),
);
const header = fc.oneof(
  fc.constantFrom(
    "retry-after: 0",
    "retry-after: 60",
    "retry-after: -1",
    `retry-after: ${canary}`,
    "retry-after: 1e400",
  ),
  fc.constantFrom(
    "retry-after: Wed, 21 Oct 2099 07:28:00 GMT",
    "retry-after: 99999999999999999999",
    "retry-after:",
  ),
  fc.constantFrom(
    "content-type: text/html",
    "content-type: application/problem+json",
    "content-type:",
    "a: b",
  ),
  fc.constantFrom("content-type: application/json;charset=utf-16", `set-cookie: ${canary}`, `x-a: ${canary}`),
  fc.constantFrom(
    "content-encoding: gzip",
    "content-encoding: br",
    "content-encoding: __proto__",
    "connection: close",
  ),
  fc.constantFrom(
    "content-length: 0",
    "content-length: 9999999999",
    "content-length: -1",
    "transfer-encoding: chunked",
  ),
  fc.constantFrom(
    `location: http://${canary}.example/`,
    "upgrade: h2c",
    "trailer: a",
    "connection: upgrade",
    "__proto__: a",
  ),
  fc.nat({ max: 40_000 }).map((size) => `x-large: ${"a".repeat(size)}`),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);
const reply: Arbitrary<Reply> = fc.record({
  body,
  status,
  headers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(header, { maxLength: 2 })),
  cut: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
  after: fc.oneof(
    { weight: 6, arbitrary: fc.constant("keep" as const) },
    fc.constantFrom("end" as const, "reset" as const),
  ),
});

function bytesOf({ body, status, headers, cut }: Reply, right: object): Buffer {
  const content = body(right);
  const all = ["content-type: application/json", `content-length: ${content.length}`, ...headers];
  const kept = all.filter(
    (line, index) => !all.slice(index + 1).some((later) => nameOf(later) === nameOf(line)),
  );
  const whole = Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${kept.join("\r\n")}\r\n\r\n`, "latin1"),
    content,
  ]);
  return whole.subarray(0, Math.floor(whole.length * cut));
}
const nameOf = (line: string): string => line.split(":")[0] ?? "";

/** All that has been logged since it was last asked. */
function watchLog(): () => string {
  const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  onTestFinished(() => write.mockRestore());
  return () => {
    const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
    write.mockClear();
    return text;
  };
}

/** The role in front of a REST whose answers follow `replies` in turn, and are right when there are none. */
async function openBetween(planned: boolean) {
  let replies: readonly Reply[] = [];
  let count = 0;
  const environment = { LOG_LEVEL: "debug", CALL_TIMEOUT_MS: "100", REQUEST_TIMEOUT_MS: "1500" };
  const { url } = await inFrontOf(
    (request) => {
      const right = rightAnswer(request.url ?? "") ?? {};
      const chosen = replies[count++ % replies.length] ?? rightReply;
      // also the right answers as bytes: the server does not know of the others, and would hold these back behind them
      request.socket.write(bytesOf(chosen, right));
      if (chosen.after === "reset") setImmediate(() => request.socket.resetAndDestroy());
      else if (chosen.after === "end" || chosen.cut < 1) request.socket.end();
    },
    environment,
    planned,
  );
  const ask = async (content: string, ...given: Reply[]) => {
    [replies, count] = [given, 0];
    const head = `POST /v1/graphql HTTP/1.1\r\nhost: a\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(content)}\r\n\r\n`;
    const answer = await sendRaw(Number(url.port), Buffer.from(head + content));
    if (!answer) throw new Error("no answer");
    return judge(answer);
  };
  return ask;
}

const variables = {
  first: 2,
  id: "1",
  last: 3,
  q: "a",
  channel: "sms",
  to: "+12025550143",
  body: "b",
  key: "k",
  yes: true,
};
const request = (query: string): string => JSON.stringify({ query, variables });

const everyProduct =
  '{ me { id } conversations { id } agents { id } contacts { id } metrics { name } message(id: "1") { id } }';

/** Whatever happened, right answers come through again as soon as the breakers let them. */
async function untilWell(ask: () => Promise<readonly unknown[]>): Promise<void> {
  for (let tries = 0; (await ask()).length > 0; tries++) {
    if (tries > 100) throw new Error("right answers do not come through any more");
    await sleep(20);
  }
}

test("what REST answers becomes data or a coded error, whatever it is", { timeout }, async () => {
  const roles = { plan: await openBetween(true), graphqlJs: await openBetween(false) };
  const logged = watchLog();
  const arbitrary = fc.record({
    role: fc.constantFrom("plan" as const, "graphqlJs" as const),
    query: fc.constantFrom(...operations),
    replies: fc.array(reply, { minLength: 1, maxLength: 4 }),
  });
  const reached = { data: 0, failed: 0 };
  await fuzz("upstream answers", arbitrary, async ({ role, query, replies }) => {
    const errors = await roles[role](request(query), ...replies);
    reached[errors.length === 0 ? "data" : "failed"]++;
    await untilWell(() => roles[role](request(everyProduct)));
    expect(logged()).not.toContain(canary);
  });
  expect(Math.min(reached.data, reached.failed)).toBeGreaterThan(0);
});
