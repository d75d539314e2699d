/**
 * Sends one HTTP request as raw bytes on a new connection, for requests that no client library would send. The response is parsed
 * strictly (RFC 9112 §6.3). A malformed response is an error, and so is a server that neither responds nor closes the connection.
 */
import net from "node:net";

export type RawAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

const maxWaitMs = 5_000;

/**
 * Resolves with `undefined` if the server closes the connection without a response. With `hangUp`, the client half-closes the
 * connection after the bytes.
 */
export function sendRaw(port: number, bytes: Buffer, hangUp = false): Promise<RawAnswer | undefined> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = net.connect(port, "127.0.0.1", () => (hangUp ? socket.end(bytes) : socket.write(bytes)));
    const timer = setTimeout(() => settle(new Error(`no answer in ${maxWaitMs} ms`)), maxWaitMs);
    const settle = (result: RawAnswer | undefined | Error): void => {
      clearTimeout(timer);
      socket.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    socket.on("error", () => {}); // a server may reject the request before it has read all of it
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      try {
        const answer = readAnswer(received);
        if (answer) settle(answer);
      } catch (error) {
        settle(error as Error);
      }
    });
    socket.on("close", () => {
      const half = received.toString("latin1").replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)+/, "");
      settle(half ? new Error(`half an answer: ${half}`) : undefined);
    });
  });
}

/** Returns the final response; `undefined` while it is incomplete. Skips interim responses (1xx). */
function readAnswer(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`no status line: ${first}`);
  const rest = bytes.subarray(end + 4);
  if (status < 200) return readAnswer(rest);
  const headers = new Map(lines.map(readField));
  if (status === 204 || status === 304) return { status, headers, body: "" };
  if (headers.get("transfer-encoding") === "chunked") return readChunks(rest, { status, headers });
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`no Content-Length: ${lines.join(" | ")}`);
  const behind = rest.subarray(length).toString("latin1"); // a second response, to bytes parsed as another request
  if (behind && !"HTTP/1.1 ".startsWith(behind.slice(0, 9))) throw new Error(`behind the answer: ${behind}`);
  return rest.length >= length ? { status, headers, body: rest.toString("utf8", 0, length) } : undefined;
}

/** Parses the chunked coding (RFC 9112 §7.1), but only the parts of it that Node's server writes. */
function readChunks(bytes: Buffer, head: Pick<RawAnswer, "status" | "headers">): RawAnswer | undefined {
  let body = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (Number.isNaN(size)) throw new Error("no chunk size");
    if (bytes.length < end + 2 + size + 2) return undefined;
    if (size === 0) return { ...head, body: body.toString("utf8") };
    body = Buffer.concat([body, bytes.subarray(end + 2, end + 2 + size)]);
    at = end + 2 + size + 2;
  }
}

function readField(line: string): [string, string] {
  const at = line.indexOf(":");
  if (at <= 0) throw new Error(`no header field: ${line}`);
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
}
