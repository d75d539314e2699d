/**
 * Makes undici accept an unsolicited `100 Continue`, as RFC 9110 §15.2 requires. undici closes the connection on a 100 but
 * ignores other interim responses, so the 100 is rewritten to a 102. undici would also obey some headers of an interim response
 * (such as `Connection: close`), so the first letter of each header name is overwritten.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { DiagnosticsChannel } from "undici";

const cr = 0x0d;
const lf = 0x0a;
const zero = 0x30;
const one = 0x31;
const two = 0x32;
const x = 0x78;
const isLetter = (byte = 0): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
/** The status line of an interim response up to the first digit of the status. */
const interimStatus = Buffer.from("HTTP/1.1 1");

/** Parses interim responses on a connection, chunk by chunk, up to the status of the final response. */
class InterimResponses {
  #isExpected = false;
  /** The number of bytes parsed in the current status line. Only bytes up to the status code count. */
  #statusBytes = 0;
  #secondDigit: number | undefined;
  /** The number of bytes in the current header line so far, without CR and LF. A line with 0 bytes ends the headers. */
  #lineBytes = 0;

  /** Called before a request is written: the next byte that arrives begins a response. */
  expect(): void {
    this.#isExpected = true;
    this.#statusBytes = 0;
  }

  /** Rewrites each 100 to a 102 and the header names of interim responses to unknown names. */
  rewrite(chunk: Buffer): void {
    for (let at = 0; this.#isExpected && at < chunk.length; at++) {
      if (this.#statusBytes === interimStatus.length + 2) {
        if (this.#beginsHeader(chunk[at])) chunk[at] = x;
      } else if (this.#readStatus(chunk[at])) chunk[at] = two;
    }
  }

  /** Returns true for the last byte of the status 100. */
  #readStatus(byte: number | undefined): boolean {
    const at = this.#statusBytes;
    if (at === 0 && (byte === cr || byte === lf)) return false; // undici's parser also skips empty lines before a response
    this.#statusBytes++;
    if (at < interimStatus.length) this.#isExpected = byte === interimStatus[at];
    else if (at === interimStatus.length) this.#secondDigit = byte;
    else {
      this.#lineBytes = at;
      this.#isExpected = this.#secondDigit !== zero || byte !== one; // the bytes after a 101 are not HTTP
      return this.#secondDigit === zero && byte === zero;
    }
    return false;
  }

  /** Returns true for the first byte of a header name. */
  #beginsHeader(byte: number | undefined): boolean {
    const isFirst = this.#lineBytes === 0;
    if (byte === lf) {
      if (this.#lineBytes === 0) this.#statusBytes = 0; // another response follows
      this.#lineBytes = 0;
    } else if (byte !== cr) this.#lineBytes++;
    return isFirst && isLetter(byte);
  }
}

const followed = new WeakMap<Socket, InterimResponses>();

subscribe("undici:client:sendHeaders", (message) =>
  followed.get((message as DiagnosticsChannel.ClientSendHeadersMessage).socket)?.expect(),
);

/** Must be called for each new connection. The undici client must not pipeline. */
export function acceptContinue(socket: Socket): void {
  const responses = new InterimResponses();
  followed.set(socket, responses);
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk: unknown = read(size);
    if (chunk instanceof Buffer) responses.rewrite(chunk);
    return chunk;
  };
}
