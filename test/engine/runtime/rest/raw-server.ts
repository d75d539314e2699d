/** An upstream that responds with any bytes at all, on real sockets. */
import net from "node:net";
import { onTestFinished } from "vitest";

export type Answer = (socket: net.Socket, request: string, count: number) => void;
export type RawServer = {
  url: URL;
  requests: string[];
  /** Counts the open connections that have carried a request. */
  open: () => number;
};

/** Calls `answer` for each request, with its head and the part of its body that came along. Ends with the test. */
export async function rawServer(answer: Answer): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<net.Socket>();
  const used = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(text)) return;
      used.add(socket);
      answer(socket, text, requests.push(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    open: () => [...used].filter((socket) => sockets.has(socket)).length,
  };
}

/** A whole HTTP response. Its body is JSON unless `headers` say otherwise. */
export function http(status: number, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  const all = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === "" ? [] : [`${name}: ${value}\r\n`],
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`), Buffer.from(body)]);
}
