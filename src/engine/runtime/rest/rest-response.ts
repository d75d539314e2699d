/** A response of REST, as openapi-fetch takes it: a light stand-in for `Response` whose whole body is there. */

import { isJson, isText } from "../../shared/media-type.ts";
import { Dictionary, own } from "../../shared/own.ts";
import type { ResponseSource } from "../observe/request-record.ts";

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Headers without the white space after their values, which is no part of them (RFC 9112 §5.1) and which undici leaves there.
 * Returns the same object if there is none.
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
 * The media type of a body. Of several, in one line or in several, the last valid one counts (RFC 9110 §8.3; Fetch, "extract a
 * MIME type").
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

/** Linear, as `/[ \t]+$/` is not. `trimEnd` would also take characters that belong to a value (U+00A0). */
function withoutSpaceAtEnd(value: string): string {
  let end = value.length;
  while (isSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(0, end);
}

/** Earlier than each time at which a response may become stale. */
export const neverStored = Number.NEGATIVE_INFINITY;

export class RestResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: ResponseHeaders;
  /** The bytes of the decompressed body. A body of many small values counts for more. */
  readonly bytes: number;
  readonly rawHeaders: RawHeaders;
  source: ResponseSource = "fetched";
  /** The age of a cached response in seconds (RFC 9111 §4.2.3). */
  ageSeconds: number | undefined;
  /**
   * Until when REST allows to use the response without a call, on the clock of `performance.now`. `neverStored`: it must not be
   * store it.
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

  /** The same response, for another reader. Both have the same value, which is never changed. */
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

  /** Characters of the body that are not parsed yet, or what they count for if it holds many values. */
  get unparsed(): number {
    return this.#text === "" ? 0 : Math.max(this.#text.length, this.bytes);
  }

  /**
   * An upper estimate of the bytes that the value of an unparsed body takes. Measured: an empty object takes 21 bytes
   * for each byte of its JSON, objects with members 5, ordinary rows 1.3.
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

  /** The body as text. It is empty once `body` was read. */
  async text(): Promise<string> {
    return this.#text;
  }

  /**
   * The value of the body, `undefined` for an empty one. Text is its own value, and JSON is parsed at the first use. Throws
   * `SyntaxError`.
   */
  get body(): unknown {
    if (this.#text === "") return this.#value;
    const media = this.mediaType;
    this.#value = isText(media) && !isJson(media) ? this.#text : JSON.parse(this.#text);
    this.#text = "";
    return this.#value;
  }

  /** Parses the body of a success now. A body that is not JSON throws later, when `body` is read. */
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

  /** The value of a header; several lines are one list (RFC 9110 §5.3). */
  get(name: string): string | undefined {
    const value = own(this.#raw, name.toLowerCase());
    return Array.isArray(value) ? value.join(", ") : value;
  }
}
