/**
 * A free port of 127.0.0.1, for a server that cannot choose one. It is below the kernel's ephemeral ports, so that the kernel
 * does not assign it to another program before the server listens.
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
