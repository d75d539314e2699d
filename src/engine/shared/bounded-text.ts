/** Reads the answer of another program, up to a bound. A larger answer is a mistake, and would fill the memory. */

/** 32 MiB. Prometheus' answer has some 100 bytes an operation, `/metrics` of a process has 100 kB. */
export const maxTextBytes = 33_554_432;

/** Throws `Error` if the decompressed text has more than `maxBytes`, and then reads no more. */
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
