/** Keeping responses for their validators pauses where none is confirmed, and for few other callers. */
import { beforeEach, expect, test, vi } from "vitest";
import { unconfirmedResponses } from "../../../../src/engine/runtime/settings/capacity.ts";
import { against } from "./client.ts";
import { http } from "./raw-server.ts";

/** The monotonic clock, which the tests move. */
let clockMs = 0;
beforeEach(() => {
  clockMs = 1_000_000;
  const now = vi.spyOn(performance, "now").mockImplementation(() => clockMs);
  return () => now.mockRestore();
});

/** An upstream whose responses have `headers`. Callers that it honours get a 304 to a conditional call. */
async function serving(headers: Record<string, string>) {
  const honoured = new Set<string>();
  const { request, server } = await against((socket, text) => {
    const isConditional = /if-(?:none-match|modified-since):/.test(text);
    const isHonoured = honoured.has(/x-api-key: (\S+)/.exec(text)?.[1] ?? "");
    // the length of the body that a 200 would have (RFC 9110 §8.6), as some servers send it
    if (isHonoured && isConditional) socket.write(http(304, "", { "content-length": "6", ...headers }));
    else socket.write(http(200, '"fine"', headers));
  });
  /** Reads. Returns whether the call was conditional. */
  const read = async (path: "/things" | "/motto" = "/things", caller = "key"): Promise<boolean> => {
    await request(caller).get(path);
    return /if-(?:none-match|modified-since):/.test(server.requests.at(-1) ?? "");
  };
  return { honoured, read };
}

test.each<[string, Record<string, string>]>([
  ["ETag", { etag: '"one"' }],
  ["ETag beside a lifetime of 0", { etag: '"one"', "cache-control": "max-age=0, must-revalidate" }],
  ["Last-Modified", { "last-modified": "Sun, 22 Nov 2026 10:00:00 GMT" }],
])(
  "an upstream that sends an %s and no 304 is soon read without conditions, for a minute, then for two",
  async (_name, headers) => {
    const { honoured, read } = await serving(headers);
    const conditional: boolean[] = [];
    for (let count = 0; count < 40; count++) conditional.push(await read());
    expect(conditional).toEqual(
      conditional.map((_, index) => index > 0 && index <= unconfirmedResponses.inRow),
    );
    expect([await read("/motto"), await read("/motto")]).toEqual([false, true]); // a response of its own

    clockMs += 61_000;
    expect([await read(), await read(), await read()]).toEqual([false, true, false]);
    clockMs += 61_000;
    expect([await read(), await read()]).toEqual([false, false]);
    clockMs += 61_000;
    honoured.add("key");
    await read();
    for (let count = 0; count < 40; count++) expect(await read()).toBe(true);
  },
);

test("a caller whose validators are never confirmed changes nothing for a caller of another group", async () => {
  const { honoured, read } = await serving({ etag: '"one"' });
  honoured.add("steady");
  await read("/things", "steady");
  for (let count = 0; count < 40; count++) await read("/things", "changing");
  expect(await read("/things", "changing")).toBe(false);
  expect([await read("/things", "new"), await read("/things", "new")]).toEqual([false, true]);
  expect(await read("/things", "steady")).toBe(true);
  for (let count = 0; count < 2; count++) expect(await read("/things", "changing")).toBe(false);
});

test("of very many callers without a 304, few responses are kept in vain", async () => {
  const { read } = await serving({ etag: '"one"' });
  const callers = Array.from({ length: 400 }, (_, caller) => `key${caller}`);
  for (const caller of callers) await read("/things", caller);
  let conditional = 0;
  for (const caller of callers) conditional += Number(await read("/things", caller));
  expect(conditional).toBeGreaterThan(0);
  expect(conditional).toBeLessThanOrEqual(unconfirmedResponses.inRow * unconfirmedResponses.groups);
});

test("a pause is never longer than 64 minutes, and a 304 ends them", async () => {
  const { honoured, read } = await serving({ etag: '"one"' });
  for (let pauses = 0; pauses < 12; pauses++) {
    for (let count = 0; count <= unconfirmedResponses.inRow; count++) await read();
    expect(await read()).toBe(false);
    clockMs += 64 * 60_000 + 1;
  }
  honoured.add("key");
  expect([await read(), await read()]).toEqual([false, true]);
  honoured.delete("key");
  const conditional: boolean[] = [];
  for (let count = 0; count < 20; count++) conditional.push(await read());
  expect(conditional.filter(Boolean)).toHaveLength(1 + unconfirmedResponses.inRow);
});
