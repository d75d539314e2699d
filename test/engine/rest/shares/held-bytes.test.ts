/** The bytes of REST's responses that one request may hold, and all requests of the process. */
import { expect, test } from "vitest";
import { PresentCallers } from "../../../../src/engine/rest/shares/caller.ts";
import { HeldBytes } from "../../../../src/engine/rest/shares/shares.ts";

const full = { code: "SERVICE_UNAVAILABLE", reason: "response_bytes", details: { retryAfter: 1 } };
const open = () => {
  const callers = new PresentCallers();
  const [one, other] = [callers.enter("one"), callers.enter("other")];
  return { held: new HeldBytes({ MAX_REQUEST_BYTES: 100 }), one, other };
};

test("one request holds MAX_REQUEST_BYTES, and not one more", () => {
  const { held, one } = open();
  expect(held.take(one, 0, 60, true)).toBeUndefined();
  expect(held.take(one, 60, 40, true)).toBeUndefined();
  expect(held.take(one, 100, 1, true)).toMatchObject({
    code: "LIMIT_EXCEEDED",
    details: { limit: "MAX_REQUEST_BYTES", value: 100 },
  });
});

test("a caller that is alone holds three times as much, and bytes that are given back can be taken again", () => {
  const { held, one } = open();
  for (let request = 0; request < 3; request++) expect(held.take(one, 0, 100, true)).toBeUndefined();
  expect(held.take(one, 0, 100, true)).toMatchObject({ ...full, message: /^this caller's requests/ });
  held.giveBack(one, 100);
  expect(held.take(one, 0, 100, true)).toBeUndefined();
});

test("a caller that holds nothing is served beside one that holds all it may", () => {
  const { held, one, other } = open();
  while (!held.take(one, 0, 1, true));
  expect(held.take(other, 0, 100, true)).toBeUndefined();
});

test("the response to a write is taken by a full process, because the write is done", () => {
  const { held, one } = open();
  while (!held.take(one, 0, 1, true));
  expect(held.take(one, 0, 100, false)).toBeUndefined();
  expect(held.take(one, 0, 101, false)).toMatchObject({ code: "LIMIT_EXCEEDED" });
});
