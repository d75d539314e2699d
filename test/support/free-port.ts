/**
 * A port of 127.0.0.1 that nobody listens on, for a server that cannot choose one itself. It lies below the ports that the
 * kernel gives to clients and to servers without a choice, so none of them takes it before that server does.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (free) return port;
  }
}
