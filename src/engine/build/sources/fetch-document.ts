/**
 * Fetches an OpenAPI document from a URL. Sends `If-None-Match` if the document was fetched before, and the user's header for a
 * private document.
 */
import { UsageError } from "../../shared/cli/command-failure.ts";
import { fetchText } from "../../shared/cli/fetch-text.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { own } from "../../shared/own.ts";
import { productOf } from "../openapi/document-files.ts";

/** The text that was last fetched, and its ETag. */
export type StoredDocument = { readonly etag: string; readonly text: string };

export type FetchedDocument = { readonly text: string; readonly etag?: string | undefined };

const timeoutMs = 30_000;

/** Fetches at most 32 MiB within 30 s. Accepts a successful response, and with `stored` a 304; otherwise throws `UsageError`. */
export async function fetchDocument(
  url: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
  stored: StoredDocument | undefined,
): Promise<FetchedDocument> {
  const headers = documentHeaders(env, name, url);
  if (stored) headers.set("if-none-match", stored.etag); // RFC 9110 §13.1.2
  const read = (text: string, { ok, status, headers: answered }: Response): FetchedDocument => {
    if (stored && status === 304) return stored;
    if (!ok) throw new Error(`answers ${status}`);
    return { text, etag: entityTag(answered.get("etag")) };
  };
  return fetchText(`--openapi ${url}`, url, read, { timeoutMs, headers });
}

/** Returns `undefined` for an invalid entity tag (RFC 9110 §8.8.3), which could not be sent back. */
const entityTag = (header: string | null): string | undefined =>
  header !== null && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(header) ? header : undefined;

/** Returns the environment variable for the header of a private document, such as `Authorization: Bearer …`. */
const headerVariable = (name: string | undefined): string =>
  name === undefined ? "OPENAPI_HEADER" : `OPENAPI_HEADER_${productOf(name)}`;

/**
 * Throws `UsageError` for an invalid header, without printing its secret value. Also throws it for an `http` URL of another
 * machine, because the header would be sent unencrypted.
 */
function documentHeaders(env: NodeJS.ProcessEnv, name: string | undefined, url: string): Headers {
  const variable = headerVariable(name);
  const given = own(env, variable);
  if (given === undefined || given === "") return new Headers();
  const address = URL.parse(url); // null for an invalid URL, which `fetch` reports later
  if (address && address.protocol !== "https:" && !isLoopback(address.hostname))
    throw new UsageError([`${variable}: is not sent over plain http: give the document's https URL`]);
  const [, header = "", value = ""] = /^([^:]*):(.*)$/s.exec(given) ?? [];
  try {
    return new Headers([[header.trim(), value.trim()]]);
  } catch {
    throw new UsageError([`${variable}: is not a header; write "Authorization: Bearer …"`]);
  }
}
