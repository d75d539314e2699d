/**
 * Reads the URL of a document's first server (OpenAPI 3.1 §4.8.5), which is used as the default base URL or proposed to the user.
 */
import { membersOf } from "../../shared/json-object.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { own } from "../../shared/own.ts";
import type { RestDocument, RestNode } from "./document.ts";

/** Returns the URL, which may be relative, with its variables replaced by their defaults (OpenAPI 3.1 §4.8.6). */
export function serverUrl(document: RestDocument, root: RestNode): string | undefined {
  const server = document.child(document.child(root, "servers"), 0);
  const { url, variables } = membersOf(server?.value);
  if (typeof url !== "string") return undefined;
  return url.replaceAll(/\{([^{}]*)\}/g, (written, name: string) => {
    const { default: value } = membersOf(own(membersOf(variables), name));
    return typeof value === "string" ? value : written;
  });
}

/**
 * Returns the URL of the first server; `undefined` if it is relative, or contains characters that would be unsafe in the project
 * files into which it is written.
 */
export function firstServerUrl(document: RestDocument, root = document.root): string | undefined {
  const url = serverUrl(document, root);
  return url !== undefined && /^https?:\/\/[\w.:/~-]+$/.test(url) ? url : undefined;
}

/**
 * Returns the base URL to propose to the user. A relative server URL is resolved against the document's URL, or against an
 * example URL. The proposal is only displayed. The user has to decide, because clients' credentials are sent to the base URL.
 */
export function proposedBaseUrl(document: RestDocument, given: string): string {
  const known = firstServerUrl(document);
  if (known !== undefined) return known;
  const url = serverUrl(document, document.root) ?? "/";
  const isPath = /^[\w./~-]*$/.test(url) && !url.includes("//");
  const at = isHttpUrl(given) ? given : "https://api.example.com/";
  const { origin, pathname } = new URL(isPath ? url : "/", at);
  return /^[\w.:/~-]+$/.test(origin + pathname) ? (origin + pathname).replace(/\/$/, "") : origin;
}

/** Whether the URL has a domain reserved for documentation (RFC 2606 §3), where no API can be. */
export const isExampleUrl = (url: string): boolean =>
  /(?:^|\.)example\.(?:com|net|org)$/.test(URL.parse(url)?.hostname ?? "");
