/** Cached responses of one tick are sent together. */
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { inFrontOf, me } from "./rest-stand-in.ts";

test("cached responses to requests of one tick are sent together", async () => {
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
