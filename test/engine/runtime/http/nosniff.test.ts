/** No browser may guess the media type of an answer (`X-Content-Type-Options: nosniff`), whoever wrote it. */
import net from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { goodKey } from "../../gateway/fakes.ts";
import { startGateway, upstream } from "../../gateway/start.ts";
import { inFrontOf, send } from "../graphql/rest-stand-in.ts";

const nosniff = ({ headers }: Response): string | null => headers.get("x-content-type-options");

test("a GraphQL response, an error and a health check forbid it", async () => {
  const { url, post } = await inFrontOf((_request, response) => send(response, {}));
  const answers = [await post("{ __typename }"), await post("{ nothing }")];
  for (const path of ["/healthz", "/nowhere", "/%zz"]) answers.push(await fetch(new URL(path, url)));
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 404, 400]);
  expect(answers.map(nosniff)).toEqual(Array(5).fill("nosniff"));
});

test("so does an answer that the gateway forwards, and one to what is no HTTP", async () => {
  const { url } = await startGateway();
  const forwarded = await fetch(new URL("/v1/identity/me", url), { headers: { "x-api-key": goodKey } });
  expect([forwarded.status, nosniff(forwarded)]).toEqual([200, "nosniff"]);
  const socket = net.connect(Number(url.port), url.hostname);
  socket.write("no HTTP\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*\r\nX-Content-Type-Options: nosniff\r\n/s);
});

test("no upstream allows it", async () => {
  const rest = await upstream((_request, response) =>
    response.writeHead(200, { "x-content-type-options": "allow" }).end(),
  );
  const { url } = await startGateway({ rest });
  expect(nosniff(await fetch(new URL("/v1/a", url), { headers: { "x-api-key": goodKey } }))).toBe("nosniff");
});
