/**
 * A fault proxy between the graphql role and its REST platform, on bare sockets: each request is passed on, or met with
 * the fault that is set. It relies on what is true here: one request at a time on a connection.
 */
import net from "node:net";

/** What happens to one request: undefined passes it on. */
export type Fault = ((meeting: Meeting) => void) | undefined;
export type Meeting = {
  readonly socket: net.Socket;
  readonly request: string;
  /** Passes the request on after all; `then` gets the answer's bytes instead of the client. */
  readonly passOn: (then?: (answer: Buffer) => void) => void;
};

export type FaultProxy = {
  readonly url: URL;
  /** Requests that arrived, by their first lines. */
  readonly requests: string[];
  /** Connections with a request that is not answered yet. */
  readonly underWay: () => number;
  /** When connections with an unanswered request were closed by the role. */
  readonly left: number[];
  choose: (request: string, count: number) => Fault;
  /** Takes no connections any more. */
  refuse(): Promise<void>;
  close(): Promise<void>;
};

export async function faultProxy(target: URL): Promise<FaultProxy> {
  const sockets = new Set<net.Socket>();
  const waiting = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    const upstream = net.connect(Number(target.port), target.hostname);
    let take: ((answer: Buffer) => void) | undefined;
    upstream.on("error", () => socket.destroy()).on("close", () => socket.end());
    upstream.on("data", (answer) => {
      waiting.delete(socket);
      if (take) take(answer);
      else socket.write(answer);
    });
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket);
        upstream.destroy();
        if (waiting.delete(socket)) proxy.left.push(performance.now());
      });
    socket.on("data", (chunk) => {
      const request = chunk.toString("latin1");
      if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(request)) return void upstream.write(chunk);
      proxy.requests.push(request.slice(0, request.indexOf("\r\n")));
      waiting.add(socket);
      const passOn = (then?: (answer: Buffer) => void): void => {
        take = then;
        upstream.write(chunk);
      };
      const fault = proxy.choose(request, proxy.requests.length);
      if (fault) fault({ socket, request, passOn });
      else passOn();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  const proxy: FaultProxy = {
    url: new URL(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`),
    requests: [],
    underWay: () => waiting.size,
    left: [],
    choose: () => undefined,
    refuse: stop,
    close: stop,
  };
  return proxy;
}

/** Upstream text that must never come out on the other side. */
export const canary = "CANARY-of-the-upstream";

const head = (status: number, headers: Record<string, string>): string =>
  `HTTP/1.1 ${status} X\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

/** Answers with these bytes. */
export const answer =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  ({ socket }) => {
    const all = {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    };
    socket.write(Buffer.concat([Buffer.from(head(status, all)), Buffer.from(body)]));
  };

export const hang: Fault = () => {};
export const reset: Fault = ({ socket }) => void socket.resetAndDestroy();
export const resetInBody: Fault = ({ socket }) =>
  void socket.write(
    `${head(200, { "content-type": "application/json", "content-length": "999" })}{"${canary}":`,
    () => socket.resetAndDestroy(),
  );
export const endInBody: Fault = ({ socket }) =>
  void socket.end(
    `${head(200, { "content-type": "application/json", "content-length": "999" })}{"${canary}":`,
  );
/** The platform does what it was asked to do; nobody gets to know. */
export const loseAnswer: Fault = ({ socket, passOn }) => passOn(() => void socket.resetAndDestroy());

/** A body of this many bytes in pieces, its size not announced, as fast as it is taken. */
export const endless =
  (bytes: number): Fault =>
  ({ socket }) => {
    const piece = Buffer.alloc(65_536, 32);
    socket.write(head(200, { "content-type": "application/json", "transfer-encoding": "chunked" }));
    let left = bytes;
    const more = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= piece.length;
        socket.write("10000\r\n");
        socket.write(piece);
        if (!socket.write("\r\n")) return void socket.once("drain", more);
      }
      if (!socket.destroyed) socket.write("0\r\n\r\n");
    };
    more();
  };
