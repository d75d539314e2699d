/** The `cause` of a log line is a word that an operator can look up. */
import { expect, test } from "vitest";
import { causeOf } from "../../../../src/engine/runtime/observe/request-record.ts";

test("a time-out is told by its name, not by the number of DOMException", () => {
  expect(causeOf(new DOMException("the look-up took too long", "TimeoutError"))).toBe("TimeoutError");
  expect(causeOf(new TypeError("fetch failed", { cause: AbortSignal.abort().reason }))).toBe("AbortError");
  expect(causeOf(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
});
