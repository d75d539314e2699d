/** The same fault of an upstream has the same code in the gateway and in the REST client: both use this mapping. */
import { expect, test } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { upstreamFailure } from "../../../../src/engine/runtime/http/upstream-failure.ts";

const fault = (code: string, name = "Error"): Error => Object.assign(new Error("10.0.0.1"), { code, name });

test.each([
  ["ECONNREFUSED", "UPSTREAM_UNAVAILABLE", 503],
  ["ENOTFOUND", "UPSTREAM_UNAVAILABLE", 503],
  ["ECONNRESET", "UPSTREAM_UNAVAILABLE", 503],
  ["UND_ERR_SOCKET", "UPSTREAM_UNAVAILABLE", 503],
  ["UND_ERR_CONNECT_TIMEOUT", "UPSTREAM_TIMEOUT", 504],
  ["ETIMEDOUT", "UPSTREAM_TIMEOUT", 504],
  ["UND_ERR_HEADERS_OVERFLOW", "BAD_UPSTREAM_RESPONSE", 502],
  ["ERR_INVALID_CHAR", "BAD_UPSTREAM_RESPONSE", 502],
  ["UND_ERR_INVALID_ARG", "BAD_REQUEST", 400],
])("%s is %s, whether the request was sent or not", (code, expected, status) => {
  for (const wasSent of [false, true]) {
    const failure = upstreamFailure(fault(code), wasSent);
    expect(failure).toMatchObject({ code: expected, status });
    expect(failure.message).not.toContain("10.0.0.1");
    if (wasSent) expect(failure.message).not.toMatch(/cannot be reached|no connection/);
  }
});

test("a response that is not HTTP is BAD_UPSTREAM_RESPONSE, whatever undici says of it", () => {
  expect(upstreamFailure(fault("HPE_INVALID_CONSTANT", "HTTPParserError"), true).code).toBe(
    "BAD_UPSTREAM_RESPONSE",
  );
});

test("a response whose length differs from Content-Length is named as that, not as a connection error", () => {
  expect(upstreamFailure(fault("UND_ERR_RES_CONTENT_LENGTH_MISMATCH"), true)).toMatchObject({
    code: "BAD_UPSTREAM_RESPONSE",
    message: "the response does not have the length that it declares",
  });
});

test("a coded error stays as it is", () => {
  const own = new CodedError("CLIENT_CLOSED_REQUEST", "the client left");
  expect(upstreamFailure(own, true)).toBe(own);
});
