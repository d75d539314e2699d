/** The `cause` of a log line is a word that an operator can look up. */
import { expect, test } from "vitest";
import { causeCode } from "../../../../src/engine/runtime/observe/request-record.ts";

test("a time-out is named TimeoutError, not by DOMException's number", () => {
  expect(causeCode(new DOMException("the lookup timed out", "TimeoutError"))).toBe("TimeoutError");
  expect(causeCode(new TypeError("fetch failed", { cause: AbortSignal.abort().reason }))).toBe("AbortError");
  expect(causeCode(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
});
