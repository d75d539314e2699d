/** A completely received REST response. It replaces `Response` in openapi-fetch. */

import { isJson, isText } from "../../shared/media-type.ts";
import { Dictionary, own } from "../../shared/own.ts";
import type { ResponseSource } from "../observe/request-record.ts";

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Removes white space at the end of header values, which undici does not remove (RFC 9112 §5.1). Returns the same object if no
 * value ends with white space.
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

/** If a response has several media types, the last valid one is used (RFC 9110 §8.3; Fetch, "extract a MIME type"). */
export function mediaTypeOf(headers: RawHeaders): string {
  const given = headers["content-type"] ?? "";
  if (typeof given === "string" && !given.includes(",")) return given;
  const values = [given].flat().join(",").match(listElement) ?? [];
  return values.map((value) => value.trim()).findLast((value) => validMediaType.test(value)) ?? "";
}

/** A list element; commas within quoted strings do not end it (RFC 9110 §5.6.4). */
const listElement = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs;
const validMediaType = /^(?!\*\/\*)[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(?:;|$)/;

const space = 0x20;
const tab = 0x09;
const isSpace = (unit: number): boolean => unit === space || unit === tab;
const endsWithSpace = (value = ""): boolean => isSpace(value.charCodeAt(value.length - 1));

/** `/[ \t]+$/` would take quadratic time, and `trimEnd` would also remove U+00A0, which belongs to the value. */
function withoutSpaceAtEnd(value: string): string {
  let end = value.length;
  while (isSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(0, end);
}

/**
 * The `freshUntil` of a response that must not be stored. It is lower than any time: the minimum `freshUntil` of several
 * responses is `neverStored` if one must not be stored.
 */
export const neverStored = Number.NEGATIVE_INFINITY;

export class RestResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: ResponseHeaders;
  /** The size of the decompressed body, or a larger estimate for a body with many small values. */
  readonly bytes: number;
  readonly rawHeaders: RawHeaders;
  source: ResponseSource = "fetched";
  /** The age of a cached response in seconds (RFC 9111 §4.2.3). */
  ageSeconds: number | undefined;
  /** The time until which REST permits reusing the response, on the clock of `performance.now`. */
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

  /** Returns a copy for another reader. The copies share the parsed value, which is never modified. */
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

  /** The size of the unparsed body; 0 if it is parsed. */
  get unparsed(): number {
    return this.#text === "" ? 0 : Math.max(this.#text.length, this.bytes);
  }

  /**
   * An upper estimate of the memory of the parsed body. Measured bytes of memory per byte of JSON: 21 for an empty object, 5 for
   * objects with members, 1.3 for ordinary rows.
   */
  get valueBytes(): number {
    let values = 0;
    let containers = 0;
    for (let at = 0; at < this.#text.length; at++) {
      const unit = this.#text.charCodeAt(at);
      if (unit === comma) values++;
      else if (unit === bracket || unit === brace) containers++;
    }
    return this.bytes + bytesPerValue * values + bytesPerContainer * containers;
  }

  /** The unparsed body; empty after `body` was read. */
  async text(): Promise<string> {
    return this.#text;
  }

  /** The parsed JSON, or the text of a text body; `undefined` if the body is empty. Throws a `SyntaxError` for invalid JSON. */
  get body(): unknown {
    if (this.#text === "") return this.#value;
    const media = this.mediaType;
    this.#value = isText(media) && !isJson(media) ? this.#text : JSON.parse(this.#text);
    this.#text = "";
    return this.#value;
  }

  /** Parses the body of a 2xx response in advance. Does not throw for invalid JSON: reading `body` throws. */
  parse(): void {
    if (!this.ok) return;
    try {
      void this.body;
    } catch {}
  }
}

const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;
const bytesPerValue = 24;
const bytesPerContainer = 64;

class ResponseHeaders {
  readonly #raw: RawHeaders;

  constructor(raw: RawHeaders) {
    this.#raw = raw;
  }

  /** The values of a repeated header are joined (RFC 9110 §5.3). */
  get(name: string): string | undefined {
    const value = own(this.#raw, name.toLowerCase());
    return Array.isArray(value) ? value.join(", ") : value;
  }
}
