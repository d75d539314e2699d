/** QUERY, a read whose request has content (draft-ietf-httpbis-safe-method-w-body), and methods without a function of the client. */
import { expect, test } from "vitest";
import { against, failureOf, ok, status } from "./client.ts";
import { http } from "./raw-server.ts";

const table = {
  "QUERY /things": { id: "searchThings", product: "A" },
  "QUERY /things/first": { id: "findFirst", product: "A", refusals: ["404"], bareRefusals: ["404"] },
  "COPY /things/{thingId}": { id: "copyThing", product: "A" },
};
const named = (name: string) => ({ body: { name } });

/** An upstream whose responses count its requests. */
const counting = (headers: Record<string, string> = {}) =>
  against(
    (socket, _request, count) => void socket.write(http(200, JSON.stringify({ count }), headers)),
    {},
    "",
    table,
  );

test("a QUERY is sent with its content, and identical ones of a request are one call", async () => {
  const { rest, server } = await counting();
  const [one, same, other] = await Promise.all([
    rest.query("/things", named("a")),
    rest.query("/things", named("a")),
    rest.query("/things", named("b")),
  ]);
  expect(one).toEqual(same);
  expect(other).not.toEqual(one);
  expect(server.requests).toHaveLength(2);
  for (const [index, name] of ["a", "b"].entries()) {
    expect(server.requests[index]).toMatch(/^QUERY \/things HTTP\/1\.1\r\n/);
    expect(server.requests[index]).toMatch(/^content-type: application\/json\r$/im);
    expect(server.requests[index]?.endsWith(`\r\n\r\n{"name":"${name}"}`)).toBe(true);
  }
});

test("a response is kept for the same content alone", async () => {
  const { request, server } = await counting({ "cache-control": "max-age=60" });
  expect(await request().query("/things", named("a"))).toEqual({ count: 1 });
  expect(await request().query("/things", named("b"))).toEqual({ count: 2 });
  expect(await request().query("/things", named("a"))).toEqual({ count: 1 });
  expect(await request().query("/things")).toEqual({ count: 3 });
  expect(server.requests).toHaveLength(3);
});

test("long contents differ, a caller's responses are its own, and a write drops them", async () => {
  const { request, server } = await counting({ "cache-control": "private, max-age=60" });
  const long = "x".repeat(10_000);
  const rest = request();
  await Promise.all([1, 2, 1].map((end) => rest.query("/things", named(`${long}${end}`))));
  expect(server.requests).toHaveLength(2);
  await request("another").query("/things", named(`${long}1`));
  expect(server.requests).toHaveLength(3);
  await request().send("COPY", "/things/{thingId}", { path: { thingId: "1" } });
  await request().query("/things", named(`${long}1`));
  expect(server.requests).toHaveLength(5);
});

test("a QUERY that fails is retried once", async () => {
  const { rest, server } = await against(
    (socket, text, count) => (count === 1 ? status(503) : ok({ fine: true }))(socket, text, count),
    {},
    "",
    table,
  );
  expect(await rest.query("/things", named("a"))).toEqual({ fine: true });
  expect(server.requests).toHaveLength(2);
});

test("a 404 is null where the document has one", async () => {
  const { rest } = await against(status(404), {}, "", table);
  expect(await rest.search("/things/first", named("a"))).toBeNull();
  expect((await failureOf(rest.query("/things/first", named("b")))).code).toBe("NOT_FOUND");
});

test("another method is sent as it is, and is never retried", async () => {
  const { rest, server } = await against(status(503), {}, "", table);
  const failure = await failureOf(rest.send("COPY", "/things/{thingId}", { path: { thingId: "1" } }));
  expect(failure.code).toBe("UPSTREAM_UNAVAILABLE");
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatch(/^COPY \/things\/1 HTTP\/1\.1\r\n/);
});
