/** REST's answers: random JSON, right answers with values changed, statuses, headers, no HTTP at all, cut off anywhere. */
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { hostileNames, jsonText } from "./hostile.ts";
import { canary } from "./judge.ts";

/** One answer, made from the right one; `cut` leaves that part of it, and then `after` happens to the connection. */
export type Reply = {
  readonly body: (right: object) => Buffer;
  readonly status: string;
  readonly headers: readonly string[];
  readonly cut: number;
  readonly after: "keep" | "end" | "reset";
};

const value: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: jsonText },
  {
    weight: 2,
    arbitrary: fc.constantFrom(`"${canary}"`, `{"a":"${canary}"}`, `["${canary}"]`, `{"id":"${canary}"}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`{"debug":"${canary}","argument":"id"}`, '{"argument":"__proto__"}', ""),
  },
);

/** The right answer's text with some of its values, or names, replaced. */
const changed = fc
  .array(fc.record({ at: fc.nat(), put: value, name: fc.option(fc.constantFrom(...hostileNames)) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((edits) => (right: object): Buffer => {
    const text = edits.reduce((current, { at, put, name }) => {
      const places = [...current.matchAll(/"(\w+)":("[^"]*"|[\w.]+|\[[^[\]]*\]|\{[^{}]*\})/g)];
      const place = places[at % Math.max(places.length, 1)];
      if (!place) return current;
      const [whole, key] = place;
      const member = `${JSON.stringify(name ?? key)}:${put || "null"}`;
      return current.slice(0, place.index) + member + current.slice(place.index + whole.length);
    }, JSON.stringify(right));
    return Buffer.from(text);
  });

const body: Arbitrary<Reply["body"]> = fc.oneof(
  { weight: 8, arbitrary: changed },
  { weight: 3, arbitrary: fc.constant((right: object) => Buffer.from(JSON.stringify(right))) },
  { weight: 3, arbitrary: value.map((text) => () => Buffer.from(text)) },
  { weight: 2, arbitrary: value.map((text) => () => Buffer.from(`{"items":[${text || "1"}]}`)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => () => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant((right: object) => gzipSync(JSON.stringify(right))) },
);

export const rightReply: Reply = {
  body: (right) => Buffer.from(JSON.stringify(right)),
  status: "200 OK",
  headers: [],
  cut: 1,
  after: "keep",
};
const status = fc.oneof(
  { weight: 12, arbitrary: fc.constant("200 OK") },
  fc.integer({ min: 200, max: 599 }).map((code) => `${code} ${canary}`),
  fc.constantFrom(
    "201 X",
    "204 X",
    "205 X",
    "304 X",
    "307 X",
    "400 X",
    "404 X",
    "422 X",
    "429 X",
    "500 X",
    "503 X",
  ),
  fc.constantFrom("100 X", "101 X", "103 X", "0 X", "99 X", "600 X", "999 X", canary),
);
const header = fc.oneof(
  fc.constantFrom(
    "retry-after: 0",
    "retry-after: 60",
    "retry-after: -1",
    `retry-after: ${canary}`,
    "retry-after: 1e400",
  ),
  fc.constantFrom(
    "retry-after: Wed, 21 Oct 2099 07:28:00 GMT",
    "retry-after: 99999999999999999999",
    "retry-after:",
  ),
  fc.constantFrom(
    "content-type: text/html",
    "content-type: application/problem+json",
    "content-type:",
    "a: b",
  ),
  fc.constantFrom("content-type: application/json;charset=utf-16", `set-cookie: ${canary}`, `x-a: ${canary}`),
  fc.constantFrom(
    "content-encoding: gzip",
    "content-encoding: br",
    "content-encoding: __proto__",
    "connection: close",
  ),
  fc.constantFrom(
    "content-length: 0",
    "content-length: 9999999999",
    "content-length: -1",
    "transfer-encoding: chunked",
  ),
  fc.constantFrom(
    `location: http://${canary}.example/`,
    "upgrade: h2c",
    "trailer: a",
    "connection: upgrade",
    "__proto__: a",
  ),
  fc.nat({ max: 40_000 }).map((size) => `x-large: ${"a".repeat(size)}`),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);
export const reply: Arbitrary<Reply> = fc.record({
  body,
  status,
  headers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(header, { maxLength: 2 })),
  cut: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
  after: fc.oneof(
    { weight: 6, arbitrary: fc.constant("keep" as const) },
    fc.constantFrom("end" as const, "reset" as const),
  ),
});

export function bytesOf({ body, status, headers, cut }: Reply, right: object): Buffer {
  const content = body(right);
  const all = ["content-type: application/json", `content-length: ${content.length}`, ...headers];
  const kept = all.filter(
    (line, index) => !all.slice(index + 1).some((later) => nameOf(later) === nameOf(line)),
  );
  const whole = Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${kept.join("\r\n")}\r\n\r\n`, "latin1"),
    content,
  ]);
  return whole.subarray(0, Math.floor(whole.length * cut));
}
const nameOf = (line: string): string => line.split(":")[0] ?? "";
