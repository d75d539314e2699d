/** JSON bodies: the number of their values is bounded, whatever stands in their strings, and so is their cost. */
import { describe, expect, onTestFinished, test } from "vitest";
import { jsonParser } from "../../../../src/engine/runtime/http/bodies/json-body.ts";
import { createServer } from "../../../../src/engine/runtime/http/server.ts";
import { valuesPerRequest } from "../../../../src/engine/runtime/settings/capacity.ts";
import { configure } from "../graphql/configure.ts";
import { inFrontOf } from "../graphql/rest-stand-in.ts";

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join();
/** 45 ms of processor time, on a quiet machine. */
const manyNames = JSON.stringify({
  query: "{ __typename }",
  variables: Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 0])),
});

function open() {
  const server = createServer(configure());
  onTestFinished(() => server.close());
  const parse = jsonParser(server);
  return { server, parse: (text: string) => parse({} as never, text) };
}

describe("the values of a body", () => {
  test.each<[name: string, make: (values: number) => string]>([
    ["items", (values) => `[${many(values - 1, () => "1")}]`],
    ["names", (values) => `{${many(values - 1, (index) => `"k${index}":1`)}}`],
    ["empty lists", (values) => `[${many(Math.floor(values / 2), () => "[]")}]`],
    ["nested lists", (values) => "[".repeat(values) + "]".repeat(values)],
    ["items after strings with quotes", (values) => `["\\"[","\\\\",${many(values - 3, () => '"\\""')}]`],
  ])("are counted: %s", (_name, make) => {
    const { parse } = open();
    const inside = make(valuesPerRequest - 99);
    expect(() => parse(inside)).not.toThrow();
    expect(() => parse(make(valuesPerRequest + 101))).toThrow("a request body may hold at most 50000 values");
  });

  test("are none inside of strings", () => {
    const { parse } = open();
    for (const text of ["[{,".repeat(50_000), '\\"[,'.repeat(50_000), "\\\\,".repeat(50_000)])
      expect(parse(`["${text}","${text}\\\\"]`)).toEqual(JSON.parse(`["${text}","${text}\\\\"]`));
  });
});

test("a body with too many values is refused by every role that parses one", async () => {
  const { url } = await inFrontOf(() => {});
  const headers = { "content-type": "application/json" };
  const answered = await fetch(url, { method: "POST", headers, body: manyNames });
  expect(answered.status).toBe(400);
  expect(await answered.json()).toMatchObject({ errors: [{ extensions: { code: "BAD_USER_INPUT" } }] });
  const { server } = open();
  server.post("/here", async () => "read");
  const response = await server.inject({ method: "POST", url: "/here", headers, payload: manyNames });
  expect(response.json()).toMatchObject({ status: 400, code: "BAD_USER_INPUT" });
});

test("a body that no route reads is not parsed", async () => {
  const { server } = open();
  const headers = { "content-type": "application/json" };
  const { statusCode } = await server.inject({ method: "POST", url: "/none", headers, payload: "no JSON" });
  expect(statusCode).toBe(404);
});
