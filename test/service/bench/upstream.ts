/** The REST platform of `npm run bench -- peers`: answers that are there already, so that it costs next to nothing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answers } from "./workloads.ts";

const { CACHE_CONTROL: control } = process.env;
let calls = 0;
const server = createServer(({ url = "" }, response) => {
  if (url === "/calls") return void response.end(String(calls));
  calls++;
  const body = answers[url.split("?", 1)[0] ?? ""];
  const head = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body ?? ""),
    ...(control !== undefined && { "cache-control": control }),
  };
  response.writeHead(body === undefined ? 404 : 200, head).end(body);
}).listen(0, "127.0.0.1", () => {
  process.stdout.write(`ready on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
