/** Few requests begin in a turn of the event loop, all of them in their order, and none for a client that has left. */
import { once } from "node:events";
import net from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { Pace, paceRequests } from "../../src/graphql/pace.ts";

function starting(count: number, pace: Pace, begun: number[] = []): number[] {
  for (let index = 0; index < count; index++) pace.start(() => begun.push(index));
  return begun;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test("sixteen begin in a turn, the others in the next ones, in their order", async () => {
  const begun = starting(40, new Pace());
  expect(begun).toEqual(upTo(16));
  await nextTurn();
  expect(begun).toEqual(upTo(32));
  await nextTurn();
  expect(begun).toEqual(upTo(40));
});

test("who asks in a later turn does not pass those who wait", async () => {
  const pace = new Pace();
  const begun = starting(33, pace);
  await nextTurn();
  pace.start(() => begun.push(33));
  expect(begun).toEqual(upTo(32));
  await nextTurn();
  expect(begun).toEqual(upTo(34));
});

test("two begin in a turn while connections come", async () => {
  const pace = new Pace();
  pace.connected();
  const begun = starting(20, pace);
  expect(begun).toEqual(upTo(2));
  await nextTurn();
  expect(begun).toEqual(upTo(4));
  pace.connected();
  await nextTurn();
  expect(begun).toEqual(upTo(6));
  await nextTurn();
  expect(begun).toEqual(upTo(20));
});

test("a loop at rest starts at once, turn after turn", async () => {
  const pace = new Pace();
  for (let turn = 0; turn < 5; turn++, await nextTurn()) expect(starting(16, pace)).toHaveLength(16);
});

test("on a server, who leaves while waiting does not begin", async () => {
  const server = Fastify();
  onTestFinished(() => server.close());
  paceRequests(server);
  const begun: string[] = [];
  const sockets: net.Socket[] = [];
  server.get("/:name", async (request) => {
    const isFirst = begun.push((request.params as { name: string }).name) === 1;
    // all requests have been read by then; the first 32 begin before the sockets are closed
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
