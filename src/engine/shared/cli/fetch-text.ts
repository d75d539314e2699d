/** Fetches a URL that the user of a command passed. */
import { boundedText } from "../bounded-text.ts";
import { UsageError } from "./command-failure.ts";

/**
 * Fetches a text of at most 32 MiB and parses it with `read`. `given`: the name of the option that contains the URL, for
 * messages. Throws `UsageError` if the request times out or is redirected, or if `read` throws.
 */
export async function fetchText<T>(
  given: string,
  url: string | URL,
  read: (text: string, response: Response) => T,
  { timeoutMs, ...init }: RequestInit & { readonly timeoutMs: number },
): Promise<T> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { signal, redirect: "error", ...init });
    return read(await boundedText(response.body ?? []), response);
  } catch (error) {
    const { cause, message } = error as Error;
    throw new UsageError([`${given}: ${cause instanceof Error ? cause.message : message}`]);
  }
}
