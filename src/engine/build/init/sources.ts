/** Where a project's documents come from: `restbound.sources` in `package.json`, and headers for private documents. */
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { isRecord, membersOf, parsedJson } from "../../shared/json-object.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { own } from "../../shared/own.ts";
import { shownUrl } from "../../shared/shown-url.ts";
import { productOf } from "../openapi/document-files.ts";

export const sourcesField = "restbound.sources";

/** Sources by file of the spec folder. */
export function readSources(root: string): Map<string, string> {
  const path = join(root, "package.json");
  const manifest = existsSync(path) ? parsedJson(readFileSync(path, "utf8")) : {};
  const sources = membersOf(membersOf(manifest).restbound).sources ?? {};
  if (!isRecord(sources) || !Object.values(sources).every((source) => typeof source === "string"))
    throw new UsageError([`package.json: "${sourcesField}" must be a map of file to URL or path`]);
  return new Map(Object.entries(sources).map(([file, source]) => [file, String(source)]));
}

/** `package.json` with the document's source. A URL with a password or query, which may be secret, is not written. */
export function withSource(packageJson: string, root: string, file: string, given: string): string {
  const source = isHttpUrl(given) ? given : relative(root, resolve(root, given));
  if (isAbsolute(source) || (isHttpUrl(given) && shownUrl(given) !== given)) return packageJson;
  const manifest = membersOf(parsedJson(packageJson));
  const restbound = membersOf(manifest.restbound);
  const sources = { ...membersOf(restbound.sources), [file]: source };
  return `${JSON.stringify({ ...manifest, restbound: { ...restbound, sources } }, null, 2)}\n`;
}

/** The environment variable with the header for a private document: `Authorization: Bearer …`. */
const headerVariable = (name: string | undefined): string =>
  name === undefined ? "OPENAPI_HEADER" : `OPENAPI_HEADER_${productOf(name)}`;

/** Throws `UsageError` without the value, which is secret, and for a URL that would send it in clear text to another machine. */
export function documentHeaders(env: NodeJS.ProcessEnv, name: string | undefined, url: string): Headers {
  const variable = headerVariable(name);
  const given = own(env, variable);
  if (given === undefined || given === "") return new Headers();
  const address = URL.parse(url); // without one, fetch reports that it is not a URL
  if (address && address.protocol !== "https:" && !isLoopback(address.hostname))
    throw new UsageError([`${variable}: is not sent over plain http: give the document's https URL`]);
  const [, header = "", value = ""] = /^([^:]*):(.*)$/s.exec(given) ?? [];
  try {
    return new Headers([[header.trim(), value.trim()]]);
  } catch {
    throw new UsageError([`${variable}: is not a header; write "Authorization: Bearer …"`]);
  }
}
