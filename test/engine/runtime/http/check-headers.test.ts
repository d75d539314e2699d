/** Header sections that two servers could read differently. */
import { expect, test } from "vitest";
import { checkHeaders } from "../../../../src/engine/runtime/http/check-headers.ts";

test.each([
  ["1.1", ["Host", "a", "Transfer-Encoding", "chunked"], undefined],
  ["1.0", ["Host", "a"], undefined],
  ["1.0", ["Host", "a", "Transfer-Encoding", "chunked"], "HTTP/1.0 does not support transfer codings"],
  [
    "1.1",
    ["Host", "a", "Transfer-Encoding", "gzip, chunked"],
    "the only supported transfer coding is chunked",
  ],
  ["1.1", ["Host", "a", "host", "b"], "a request must have exactly one Host header"],
])("HTTP/%s with %j: %s", (httpVersion, rawHeaders, message) => {
  expect(checkHeaders({ httpVersion, rawHeaders }, 64)?.message).toBe(message);
});
