/** Chromium's own cache: a saved query by GET that is sent again is revalidated, and its answer is not sent again. */

import { expect, test } from "vitest";
import { api } from "../../../generated/index.ts";
import { freePort } from "../../support/free-port.ts";
import { keys, openLayer } from "../e2e/layer.ts";
import { executable, openPage, timeout } from "./browser.ts";

/** A request as it left the browser, and the status that came back. */
type Exchange = { readonly tag: string | undefined; status?: number };

const variables = { from: "2026-01-01", to: "2026-01-31", q: "a" };

/** A page of this host that sends the saved operation `StartPage` by GET to 127.0.0.1, and what passes on the wire. */
async function openClient(host = "127.0.0.1") {
  expect(executable, "wants Chromium: apt-get install chromium").toBeDefined();
  const port = await freePort();
  const origin = `http://${host}:${port}`;
  const { url } = await openLayer([], { PORT: `${port}`, CORS_ORIGINS: origin });
  const { page } = await openPage([origin, url.origin]);
  await page.goto(`${origin}/healthz`);
  const exchanges = new Map<string, Exchange>();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.requestWillBeSentExtraInfo", ({ requestId, headers }) => {
    if (headers["X-API-Key"]) exchanges.set(requestId, { tag: headers["If-None-Match"] }); // no icon
  });
  session.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) => {
    const exchange = exchanges.get(requestId);
    if (exchange) exchange.status = statusCode;
  });
  const id = api.savedOperations.find(({ name }) => name === "StartPage")?.id ?? "";
  const search = new URLSearchParams({ documentId: id, variables: JSON.stringify(variables) });
  const get = (key: string) =>
    page.evaluate(
      async ([href, key]) => {
        const answer = await fetch(href, { headers: { "X-API-Key": key } });
        return { control: answer.headers.get("cache-control"), text: await answer.text() };
      },
      [new URL(`/v1/graphql?${search}`, url).href, key] as const,
    );
  return { get, exchanges: () => [...exchanges.values()] };
}

test.each([
  ["the same", "127.0.0.1"],
  ["another", "localhost"],
])(
  "a saved query to %s origin that is sent again has If-None-Match, and its answer is read from a 304",
  {
    timeout,
  },
  async (_name, host) => {
    const { get, exchanges } = await openClient(host);
    const first = await get(keys.owner);
    expect(first.text).toContain("olivia@harbor.example");
    expect(first.control).toBe("private, no-cache");
    expect(await get(keys.owner)).toEqual(first);
    await expect.poll(exchanges).toEqual([
      { tag: undefined, status: 200 },
      { tag: expect.stringMatching(/^W\/".{43}"$/), status: 304 },
    ]);
  },
);

test("another key gets its own response in the same browser", { timeout }, async () => {
  const { get, exchanges } = await openClient();
  expect((await get(keys.owner)).text).toContain("olivia@harbor.example");
  expect((await get(keys.otherOwner)).text).toContain("amara@lumen.example");
  expect((await get(keys.owner)).text).toContain("olivia@harbor.example");
  await expect.poll(() => exchanges().map(({ status }) => status)).toEqual([200, 200, 200]);
});
