/** The bytes of REST's responses that one request may hold, and all requests of the process. */
import { expect, test } from "vitest";
import { HeldBytes } from "../../../src/engine/rest/shares/held-bytes.ts";

const full = { code: "SERVICE_UNAVAILABLE", details: { retryAfter: 1 } };

test("one request holds MAX_REQUEST_BYTES, and not one more", () => {
  const held = new HeldBytes({ MAX_REQUEST_BYTES: 100 });
  expect(held.take("a", 0, 60, true)).toBeUndefined();
  expect(held.take("a", 60, 40, true)).toBeUndefined();
  expect(held.take("a", 100, 1, true)).toMatchObject({
    code: "LIMIT_EXCEEDED",
    details: { limit: "MAX_REQUEST_BYTES", value: 100 },
  });
});

test("the process holds three times as much, and bytes that are given back can be taken again", () => {
  const held = new HeldBytes({ MAX_REQUEST_BYTES: 100 });
  for (let request = 0; request < 3; request++) expect(held.take("a", 0, 100, true)).toBeUndefined();
  expect(held.take("a", 0, 1, true)).toMatchObject(full);
  held.giveBack("a", 100);
  expect(held.take("a", 0, 100, true)).toBeUndefined();
  expect(held.take("a", 0, 1, true)).toMatchObject(full);
});

test("when the process is full, the caller that holds most is refused, a caller below an equal part is not", () => {
  const held = new HeldBytes({ MAX_REQUEST_BYTES: 100 });
  for (let request = 0; request < 3; request++) held.take("greedy", 0, 100, true);
  expect(held.take("greedy", 0, 1, true)).toMatchObject(full);
  expect(held.take("other", 0, 100, true)).toBeUndefined();
  expect(held.take("other", 0, 50, true)).toBeUndefined();
  expect(held.take("other", 50, 1, true)).toMatchObject(full);
});

test("a caller whose responses are empty holds nothing, and takes no part from others", () => {
  const held = new HeldBytes({ MAX_REQUEST_BYTES: 100 });
  for (const caller of ["a", "b", "c"]) expect(held.take(caller, 0, 0, true)).toBeUndefined();
  for (let request = 0; request < 3; request++) held.take("greedy", 0, 100, true);
  for (let part = 0; part < 150; part += 50) expect(held.take("other", 0, 50, true)).toBeUndefined();
});

test("the response to a write is taken by a full process, because the write is done", () => {
  const held = new HeldBytes({ MAX_REQUEST_BYTES: 100 });
  for (let request = 0; request < 3; request++) held.take("a", 0, 100, true);
  expect(held.take("a", 0, 100, false)).toBeUndefined();
  expect(held.take("a", 0, 101, false)).toMatchObject({ code: "LIMIT_EXCEEDED" });
});
