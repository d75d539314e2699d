/** One exchange with an upstream that does everything wrong: bounded in size, one coded failure each. */
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Pool } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CodedError } from "../../../../../src/engine/runtime/coded-error.ts";
import { maxInterimResponses } from "../../../../../src/engine/runtime/http/upstream-failure.ts";
import { Exchange } from "../../../../../src/engine/runtime/rest/upstream/exchange.ts";
import { freeBudget } from "../../graphql/free-scope.ts";
import { type Answer, http, rawServer } from "../raw-server.ts";

/** Makes exchanges with an upstream, of at most 1,000 bytes each. */
async function against(answer: Answer, connections = 4, maxBytes = 1_000) {
  const server = await rawServer(answer);
  const pool = new Pool(server.url.origin, { connections, pipelining: 1 });
  onTestFinished(() => pool.destroy());
  const exchange = (path = "/x") => {
    const one = new Exchange({ ...freeBudget, maxResponseBytes: maxBytes }, true);
    one.send(pool, { method: "GET", path, headers: {}, body: undefined });
    return one;
  };
  return { server, exchange, get: (path?: string) => exchange(path).response };
}

const send =
  (bytes: string | Buffer): Answer =>
  (socket) =>
    void socket.write(bytes);
const failureOf = (response: Promise<unknown>): Promise<unknown> => response.catch((error: unknown) => error);

test("a response in pieces arrives whole", async () => {
  const { get } = await against((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    for (const piece of ['{"a"', ":", '"é"}'])
      socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
    socket.write("0\r\n\r\n");
  });
  const answer = await get();
  expect([answer.status, await answer.text(), answer.headers.get("Content-Type")]).toEqual([
    200,
    '{"a":"é"}',
    "application/json",
  ]);
});

