/**
 * Decompresses the body of a response by its `Content-Encoding` (RFC 9110 §8.4), piece by piece. The pieces are counted as
 * they come: 30 bytes may hold 10 MB, and the bodies of many calls are decompressed at the same time.
 */
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { CodedError } from "../../coded-error.ts";

const decoders = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip], // RFC 9110 §8.4.1.3
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * `excess` gets the number of bytes so far, and returns the failure if they are too many. Rejects with that failure, or
 * with `BAD_UPSTREAM_RESPONSE`.
 */
export async function decompress(
  encoding: string,
  body: Buffer,
  excess: (bytes: number) => CodedError | undefined,
): Promise<Buffer> {
  const decoder = decoders.get(encoding)?.();
  if (!decoder) throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer's encoding is unknown");
  const pieces: Buffer[] = [];
  let bytes = 0;
  decoder.end(body);
  try {
    for await (const piece of decoder) {
      bytes += piece.length;
      const failure = excess(bytes);
      if (failure) throw failure;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer cannot be decompressed", {}, error);
  }
  return Buffer.concat(pieces, bytes);
}
