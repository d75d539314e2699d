/** A response of REST for openapi-fetch: a lightweight replacement for `Response` whose whole body has been received. */

import { isJson, isText } from "../../shared/media-type.ts";
import { Dictionary, own } from "../../shared/own.ts";
import type { ResponseSource } from "../observe/request-record.ts";

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Removes the white space after header values, which is not part of them (RFC 9112 §5.1) but which undici keeps. Returns the same
 * object if there is none.
 */
export function withoutTrailingSpace(headers: RawHeaders): RawHeaders {
  let trimmed: Dictionary<string | string[] | undefined> | undefined;
  for (const name in headers) {
    const value = headers[name];
    const isTrimmed = Array.isArray(value) ? !value.some(endsWithSpace) : !endsWithSpace(value);
    if (isTrimmed) continue;
    trimmed ??= new Dictionary(headers);
    trimmed[name] = Array.isArray(value) ? value.map(withoutSpaceAtEnd) : withoutSpaceAtEnd(value ?? "");
  }
  return trimmed ?? headers;
}

/**
 * Returns the media type of a body. If there are several, in one header line or in several, the last valid one counts (RFC 9110
 * §8.3; Fetch, "extract a MIME type").
 */
export function mediaTypeOf(headers: RawHeaders): string {
  const given = headers["content-type"] ?? "";
  if (typeof given === "string" && !given.includes(",")) return given;
  const values = [given].flat().join(",").match(listElement) ?? [];
  return values.map((value) => value.trim()).findLast((value) => validMediaType.test(value)) ?? "";
}

/** An element of a list whose quoted strings may contain commas (RFC 9110 §5.6.4). */
const listElement = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs;
const validMediaType = /^(?!\*\/\*)[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(?:;|$)/;

const [space, tab] = [0x20, 0x09];
const isSpace = (unit: number): boolean => unit === space || unit === tab;
const endsWithSpace = (value = ""): boolean => isSpace(value.charCodeAt(value.length - 1));

/** Takes linear time, unlike `/[ \t]+$/`. `trimEnd` would also remove characters that belong to a value (U+00A0). */
function withoutSpaceAtEnd(value: string): string {
  let end = value.length;
  while (isSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(0, end);
}

/** Value of `freshUntil` for a response that must not be stored: earlier than any other. */
export const neverStored = Number.NEGATIVE_INFINITY;

export class RestResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: ResponseHeaders;
  /** The bytes of the decompressed body. A body of many small values counts as more. */
  readonly bytes: number;
  readonly rawHeaders: RawHeaders;
  source: ResponseSource = "fetched";
  /** The age of a cached response in seconds (RFC 9111 §4.2.3). */
  ageSeconds: number | undefined;
  /**
   * The time until which REST permits reusing the response without a call, on the clock of `performance.now`; `neverStored` if it
   * must not be stored.
   */
  freshUntil = neverStored;
  #text: string;
  #value: unknown;

  constructor(status: number, headers: RawHeaders, text: string, bytes: number) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = new ResponseHeaders(headers);
    this.rawHeaders = headers;
    this.bytes = bytes;
    this.#text = text;
  }

  /** Returns a copy of the response for another reader. Both share the same value, which is never modified. */
  copy(source: ResponseSource, headers = this.rawHeaders): RestResponse {
    const copy = new RestResponse(this.status, headers, this.#text, this.bytes);
    copy.#value = this.#value;
    copy.source = source;
    copy.freshUntil = this.freshUntil;
    return copy;
  }

  get mediaType(): string {
    return mediaTypeOf(this.rawHeaders);
  }

  /** Characters of a body that is not parsed yet, or `bytes` if the body counts as more; 0 once it is parsed. */
  get unparsed(): number {
    return this.#text === "" ? 0 : Math.max(this.#text.length, this.bytes);
  }

  /**
   * Upper estimate of the bytes that the parsed value of an unparsed body needs. Measured: an empty object takes 21 bytes for
   * each byte of its JSON, objects with members 5, ordinary rows 1.3.
   */
  get valueBytes(): number {
    let [values, containers] = [0, 0];
    for (let at = 0; at < this.#text.length; at++) {
      const unit = this.#text.charCodeAt(at);
      if (unit === comma) values++;
      else if (unit === bracket || unit === brace) containers++;
    }
    return this.bytes + bytesPerValue * values + bytesPerContainer * containers;
  }

  /** The unparsed body. It is empty once `body` has been read. */
  async text(): Promise<string> {
    return this.#text;
  }

  /**
   * The value of the body; `undefined` if it is empty. The value of a text body is the text; JSON is parsed at the first use.
   * Throws `SyntaxError`.
   */
  get body(): unknown {
    if (this.#text === "") return this.#value;
    const media = this.mediaType;
    this.#value = isText(media) && !isJson(media) ? this.#text : JSON.parse(this.#text);
    this.#text = "";
    return this.#value;
  }

  /** Parses the body of a 2xx response before its first use. If it is not valid JSON, only reading `body` throws. */
  parse(): void {
    if (!this.ok) return;
    try {
      void this.body;
    } catch {}
  }
}

const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];
const [bytesPerValue, bytesPerContainer] = [24, 64];

class ResponseHeaders {
  readonly #raw: RawHeaders;

  constructor(raw: RawHeaders) {
    this.#raw = raw;
  }

  /** Returns the value of a header; several lines are joined to one list (RFC 9110 §5.3). */
  get(name: string): string | undefined {
    const value = own(this.#raw, name.toLowerCase());
    return Array.isArray(value) ? value.join(", ") : value;
  }
}
