/**
 * Whatever REST answers becomes data or a coded error, and none of its words become part of a failure, in the answer or in
 * the log.
 */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { api } from "../../../generated/index.ts";
import { inFrontOf } from "../../engine/runtime/graphql/rest-stand-in.ts";
import { sendRaw } from "../../support/raw-client.ts";
import { fuzz, timeout } from "./fuzz.ts";
import { canary, judge } from "./judge.ts";
import { operations, rightAnswer } from "./operations.ts";
import { bytesOf, type Reply, reply, rightReply } from "./replies.ts";

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
async function openBetween() {
  let replies: readonly Reply[] = [];
  let count = 0;
  const environment = { LOG_LEVEL: "debug", CALL_TIMEOUT_MS: "200", REQUEST_TIMEOUT_MS: "1500" };
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
    api,
  );
  const ask = async (content: string, ...given: Reply[]) => {
    replies = given;
    count = 0;
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
  address: "+12025550143",
  body: "b",
  key: "k",
  yes: true,
};
const request = (query: string): string => JSON.stringify({ query, variables });

const everyProduct =
  '{ me { id } conversations { id } agents { id } contacts { id } metrics { name } message(id: "1") { id } }';

/** Whatever happened, right answers come through again as soon as the breakers let them. */
async function untilWell(ask: () => Promise<readonly unknown[]>): Promise<void> {
  const began = performance.now();
  while ((await ask()).length > 0) {
    if (performance.now() - began > 60_000) throw new Error("right answers do not come through any more");
    await sleep(20);
  }
}

test("any REST response becomes data or a coded error", { timeout }, async () => {
  const logged = watchLog(); // before the roles: a logger that exists already writes past it
  const ask = await openBetween();
  for (const query of operations) await untilWell(() => ask(request(query)));
  const arbitrary = fc.record({
    query: fc.constantFrom(...operations),
    replies: fc.array(reply, { minLength: 1, maxLength: 4 }),
  });
  const reached = { data: 0, failed: 0, lines: 0 };
  await fuzz("upstream answers", arbitrary, reached, async ({ query, replies }) => {
    const errors = await ask(request(query), ...replies);
    // only a refusal of REST's makes it the client's doing
    if (!replies.some(({ status }) => /^4(00|22) /.test(status)))
      expect(errors).not.toContainEqual(
        expect.objectContaining({ extensions: expect.objectContaining({ code: "BAD_USER_INPUT" }) }),
      );
    reached[errors.length === 0 ? "data" : "failed"]++;
    await untilWell(() => ask(request(everyProduct)));
    const lines = logged();
    expect(lines).not.toContain(canary);
    if (lines.includes("field failed")) reached.lines++;
  });
});
