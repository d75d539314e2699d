/** The end of a turn of the event loop: all that wait for it go on together, after the data of the turn. */
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { endOfTick } from "../../../../src/engine/runtime/governor/end-of-tick.ts";
import { inFrontOf, me } from "./rest-stand-in.ts";

test("those who wait in one turn go on together, and the next turn has an end of its own", async () => {
  const first = endOfTick();
  expect(endOfTick()).toBe(first);
  const order: string[] = [];
  process.nextTick(() => order.push("the turn's work"));
  await Promise.all([first.then(() => order.push("one")), first.then(() => order.push("other"))]);
  expect(order).toEqual(["the turn's work", "one", "other"]);
  expect(endOfTick()).not.toBe(first);
});

test("kept answers to requests that come together are sent together", async () => {
  const { server, url } = await inFrontOf((_request, response) => {
    const headers = { "content-type": "application/json", "cache-control": "max-age=60" };
    response.writeHead(200, headers).end(JSON.stringify(me));
  });
  const { pathname, search, port, host, href } = new URL(
    `?query=${encodeURIComponent("{ me { id } }")}`,
    url,
  );
  await (await fetch(href, { headers: { "x-api-key": "key", "accept-language": "en" } })).text();
  const order: string[] = [];
  server.server.prependListener("request", (_request, response) => {
    order.push("came");
    vi.spyOn(response, "end").mockImplementationOnce((...given: unknown[]) => {
      order.push("sent");
      return response.end(...(given as []));
    });
  });
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\naccept: */*\r\nx-api-key: key\r\naccept-language: en\r\n\r\n`;
  const socket = connect(Number(port), "127.0.0.1", () => socket.write(request + request));
  onTestFinished(() => void socket.destroy());
  await expect.poll(() => order).toEqual(["came", "came", "sent", "sent"]);
});
