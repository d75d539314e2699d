/** No log line, however it came about, holds a credential. */
import { Writable } from "node:stream";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { redactor } from "../../../../src/engine/runtime/http/redact.ts";

const key = `sk_live_${"a1B2".repeat(8)}`;
const secret = "the-gateways-own-secret";

test.each<[string, object | string]>([
  ["a header", { headers: { "x-api-key": "opaque-key-of-another-kind CANARY" } }],
  ["a header in another case", { call: { headers: { Authorization: "Token CANARY" } } }],
  ["a list of headers", { headers: { cookie: ["a=CANARY", "b"] } }],
  ["a header that the document declares", { headers: { Api_Access_Token: "CANARY" } }],
  ["a value with quotes in it", { "x-api-key": 'a"CANARY\\"b' }],
  ["an error's message", { err: new Error(`Headers.append: "Bearer CANARY" is an invalid header value`) }],
  ["an error's cause", { err: new Error("outer", { cause: new Error(`key ${key} is unknown`) }) }],
  ["a line of text", `called with ${key}`],
  ["something deep", { a: [{ b: { c: `https://x/?key=${key}` } }] }],
  ["a URL with a password and a query", { err: new Error("https://CANARY:CANARY@x.example/a?b=CANARY") }],
  ["the gateway's proof", { deep: { text: `proof=${secret};` } }],
])("%s", (_name, entry) => {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  const { log } = Fastify({
    logger: { level: "info", stream, hooks: { streamWrite: redactor([secret], ["api_access_token"]) } },
  });
  log.info(entry as object, "something happened");
  expect(written).toContain("[redacted]");
  expect(written).not.toMatch(/CANARY|sk_live_|the-gateways-own-secret/);
  expect(() => JSON.parse(written)).not.toThrow();
});

test("text that is not a credential stays", () => {
  const line = '{"level":30,"path":"contacts.0.name","msg":"bearers of news","err":{"type":"CodedError"}}\n';
  expect(redactor([undefined])(line)).toBe(line);
});

test("no line steers a terminal: JSON itself leaves some control characters and turning marks as they are", () => {
  const line = JSON.stringify({ operation: "\u009b2J\u202e\u2028\u007f\u0085é" });
  const written = redactor([])(`${line}\n`);
  expect(written).toBe('{"operation":"\\u009b2J\\u202e\\u2028\\u007f\\u0085é"}\n');
  expect(JSON.parse(written)).toEqual(JSON.parse(line));
});

test("invisible characters are escaped, and joiners that letters and emoji need are kept", () => {
  const redact = redactor([]);
  for (const [text, shown] of [
    ["pass\u200bword", "pass\\u200bword"],
    ["a\u200d\u2060\u00ad\ufeffb", "a\\u200d\\u2060\\u00ad\\ufeffb"],
    ["x\u{e0041}\u3164\u034f", "x\\udb40\\udc41\\u3164\\u034f"],
    ["\u061c\u202e\u2066", "\\u061c\\u202e\\u2066"],
  ] as const)
    expect(redact(JSON.stringify(text))).toBe(`"${shown}"`);
  for (const text of ["می\u200cخواهم", "❤\ufe0f", "👨\u200d👩", "é"])
    expect(redact(JSON.stringify(text))).toBe(JSON.stringify(text));
});
