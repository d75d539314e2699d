/** The request headers that a document declares, which the gateway forwards. */
import { expect, test } from "vitest";
import { declaredHeaders } from "../../../../src/engine/build/openapi/declared-headers.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { restDocument } from "./rest-document.ts";

const headersOf = (document: object): string[] => {
  const read = restDocument({ openapi: "3.1.0", info: { title: "t", version: "1" }, ...document });
  return declaredHeaders(read, readOperations(read).values());
};
const header = (name: string) => ({ name, in: "header", schema: { type: "string" } });

test("are header parameters of paths and of operations, and what security schemes take", () => {
  const get = { parameters: [header("X-Region"), { $ref: "#/components/parameters/Etag" }], responses: {} };
  const securitySchemes = {
    key: { type: "apiKey", in: "header", name: "X-Vendor-Key" },
    query: { type: "apiKey", in: "query", name: "key", "x-from-header": "X-Query-Key" },
    bearer: { type: "http", scheme: "bearer" },
  };
  const parameters = { Etag: header("If-Match") };
  const paths = {
    "/a": { parameters: [header("X-Path"), header("no header")], get, post: { responses: {} } },
  };
  expect(headersOf({ paths, components: { parameters, securitySchemes } })).toEqual([
    "authorization",
    "if-match",
    "x-path",
    "x-query-key",
    "x-region",
    "x-vendor-key",
  ]);
});

test.each([
  [{ paths: { "/a": { get: { parameters: [{ name: "s", in: "cookie" }], responses: {} } } } }],
  [{ paths: {}, components: { securitySchemes: { s: { type: "apiKey", in: "cookie", name: "s" } } } }],
])("are the one of cookies where one is declared", (document) => {
  expect(headersOf(document)).toEqual(["cookie"]);
});
