/** What is kept ends with REST's refusal: a permission that was taken, or an object that is gone. */
import { expect, test } from "vitest";
import { against, failureOf } from "./client.ts";
import { http } from "./raw-server.ts";

const kept = { "cache-control": "max-age=0, stale-while-revalidate=600, stale-if-error=600", etag: '"1"' };

test.each([403, 404, 410])(
  "after a %i no stored response is served, stale or on a failure",
  async (status) => {
    let answer = http(200, '{"a":1}', kept);
    const { request, server } = await against((socket) => void socket.write(answer));
    expect(await request().get("/things")).toEqual({ a: 1 });
    answer = http(status, "{}");
    expect(await request().get("/things")).toEqual({ a: 1 }); // stale, while a call makes it fresh
    await expect.poll(() => server.requests.length).toBe(2);
    await expect
      .poll(async () =>
        request()
          .get("/things")
          .catch(({ code }) => code),
      )
      .not.toEqual({ a: 1 });
    answer = http(503, "{}");
    expect((await failureOf(request().get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
  },
);

test("a 429 says nothing of what is stored", async () => {
  let answer = http(200, '{"a":1}', { ...kept, "cache-control": "max-age=0, stale-if-error=600" });
  const { request } = await against((socket) => void socket.write(answer));
  await request().get("/things");
  answer = http(429, "{}");
  await failureOf(request().get("/things"));
  answer = http(503, "{}");
  expect(await request().get("/things")).toEqual({ a: 1 });
});
