/** The work of a request on REST's responses, beside another caller's. */
import { expect, onTestFinished, test, vi } from "vitest";
import { createProcessBudgets } from "../../../../src/engine/runtime/governor/process-budgets.ts";
import { largeBody } from "../../../../src/engine/runtime/governor/work-costs.ts";
import { CallerHeaders, CallerProfile } from "../../../../src/engine/runtime/rest/caller-headers.ts";
import { RequestScope } from "../../../../src/engine/runtime/rest/request-scope.ts";
import { RestResponse } from "../../../../src/engine/runtime/rest/rest-response.ts";
import { configure } from "../graphql/configure.ts";

/** Two requests of one caller that hold so many bytes of responses. Another caller has sent a request. */
function twoRequests(bytes: number) {
  const config = configure({});
  const shares = createProcessBudgets(config.env);
  shares.processor.enter("other");
  return ["busy", "busy"].map((caller) => {
    const scope = new RequestScope(
      config,
      shares,
      new CallerHeaders(new CallerProfile({}, {}, [{ name: caller, headers: [] }])),
    );
    scope.reserve(bytes, true);
    return scope;
  }) as [RequestScope, RequestScope];
}

test("work on large responses waits for a turn of its caller, also when another request used up this one", async () => {
  vi.useFakeTimers({
    toFake: ["performance", "setImmediate", "clearImmediate", "setTimeout", "clearTimeout"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const [first, second] = twoRequests(largeBody);
  first.charge(6);
  const done: string[] = [];
  const work = second.completed(() => void done.push("second"));
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(15);
  await work;
  expect(done).toEqual(["second"]);
});

test("a small response of many values is parsed at once, and its parsing is charged", async () => {
  const [scope] = twoRequests(0);
  const lists = "[".repeat(4_000) + "]".repeat(4_000);
  const many = new RestResponse(200, {}, lists, 80_000);
  const few = new RestResponse(200, {}, "[]", 2);
  for (const response of [many, few]) await scope.read(response, true);
  expect([many.unparsed, few.unparsed]).toEqual([0, 2]);
});

test("work on small responses never waits", () => {
  const [first, second] = twoRequests(largeBody - 1);
  first.charge(6);
  expect(second.completed(() => "done")).toBe("done");
});
