/** The forms of a request target (RFC 9112 §3.2), as roles see them. */
import { expect, test } from "vitest";
import { originForm } from "../../../../src/engine/runtime/http/request-target.ts";

test.each([
  ["/v1/graphql?a=b", "/v1/graphql?a=b", "own.example"],
  ["//evil.example/x", "//evil.example/x", "own.example"],
  ["*", "*", "own.example"],
  ["http://a.example/v1/graphql?a=b", "/v1/graphql?a=b", "a.example"],
  ["HTTPS://A.example:8443/", "/", "A.example:8443"],
  ["http://[::1]:80/x", "/x", "[::1]:80"],
  ["http://a.example", "/", "a.example"],
  ["http://a.example?q", "/?q", "a.example"],
  ["http:///x", "http:///x", "own.example"],
  ["http://u:p@a.example/x", "http://u:p@a.example/x", "own.example"],
  ["http://a.example#x", "http://a.example#x", "own.example"],
  ["ftp://a.example/x", "ftp://a.example/x", "own.example"],
  ["v1/graphql", "v1/graphql", "own.example"],
])("%s", (url, target, host) => {
  const request = { url, headers: { host: "own.example" } };
  expect([originForm(request), request.headers.host]).toEqual([target, host]);
});