test("a 1xx response is not taken for the response", async () => {
  const { get } = await against(send(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${http(200, "{}")}`));
  const answer = await get();
  expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
});

const hints = (count: number): string => "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(count);

test("a flood of 1xx responses fails the call, and its connection is closed", async () => {
  const few = await against(send(hints(maxInterimResponses) + http(200, "{}")));
  expect((await few.get()).status).toBe(200);
  const { get, server } = await against((socket) => {
    const flood = (): void => void (socket.writable && socket.write(hints(1_000), () => setImmediate(flood)));
    flood();
  });
  expect(await failureOf(get())).toMatchObject({ code: "BAD_UPSTREAM_RESPONSE" });
  await expect.poll(() => server.open()).toBe(0);
});

describe.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)("%s", (encoding, compress) => {
  test("is decompressed, up to the limit", async () => {
    const size = { current: 1_000 };
    const { get } = await against((socket) =>
      socket.write(http(200, compress("x".repeat(size.current)), { "content-encoding": encoding })),
    );
    expect(await (await get()).text()).toHaveLength(1_000);
    size.current = 1_001;
    expect(await failureOf(get())).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
      details: { limit: "MAX_RESPONSE_BYTES", value: 1_000 },
    });
  });
});

/** RFC 9112 §5.1: no part of the value. */
describe.each([" ", "\t", " \t ", " ".repeat(3_000)])(
  "white space after the value of a header: %j",
  (space) => {
    test("is not part of a coding or a media type", async () => {
      const headers = { "content-encoding": `gzip${space}`, "content-type": `application/json${space}` };
      const { get } = await against(send(http(200, gzipSync('{"a":1}'), headers)));
      const answer = await get();
      expect([answer.body, answer.headers.get("content-type")]).toEqual([{ a: 1 }, "application/json"]);
    });

    test("is not part of any other value, in one line or several", async () => {
      const lines = `retry-after: 7${space}\r\nvary: a${space}\r\nvary: b${space}\r\nx-empty:${space}\r\n`;
      const { get } = await against(send(`HTTP/1.1 429 X\r\n${lines}content-length: 2\r\n\r\n{}`));
      const { rawHeaders } = await get();
      expect(rawHeaders).toEqual({
        "retry-after": "7",
        vary: ["a", "b"],
        "x-empty": "",
        "content-length": "2",
      });
    });
  },
);

test("white space within a value, and another character at its end, stay", async () => {
  const { get } = await against(send(http(200, "{}", { "x-a": "a \t b", "x-b": "a\u00a0 " })));
  const { rawHeaders } = await get();
  expect(rawHeaders["x-a"]).toBe("a \t b");
  expect(String(rawHeaders["x-b"]).startsWith("a")).toBe(true);
  expect(rawHeaders["x-b"]).not.toMatch(/ $/);
});

test("a body without a coding may say so in any case", async () => {
  const { get } = await against(send(http(200, "{}", { "content-encoding": "Identity" })));
  expect(await (await get()).text()).toBe("{}");
});

/** RFC 9110 §8.4 is a list, which may have empty elements (§5.6.1) and come in several lines (§5.3). */
test.each<[lines: string[], layers: number]>([
  [[""], 0],
  [["identity, ,"], 0],
  [["", "identity"], 0],
  [["gzip, identity"], 1],
  [[", gzip ,"], 1],
  [["gzip", "identity"], 1],
  [["identity", "", "GZIP"], 1],
  [["gzip, gzip"], 2],
  [["gzip", "x-gzip"], 2],
  [["gzip,gzip", "identity", "gzip,gzip,gzip"], 5],
])("the list of codings %j is undone from its end", async (lines, layers) => {
  let body: Buffer = Buffer.from('{"a":1}');
  for (let layer = 0; layer < layers; layer++) body = gzipSync(body);
  const head = lines.map((line) => `content-encoding: ${line}\r\n`).join("");
  const { get } = await against((socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${head}content-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
  });
  expect((await get()).body).toEqual({ a: 1 });
});

test("different codings are undone in their order, each up to the limit", async () => {
  const both = { "content-encoding": "br, gzip" };
  const right = await against(send(http(200, gzipSync(brotliCompressSync("text")), both)));
  expect(await (await right.get()).text()).toBe("text");
  const wrong = await against(send(http(200, brotliCompressSync(gzipSync("text")), both)));
  expect(await failureOf(wrong.get())).toMatchObject({ message: "the answer cannot be decompressed" });
  // 12 bytes of the last coding, 1,200 of the first
  const bomb = gzipSync(gzipSync("x".repeat(1_200_000), { level: 9 }), { level: 9 });
  expect(bomb.length).toBeLessThan(1_000);
  const large = await against(send(http(200, bomb, { "content-encoding": "gzip, gzip" })));
  expect(await failureOf(large.get())).toMatchObject({ details: { limit: "MAX_RESPONSE_BYTES" } });
});

test.each(["gzip, unknown", "unknown, gzip", "gzip;q=1", Array(6).fill("gzip").join()])(
  "the codings %j are refused",
  async (codings) => {
    const { get } = await against(send(http(200, gzipSync("{}"), { "content-encoding": codings })));
    expect(await failureOf(get())).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
      message: "the answer's encoding is unknown",
    });
  },
);

test("a header in several lines is one list, and of several media types the last one counts", async () => {
  const lines =
    "retry-after: 7\r\nretry-after: 9\r\ncontent-type: text/plain\r\ncontent-type: application/json\r\n";
  const { get } = await against(
    send(`HTTP/1.1 200 X\r\n${lines}content-length: 22\r\n\r\n{"a":9007199254740993}`),
  );
  const { headers, body, mediaType } = await get();
  expect([headers.get("Retry-After"), mediaType, body]).toEqual([
    "7, 9",
    "application/json",
    { a: "9007199254740993" },
  ]);
});

test("an empty body is not decompressed, whatever its headers say", async () => {
  const { get } = await against(send(http(204, "", { "content-encoding": "gzip" })));
  expect((await get()).status).toBe(204);
});

test("the limit holds for the bytes on the wire, at N and N+1, with and without a content length", async () => {
  const announced = { "content-length": "1001" };
  const chunked = { "content-length": "", "transfer-encoding": "chunked" };
  const { get } = await against((socket, request) => {
    if (request.includes("/fits")) socket.write(http(200, "x".repeat(1_000)));
    else if (request.includes("/announced")) socket.write(http(200, "x", announced));
    else socket.write(http(200, `3e9\r\n${"x".repeat(1_001)}\r\n`, chunked));
  });
  expect(await (await get("/fits")).text()).toHaveLength(1_000);
  for (const path of ["/announced", "/chunked"])
    expect(await failureOf(get(path))).toMatchObject({ message: "the answer is too large" });
});

describe("a value of JSON counts for 20 bytes at least", () => {
  const most = 60_000;
  const maxBytes = 1_200_000;
  const get = async (body: string, status = 200, type = "application/json") =>
    (await against(send(http(status, body, { "content-type": type })), 4, maxBytes)).get();

  test.each<[what: string, make: (values: number) => string]>([
    ["numbers", (values) => `[${Array(values).fill(1)}]`],
    ["empty objects", (values) => `[${Array(values / 2).fill("{}")}]`],
    ["nested lists", (values) => "[".repeat(values) + "]".repeat(values)],
  ])("%s", async (_what, make) => {
    expect((await get(make(most))).bytes).toBe(maxBytes);
    for (const [status, type] of [[200], [422, "application/problem+json"], [422, "text/plain"]] as const)
      expect(await failureOf(get(make(most + 2), status, type))).toMatchObject({
        code: "BAD_UPSTREAM_RESPONSE",
        details: { limit: "MAX_RESPONSE_BYTES", value: maxBytes },
      });
  });

  test("a text holds none", async () => {
    expect((await get("1,".repeat(most + 1), 200, "text/plain")).bytes).toBe(2 * most + 2);
  });
});

test.each<[string, Answer, string]>([
  ["a reset before the answer", (socket) => socket.resetAndDestroy(), "UPSTREAM_UNAVAILABLE"],
  [
    "a reset in the body",
    (socket) => socket.write(http(200, "{", { "content-length": "9" }), () => socket.resetAndDestroy()),
    "UPSTREAM_UNAVAILABLE",
  ],
  [
    "a body that ends early",
    (socket) => socket.end(http(200, "{", { "content-length": "9" })),
    "UPSTREAM_UNAVAILABLE",
  ],
  ["no HTTP", send("CANARY nothing like it\r\n\r\n"), "BAD_UPSTREAM_RESPONSE"],
  [
    "a chunk size that is none",
    send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nCANARY\r\n"),
    "BAD_UPSTREAM_RESPONSE",
  ],
  [
    "headers without end",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"CANARY".repeat(20_000)}\r\n\r\n`),
    "BAD_UPSTREAM_RESPONSE",
  ],
  [
    "an unknown encoding",
    send(http(200, "CANARY", { "content-encoding": "rot13" })),
    "BAD_UPSTREAM_RESPONSE",
  ],
  ["x-compress", send(http(200, "CANARY", { "content-encoding": "x-compress" })), "BAD_UPSTREAM_RESPONSE"],
  [
    "an encoding that every object inherits",
    send(http(200, "{}", { "content-encoding": "constructor" })),
    "BAD_UPSTREAM_RESPONSE",
  ],
  ["gzip that is none", send(http(200, "CANARY", { "content-encoding": "gzip" })), "BAD_UPSTREAM_RESPONSE"],
  ["bytes that are no UTF-8", send(http(200, Buffer.from([0x22, 0xff, 0x22]))), "BAD_UPSTREAM_RESPONSE"],
])("%s is a coded error without any of the response's text", async (_name, answer, code) => {
  const { get } = await against(answer);
  const failure = await failureOf(get());
  expect(failure).toBeInstanceOf(CodedError);
  expect(failure).toMatchObject({ code });
  expect((failure as Error).message).not.toMatch(/CANARY|127\.0\.0\.1/);
});

