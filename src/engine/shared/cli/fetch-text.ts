/** Asks an address that the user of a command gave. */
import { boundedText } from "../bounded-text.ts";
import { UsageError } from "./command-failure.ts";

/**
 * Returns what `read` makes of the text, of at most 32 MiB. `given` is the option with the address, as messages name it. Throws
 * `UsageError` without an answer in time, for a redirect, and for what `read` throws.
 */
export async function fetchText<T>(
  given: string,
  url: string | URL,
  timeoutMs: number,
  read: (text: string, response: Response) => T,
  init: RequestInit = {},
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
