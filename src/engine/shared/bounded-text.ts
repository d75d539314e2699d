/**
 * Reads another program's response up to a limit. A larger response can only come from a wrong URL, and reading all of it could
 * exhaust the memory.
 */

/** 32 MiB. For comparison, a Prometheus query returns about 100 bytes per operation, and a process's `/metrics` about 100 kB. */
export const maxTextBytes = 33_554_432;

/** Returns the text. Throws `Error` as soon as the decompressed text exceeds `maxBytes`. */
export async function boundedText(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes = maxTextBytes,
): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`is larger than ${maxBytes / 1_048_576} MiB`);
    kept.push(chunk);
  }
  return Buffer.concat(kept).toString();
}
