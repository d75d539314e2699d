/**
 * Makes undici accept an unsolicited `100 Continue`, as RFC 9110 §15.2 requires. undici ignores every other interim response, but
 * closes the connection on a 100. Therefore a 100 is rewritten to a 102, which clients ignore as well. undici would also obey the
 * headers of an interim response, such as `Connection: close`, so the first letter of their names is replaced.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { DiagnosticsChannel } from "undici";

const [cr, lf, zero, one, two, x] = [0x0d, 0x0a, 0x30, 0x31, 0x32, 0x78];
const isLetter = (byte = 0): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
/** Beginning of an interim response's status line. Two more digits complete the status. */
const interimStatus = Buffer.from("HTTP/1.1 1");

/** Tracks the interim responses on a connection, in chunks of any size, up to the first byte that cannot be part of one. */
class InterimResponses {
  #isExpected = false;
  /** Bytes of the current status line, up to the end of its status code. */
  #statusBytes = 0;
  #secondDigit: number | undefined;
  /** Bytes of the current line other than CR: a line without other bytes ends the header section. */
  #lineBytes = 0;

  /** Called when a request is about to be written, so that the next byte begins the head of a response. */
  expect(): void {
    this.#isExpected = true;
    this.#statusBytes = 0;
  }

  /** Changes each 100 in the chunk to a 102, and the header names of interim responses to unknown names. */
  rewrite(chunk: Buffer): void {
    for (let at = 0; this.#isExpected && at < chunk.length; at++) {
      if (this.#statusBytes === interimStatus.length + 2) {
        if (this.#beginsHeader(chunk[at])) chunk[at] = x;
      } else if (this.#readStatus(chunk[at])) chunk[at] = two;
    }
  }

  /** Whether the byte completes the status 100. */
  #readStatus(byte: number | undefined): boolean {
    const at = this.#statusBytes;
    if (at === 0 && (byte === cr || byte === lf)) return false; // undici's parser skips these, too
    this.#statusBytes++;
    if (at < interimStatus.length) this.#isExpected = byte === interimStatus[at];
    else if (at === interimStatus.length) this.#secondDigit = byte;
    else {
      this.#lineBytes = at;
      this.#isExpected = this.#secondDigit !== zero || byte !== one; // no HTTP follows a 101
      return this.#secondDigit === zero && byte === zero;
    }
    return false;
  }

  /** Whether the byte is the first of a header's name. */
  #beginsHeader(byte: number | undefined): boolean {
    const isFirst = this.#lineBytes === 0;
    if (byte === lf) {
      if (this.#lineBytes === 0) this.#statusBytes = 0; // the head of another response follows
      this.#lineBytes = 0;
    } else if (byte !== cr) this.#lineBytes++;
    return isFirst && isLetter(byte);
  }
}

const followed = new WeakMap<Socket, InterimResponses>();

subscribe("undici:client:sendHeaders", (message) =>
  followed.get((message as DiagnosticsChannel.ClientSendHeadersMessage).socket)?.expect(),
);

/** Accepts each unsolicited 100 on a new connection of an undici client without pipelining. */
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
