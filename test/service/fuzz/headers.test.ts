/** Whatever arrives as a request's head: names, values and sizes that no client library sends, and framing that lies. */
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { fuzz, timeout } from "./fuzz.ts";
import { hostileNames } from "./hostile.ts";
import { canary } from "./judge.ts";
import { credentials, openRole } from "./role.ts";

const known: Record<string, string[]> = {
  "x-api-key": [`${canary}1`, "sk_test_0", "a, b", "\t", "é", "\xff"],
  "X-API-KEY": [`${canary}2`],
  authorization: [`Bearer ${canary}`, "Bearer", "Basic Og==", "Bearer a b", `bearer\t${canary}`, ","],
  accept: [
    "application/json",
    "application/graphql-response+json;q=0",
    "*/*;q=2",
    "a/b",
    ",;=",
    "text/html",
    '*/*;a="',
  ],
  "content-type": [
    "application/json",
    "text/plain",
    "application/json; charset=",
    "a",
    "multipart/form-data",
  ],
  traceparent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0-0-0", "\x80".repeat(55)],
  tracestate: ["a=1,b=2", "=".repeat(600)],
  "x-request-id": ["request-1", "../../..", `sk_live_${canary}`, "a".repeat(300), "\x1b[2J", "%00"],
  "accept-language": ["de", "*;q=1e400", "\xa0"],
  "x-service-tenant-id": ["other", `${canary}`],
  x_service_tenant_id: ["other"],
  "x-gateway-proof": [`${canary}`, ""],
  te: ["trailers"],
  "x-forwarded-for": ["127.0.0.1", "a, b", "\xff"],
  "x-http-method-override": ["DELETE"],
  "apollo-require-preflight": ["", "1"],
  "x-apollo-operation-name": ["__proto__", "\xe9"],
  cookie: [`a=${canary}`, ";;;"],
  origin: ["null", "http://a.example", "://"],
};
/** What changes where a request ends, or whether its connection stays. */
const framing: Record<string, string[]> = {
  connection: ["close", "x-api-key", "upgrade", "keep-alive, X-Service-Tenant-Id"],
  upgrade: ["websocket", "h2c"],
  expect: ["100-continue", "the-unexpected"],
  host: ["a", "a b", "[::1", "", "a:99999999"],
  "content-length": ["0", "1", "-1", "1e3", "99999999999999999999", "24, 24"],
  "transfer-encoding": ["chunked", "gzip, chunked", "identity", "chunked, chunked"],
};
const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value).toString("latin1"));
const linesOf = (fields: Record<string, string[]>): Arbitrary<string> =>
  fc
    .constantFrom(
      ...Object.entries(fields).flatMap(([name, all]) => all.map((value) => [name, value] as const)),
    )
    .map(([name, value]) => `${name}: ${value}`);
/** A value that the parser takes: anything but control characters. */
const text = fc.stringMatching(/^[\t -~\x80-\xff]{0,40}$/);
const line: Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: linesOf(known) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys(known)), text).map((pair) => pair.join(":")),
  },
  { weight: 1, arbitrary: fc.constantFrom(...hostileNames).map((name) => `${name || "x"}: 1`) },
  { weight: 1, arbitrary: fc.nat({ max: 20_000 }).map((size) => `x-large: ${"a".repeat(size)}`) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 70 }).map((count) => Array(count).fill("x-many: a").join("\r\n")),
  },
);
const oddLine: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: linesOf(framing) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys(known)), bytes).map((pair) => pair.join(": ")),
  },
  bytes,
);
const oddFirst: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "GET /v1/graphql?query=%7B__typename%7D HTTP/1.1",
    "PUT /v1/graphql HTTP/1.1",
    "TRACE /v1/graphql HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "CONNECT a:1 HTTP/1.1",
    "POST /v1/graphql HTTP/1.0",
    "POST /v1/graphql HTTP/9.9",
    "POST http://b.example/v1/graphql HTTP/1.1",
    "POST //v1/graphql HTTP/1.1",
    "POST /v1/../v1/graphql?%=%&a[__proto__]=1 HTTP/1.1",
    "POST /v1/graphql%00 HTTP/1.1",
    "POST /%c0%ae%c0%ae/ HTTP/1.1",
    "PRI * HTTP/2.0",
    "\x16\x03\x01\x02",
    "",
  ),
  bytes,
);
const query = '{"query":"{ me { id } }"}';
const usual = ["host: a", "content-type: application/json", `content-length: ${query.length}`, credentials];

test("any request head gets a response that HTTP allows, or a closed connection", { timeout }, async () => {
  const { request } = await openRole({ NODE_ENV: "production", GATEWAY_SECRET: "a-secret-of-the-gateway" });
  const right = fc.record({
    first: fc.constant("POST /v1/graphql HTTP/1.1"),
    lines: fc.array(line, { maxLength: 6 }),
  });
  const odd = fc.record({
    first: fc.oneof(fc.constant("POST /v1/graphql HTTP/1.1"), oddFirst),
    lines: fc.array(fc.oneof(line, oddLine), { maxLength: 4 }),
    dropped: fc.subarray(usual, { maxLength: 2 }),
    end: fc.constantFrom("\r\n", "\r\n", "\r\n", "\n", "\r", "\0\r\n", ""),
  });
  const reached = { good: 0, refused: 0 };
  await fuzz("headers", fc.oneof(right, odd), reached, async (drawn) => {
    const { first, lines, dropped, end } = { dropped: [], end: "\r\n", ...drawn };
    const kept = usual.filter((one) => !new Set<string>(dropped).has(one));
    const head = [first, ...kept, ...lines].map((one) => one + end).join("");
    // an odd head may ask for more than there is, which ends when its client hangs up; a right one is answered
    const isOdd = "end" in drawn;
    const answer = await request(Buffer.from(`${head}${end}${query}`, "latin1"), isOdd);
    if (!isOdd) expect(answer).toBeDefined();
    if (answer !== undefined) reached[answer.status === 200 ? "good" : "refused"]++;
  });
});