test("an aborted exchange fails, and its socket is closed", async () => {
  const { exchange, server } = await against(() => {});
  const hanging = exchange();
  const failure = failureOf(hanging.response);
  await expect.poll(server.open).toBe(1);
  expect(hanging.hasConnection).toBe(true);
  hanging.abort(new CodedError("CLIENT_CLOSED_REQUEST", "left"));
  expect(await failure).toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
  await expect.poll(server.open).toBe(0);
});

test("an exchange that is aborted after its end does not harm the next on its connection", async () => {
  const { exchange, server } = await against(
    (socket, _request, count) => void setTimeout(() => socket.write(http(200, "{}")), count === 1 ? 0 : 100),
    1,
  );
  const over = exchange();
  await over.response;
  const next = exchange();
  await expect.poll(() => server.requests.length).toBe(2);
  over.abort(new CodedError("CLIENT_CLOSED_REQUEST", "left"));
  expect((await next.response).status).toBe(200);
});

describe("a complete body that waits for the end of the tick", () => {
  /** Runs `meanwhile` when the body is complete and not read yet. */
  async function completing(meanwhile: (exchange: Exchange) => void) {
    const { exchange } = await against(send(http(200, '{"a":1}')));
    const one = exchange();
    const end = one.onResponseEnd.bind(one);
    vi.spyOn(one, "onResponseEnd").mockImplementation(() => {
      end();
      meanwhile(one);
    });
    return one.response;
  }

  test("is read although its deadline expires meanwhile", async () => {
    const response = await completing((one) => one.abort(new CodedError("UPSTREAM_TIMEOUT", "late")));
    expect(await response.text()).toBe('{"a":1}');
  });

  test("is discarded when its reader leaves meanwhile", async () => {
    const response = await completing((one) => one.abandon());
    expect(await response.text()).toBe("");
  });
});

test("an exchange that is aborted before it is sent is never sent", async () => {
  const { server, get } = await against(send(http(200, "{}")));
  const pool = new Pool(server.url.origin);
  onTestFinished(() => pool.destroy());
  const aborted = new Exchange(freeBudget, true);
  aborted.abort(new CodedError("CLIENT_CLOSED_REQUEST", "left"));
  aborted.send(pool, { method: "GET", path: "/never", headers: {}, body: undefined });
  expect(await failureOf(aborted.response)).toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
  await get();
  expect(server.requests).toHaveLength(1);
});
