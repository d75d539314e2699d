/** Serializes request bodies: JSON, URL-encoded forms, `multipart/form-data` and text. */
import { randomUUID } from "node:crypto";
import { isForm, isJson, isMultipartForm } from "../../shared/media-type.ts";
import type { Operation } from "../../shared/operation.ts";
import { own } from "../../shared/own.ts";
import {
  definedParameters,
  jsonOf,
  loneSurrogate,
  type Section,
  serializePairs,
  Unwritable,
} from "./encode.ts";

type WrittenBody = {
  readonly bodySerializer: (body: unknown) => string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Returns the serializer for the media type of an operation's body. A body that is neither JSON nor a form is sent as text. */
export function bodyWriterOf(operation: Operation): WrittenBody {
  const { media } = operation;
  if (media === undefined) return { bodySerializer: serializeJson };
  if (isMultipartForm(media)) return partsWriterOf(operation);
  const headers = { "content-type": media };
  if (isJson(media)) return { bodySerializer: serializeJson, headers };
  const serializeForm = (body: unknown) => serializePairs(operation, "body", formOf(body));
  return { bodySerializer: isForm(media) ? serializeForm : serializeText, headers };
}

/** Returns the properties of a form. Throws for a body that is not an object. */
function formOf(body: unknown): Section {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Unwritable("body", "is not an object, which a form needs");
  return body as Section;
}

/**
 * Serializes `multipart/form-data` (RFC 7578). The boundary is random: a client that knew it could put further parts into a
 * value. `FormData` is not used, because it converts line breaks to CRLF and sends JSON without its media type.
 */
function partsWriterOf({ style = {} }: Operation): WrittenBody {
  const boundary = randomUUID();
  const partOf = (name: string, value: unknown): string => {
    const isInJson = own(style, `body:${name}`)?.style === "json";
    const text = isInJson ? jsonOf(name, value) : String(value);
    if ((typeof value === "object" && !isInJson) || !(name + text).isWellFormed())
      throw new Unwritable(name, "cannot be sent in a form");
    const type = isInJson ? "content-type: application/json\r\n" : "";
    const escaped = name.replace(/[\r\n"]/g, encodeURIComponent); // as browsers do (WHATWG HTML, multipart/form-data encoding)
    return `--${boundary}\r\ncontent-disposition: form-data; name="${escaped}"\r\n${type}\r\n${text}\r\n`;
  };
  const partsOf = ([name, value]: [string, unknown]): string[] =>
    Array.isArray(value) && own(style, `body:${name}`)?.style !== "json"
      ? value.map((item) => partOf(name, item))
      : [partOf(name, value)];
  return {
    bodySerializer: (body) =>
      `${definedParameters(formOf(body)).flatMap(partsOf).join("")}--${boundary}--\r\n`,
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

/** Throws if the text contains a lone surrogate, because UTF-8 cannot encode it. */
function serializeText(body: unknown): string {
  const text = String(body);
  if (!text.isWellFormed()) throw new Unwritable("body", "is not well-formed text");
  return text;
}

/** If a text contains a lone surrogate, throws an error that names its property. */
function serializeJson(body: unknown): string {
  const text = JSON.stringify(body);
  if (loneSurrogate.test(text))
    for (const [name, value] of Object.entries(body ?? {})) jsonOf(name, { [name]: value });
  return text;
}
