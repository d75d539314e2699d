/**
 * Decompresses a response body by its `Content-Encoding` (RFC 9110 §8.4). The size is checked after each chunk, because a small
 * body may become very large: for example, 30 bytes may become 10 MB.
 */
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { CodedError } from "../../coded-error.ts";

const decoders = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip], // RFC 9110 §8.4.1.3
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Maximum number of codings, as in undici: each one costs the time of a decompression. */
const mostCodings = 5;

/** Returns the codings in the order in which they were applied. Omits `identity` and empty list elements (§5.6.1). */
export function contentCodings(header: string | readonly string[] | undefined): string[] {
  if (header === undefined) return [];
  const listed = [header].flat().join(",").toLowerCase().split(",");
  return listed.map((coding) => coding.trim()).filter((coding) => coding !== "" && coding !== "identity");
}

/**
 * A check that is called after each decompressed chunk. `bytes` is the total size of the chunks that the current decoder has
 * produced so far, `chunk` the size of the last chunk. If the check returns an error, the decompression stops.
 */
type Excess = (bytes: number, chunk: number) => CodedError | undefined;

/** Rejects with the error that `excess` returns if the body is too large, and with `BAD_UPSTREAM_RESPONSE` if it is malformed. */
export async function decompress(codings: readonly string[], body: Buffer, excess: Excess): Promise<Buffer> {
  if (codings.length > mostCodings || !codings.every((coding) => decoders.has(coding)))
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer's encoding is unknown");
  let decoded = body;
  for (const coding of codings.toReversed()) decoded = await decode(coding, decoded, excess);
  return decoded;
}

async function decode(coding: string, body: Buffer, excess: Excess): Promise<Buffer> {
  const decoder = decoders.get(coding)?.();
  if (!decoder) throw new Error(`no decoder of ${coding}`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  decoder.end(body);
  try {
    for await (const chunk of decoder) {
      bytes += chunk.length;
      const failure = excess(bytes, chunk.length);
      if (failure) throw failure;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer cannot be decompressed", {}, { cause: error });
  }
  return Buffer.concat(chunks, bytes);
}
