/** QUERY: a read with a body (draft-ietf-httpbis-safe-method-w-body). */
import { expect, test } from "vitest";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import { against, failureOf, ok, status } from "./client.ts";
import { http } from "./raw-server.ts";

const table: Record<string, Operation> = {
  "QUERY /things": { id: "searchThings", product: "A" },
  "POST /things": { id: "makeThing", product: "A" },
};

const bodyIn = (request: string): string => request.slice(request.indexOf("\r\n\r\n") + 4);

/** Responds with the body that was sent. */
const echo: Parameters<typeof against>[0] = (socket, request, count) =>
  ok({ sent: bodyIn(request) })(socket, request, count);

test("is sent with its body as JSON", async () => {
  const { rest, server } = await against(echo, {}, "", table);
  expect(await rest.query("/things", { body: { text: "ä" } })).toBeDefined();
  const [request = ""] = server.requests;
  expect(request).toMatch(/^QUERY \/things HTTP\/1\.1\r\n/);
  expect(request).toMatch(/\r\ncontent-type: application\/json\r\n/i);
  expect(Buffer.from(bodyIn(request), "latin1").toString()).toBe('{"text":"ä"}');
});

test("is one call for identical bodies of a request, and one for each other body", async () => {
  const { rest, server } = await against(echo, {}, "", table);
  const search = (text: string) => rest.query("/things", { body: { text } }, "sent");
  const found = await Promise.all([search("a"), search("b"), search("a")]);
  expect(found).toEqual(['{"text":"a"}', '{"text":"b"}', '{"text":"a"}']);
  const long = "x".repeat(10_000);
  await Promise.all([search(`${long}1`), search(`${long}2`), search(`${long}1`)]);
  expect(server.requests).toHaveLength(4);
});

test("is retried once, as a GET is, and a POST is not", async () => {
  const { request, server } = await against(status(503), {}, "", table);
  await failureOf(request().query("/things", { body: {} }));
  expect(server.requests).toHaveLength(2);
  await failureOf(request().post("/things", { body: {} }));
  expect(server.requests).toHaveLength(3);
});

test("is cached by its body, for one caller, until the caller writes", async () => {
  const { request, server } = await against(
    (socket, text) =>
      socket.write(http(200, "{}", { "cache-control": "private, max-age=60", "x-of": text.slice(0, 5) })),
    {},
    "",
    table,
  );
  const search = (text: string, caller?: string) => request(caller).query("/things", { body: { text } });
  for (let count = 0; count < 3; count++) await search("a"); // the cache admits what was asked for before
  const afterFirst = server.requests.length;
  await search("a");
  expect(server.requests).toHaveLength(afterFirst);
  await search("b");
  await search("a", "another");
  expect(server.requests).toHaveLength(afterFirst + 2);
  await request().post("/things", { body: {} });
  await search("a");
  expect(server.requests).toHaveLength(afterFirst + 4);
});
