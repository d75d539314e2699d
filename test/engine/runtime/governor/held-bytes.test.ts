/** The bytes of REST's responses that one request may hold, and all requests of the process. */
import { expect, test } from "vitest";
import { createProcessBudgets } from "../../../../src/engine/runtime/governor/process-budgets.ts";
import { CallerHeaders, CallerProfile } from "../../../../src/engine/runtime/rest/caller-headers.ts";
import { RequestScope } from "../../../../src/engine/runtime/rest/request-scope.ts";
import { configure } from "../graphql/configure.ts";

const full = { code: "SERVICE_UNAVAILABLE", reason: "response_bytes", details: { retryAfter: 1 } };

/** Makes requests of one process, each of a caller. */
function open() {
  const config = configure({ MAX_REQUEST_BYTES: "100" });
  const shares = createProcessBudgets(config.env);
  return (caller: string) =>
    new RequestScope(
      config,
      shares,
      new CallerHeaders(new CallerProfile({}, {}, [{ name: caller, headers: [] }])),
    );
}

test("one request holds MAX_REQUEST_BYTES, and not one more", () => {
  const request = open()("one");
  expect(request.reserve(60, true)).toBeUndefined();
  expect(request.reserve(40, true)).toBeUndefined();
  expect(request.reserve(1, true)).toMatchObject({
    code: "LIMIT_EXCEEDED",
    details: { limit: "MAX_REQUEST_BYTES", value: 100 },
  });
});

test("a caller that is alone holds three times as much, and bytes that are given back can be taken again", () => {
  const request = open();
  const held = [request("one"), request("one"), request("one")];
  for (const each of held) expect(each.reserve(100, true)).toBeUndefined();
  expect(request("one").reserve(100, true)).toMatchObject({ ...full, message: /^this caller's requests/ });
  held[0]?.release(100);
  expect(held[0]?.reserve(100, true)).toBeUndefined();
  held[0]?.close();
  expect(request("one").reserve(100, true)).toBeUndefined();
});

test("a caller that holds nothing is served beside one that holds all it may", () => {
  const request = open();
  while (!request("one").reserve(1, true));
  expect(request("other").reserve(100, true)).toBeUndefined();
});

test("the response to a write is taken by a full process, because the write is done", () => {
  const request = open();
  while (!request("one").reserve(1, true));
  expect(request("one").reserve(100, false)).toBeUndefined();
  expect(request("one").reserve(101, false)).toMatchObject({ code: "LIMIT_EXCEEDED" });
});
