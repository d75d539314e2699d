/** The bytes of REST's responses that one request may hold. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { RestClient } from "../../../../src/engine/runtime/rest/client.ts";
import { against } from "../rest/client.ts";
import { type Answer, http } from "../rest/raw-server.ts";

describe("MAX_REQUEST_BYTES", () => {
  const body = JSON.stringify({ text: "x".repeat(89) }); // 100 bytes
  const limits = { MAX_REQUEST_BYTES: "200" };
  const things = (rest: RestClient, ...ids: string[]) =>
    Promise.allSettled(ids.map((thingId) => rest.get("/things/{thingId}", { path: { thingId } })));
  const over = { code: "LIMIT_EXCEEDED", details: { limit: "MAX_REQUEST_BYTES", value: 200 } };

  test.each<[string, Answer]>([
    ["announced", (socket) => void socket.write(http(200, body))],
    [
      "in chunks",
      (socket) =>
        void socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n64\r\n${body}\r\n0\r\n\r\n`,
        ),
    ],
  ])("are read, %s; one answer more is refused, those that are there stay", async (_how, answer) => {
    const { request } = await against(answer, limits);
    const rest = request();
    expect((await things(rest, "a", "b", "a")).map(({ status }) => status)).toEqual(
      Array(3).fill("fulfilled"),
    );
    expect(await things(rest, "c", "a")).toMatchObject([
      { status: "rejected", reason: over },
      { status: "fulfilled", value: JSON.parse(body) },
    ]);
    expect((await things(request(), "c"))[0]?.status).toBe("fulfilled");
  });

  test("count compressed responses by their decompressed bytes", async () => {
    const packed = gzipSync(JSON.stringify("x".repeat(199)));
    const { request } = await against((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`,
      );
      socket.write(packed);
    }, limits);
    expect(await things(request(), "a")).toMatchObject([{ reason: over }]);
  });

  test("count many values for more than their text has", async () => {
    const many = JSON.stringify(Array(100_000).fill(1)); // 200 kB, which count for 2 MB
    const { request } = await against((socket) => void socket.write(http(200, many)), {
      MAX_REQUEST_BYTES: "3000000",
    });
    expect((await things(request(), "a", "b")).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
    ]);
  });

  test.each([
    ["nested lists", "[".repeat(30_000) + "]".repeat(30_000)],
    ["empty objects", JSON.stringify(Array(20_000).fill({}))],
    ["objects with empty names", JSON.stringify(Array(8_000).fill({ "": {} }))],
  ])("count the values of small bodies too: %s", async (_what, many) => {
    const { request } = await against((socket) => void socket.write(http(200, many)), {
      MAX_REQUEST_BYTES: "1000000",
    });
    expect(many.length).toBeLessThan(65_536);
    const read = await things(request(), ...Array.from({ length: 10 }, (_, id) => `${id}`));
    expect(read.filter(({ status }) => status === "fulfilled").length).toBeLessThan(3);
  });

  test("count an ordinary small body for its text", async () => {
    const rows = JSON.stringify(
      Array(500).fill({ id: "con_1", name: "Contact [1]", email: "a@b.example", tags: [] }),
    );
    const { request } = await against((socket) => void socket.write(http(200, rows)), {
      MAX_REQUEST_BYTES: `${3 * rows.length}`,
    });
    expect((await things(request(), "a", "b", "c")).map(({ status }) => status)).toEqual(
      Array(3).fill("fulfilled"),
    );
  });

  test("are taken by the responses to writes, and no write is sent while its caller holds too much", async () => {
    let done = 0;
    const { request } = await against((socket) => {
      done++;
      socket.write(http(200, body));
    }, limits);
    const requests = Array.from({ length: 10 }, () => request());
    const written = [];
    for (const rest of requests)
      written.push(await rest.post("/things", { body: {} }).catch(({ code }) => code));
    const [last] = written.splice(7);
    expect([...written, last]).toEqual([...Array(7).fill(JSON.parse(body)), "SERVICE_UNAVAILABLE"]);
    expect(done).toBe(7);
    for (const rest of requests) rest.close();
    expect(await request().post("/things", { body: {} })).toEqual(JSON.parse(body));
  });

  test("are free again when the request is over, and no answer is read for it any more", async () => {
    const { request } = await against((socket) => void socket.write(http(200, body)), limits);
    for (let turn = 0; turn < 10; turn++) {
      const rest = request();
      expect((await things(rest, "a", "b"))[1]?.status).toBe("fulfilled");
      rest.close();
      expect((await things(rest, "c"))[0]).toMatchObject({ reason: { code: "CLIENT_CLOSED_REQUEST" } });
    }
    const open = Array.from({ length: 4 }, () => request());
    const last = [];
    for (const rest of open) last.push((await things(rest, "a", "b"))[1]);
    expect(last.map((one) => one?.status)).toEqual([...Array(3).fill("fulfilled"), "rejected"]);
    expect(last[3]).toMatchObject({ reason: { code: "SERVICE_UNAVAILABLE", details: { retryAfter: 1 } } });
  });
});
