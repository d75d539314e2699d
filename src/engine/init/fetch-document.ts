/** Reads the OpenAPI document that `init` is given by its URL. Files that it refers to are not read. */
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
