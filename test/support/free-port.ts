/**
 * A free port of 127.0.0.1, for a server that cannot choose one itself. It is below the kernel's ephemeral ports, so no client
 * or server that gets a port from the kernel takes it before that server does.
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
