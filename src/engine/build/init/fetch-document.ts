/** Finds the OpenAPI document that `init` is given, by its path or its URL. Files that one at a URL refers to are not read. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fetchText } from "../../shared/cli/fetch-text.ts";
import { UsageError } from "../../shared/cli/usage-error.ts";

const timeoutMs = 30_000;

/** Returns the text, of at most 32 MiB. Throws `UsageError` for any other answer than a success within 30 s. */
export const fetchDocument = (url: string): Promise<string> =>
  fetchText(`--openapi ${url}`, url, timeoutMs, (text, { ok, status }) => {
    if (!ok) throw new Error(`answers ${status}`);
    return text;
  });

/** The path of a document that is a file. Throws `UsageError` if there is none. */
export function documentPath(given: string, root: string): string {
  const path = resolve(root, given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError([`--openapi ${given}: there is no such file`]);
  if (found.isDirectory()) throw new UsageError([`--openapi ${given}: is a folder, not a file`]);
  return path;
}
