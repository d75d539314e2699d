/** A slow or failing product: `node faulty.mjs` forwards each call after three seconds, `node faulty.mjs 500` answers with 500. */
import { createServer, request } from "node:http";

const status = Number(process.argv[2]);
createServer((incoming, response) => {
  if (status) return response.writeHead(status).end();
  setTimeout(() => {
    if (response.destroyed) return; // the page was closed or reloaded
    const { method, url, headers } = incoming;
    const call = request(`http://127.0.0.1:4000${url}`, { method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode, upstream.headers);
      upstream.pipe(response);
    });
    call.on("error", () => response.destroy());
    incoming.pipe(call);
  }, 3_000);
}).listen(4001, "127.0.0.1");
