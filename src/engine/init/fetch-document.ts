/** Finds the OpenAPI document that `init` is given, by its path or its URL. Files that one at a URL refers to are not read. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../cli/usage-error.ts";
import { boundedText } from "../standards/bounded-text.ts";

const timeoutMs = 30_000;

export const isUrl = (given: string): boolean => /^https?:\/\//i.test(given);

/** Returns the text, of at most 32 MiB. Throws `UsageError` for any other answer than a success within 30 s. */
export async function fetchDocument(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    if (!response.ok) throw new Error(`answers ${response.status}`);
    return await boundedText(response.body ?? []);
  } catch (error) {
    const { cause, message } = error as Error;
    throw new UsageError([`--openapi ${url}: ${cause instanceof Error ? cause.message : message}`]);
  }
}

/** The path of a document that is a file. Throws `UsageError` if there is none. */
export function documentPath(given: string, root: string): string {
  const path = resolve(root, given);
  if (!existsSync(path)) throw new UsageError([`--openapi ${given}: there is no such file`]);
  return path;
}
