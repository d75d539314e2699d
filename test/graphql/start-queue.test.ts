/** Few requests start in a turn of the event loop. They keep their order. None starts after its client has left. */
import { once } from "node:events";
import net from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { limitStarts, StartQueue } from "../../src/graphql/start-queue.ts";

function starting(count: number, queue: StartQueue, begun: number[] = []): number[] {
  for (let index = 0; index < count; index++) queue.start(() => begun.push(index));
  return begun;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test("sixteen requests start in a turn, and the others follow in order in the next turns", async () => {
  const begun = starting(40, new StartQueue());
  expect(begun).toEqual(upTo(16));
  await nextTurn();
  expect(begun).toEqual(upTo(32));
  await nextTurn();
  expect(begun).toEqual(upTo(40));
});

test("a later request does not overtake waiting requests", async () => {
  const queue = new StartQueue();
  const begun = starting(33, queue);
  await nextTurn();
  queue.start(() => begun.push(33));
  expect(begun).toEqual(upTo(32));
  await nextTurn();
  expect(begun).toEqual(upTo(34));
});

test("two requests start in a turn that accepts a connection", async () => {
  const queue = new StartQueue();
  queue.connected();
  const begun = starting(20, queue);
  expect(begun).toEqual(upTo(2));
  await nextTurn();
  expect(begun).toEqual(upTo(4));
  queue.connected();
  await nextTurn();
  expect(begun).toEqual(upTo(6));
  await nextTurn();
  expect(begun).toEqual(upTo(20));
});

test("an idle event loop starts requests at once in each turn", async () => {
  const queue = new StartQueue();
  for (let turn = 0; turn < 5; turn++, await nextTurn()) expect(starting(16, queue)).toHaveLength(16);
});

test("on a server, a request whose client leaves the queue never starts", async () => {
  const server = Fastify();
  onTestFinished(() => server.close());
  limitStarts(server);
  const begun: string[] = [];
  const sockets: net.Socket[] = [];
  server.get("/:name", async (request) => {
    const isFirst = begun.push((request.params as { name: string }).name) === 1;
    // the server has read all requests by then; the first 32 start before the sockets close
    if (isFirst) process.nextTick(() => sockets.slice(36).map((socket) => socket.destroy()));
    return "";
  });
  await server.listen({ port: 0, host: "127.0.0.1" });
  const { port } = server.server.address() as net.AddressInfo;
  const accepted = Promise.withResolvers<void>();
  let connections = 0;
  server.server.on("connection", (socket) => {
    sockets.push(socket);
    if (++connections === 40) accepted.resolve();
  });
  const clients = upTo(40).map(() => net.connect(port, "127.0.0.1"));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
  });
  await accepted.promise;
  await nextTurn();
  await nextTurn();
  for (const [index, socket] of sockets.entries())
    socket.unshift(`GET /${index} HTTP/1.1\r\nhost: a\r\n\r\n`);
  await Promise.all(clients.slice(0, 36).map((client) => once(client, "data")));
  expect(begun).toEqual(upTo(36).map(String));
});
