/** Decompresses the body of a response by its `Content-Encoding` (RFC 9110 §8.4), up to a size. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { CodedError } from "../../errors.ts";
import { tooLarge } from "../failure.ts";

const decoders: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Returns at most `maxBytes`. Rejects with `BAD_UPSTREAM_RESPONSE`. */
export async function decompress(encoding: string, body: Buffer, maxBytes: number): Promise<Buffer> {
  const decode = decoders[encoding.toLowerCase()];
  if (!decode) throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer's encoding is unknown");
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const large = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw large
      ? tooLarge(maxBytes)
      : new CodedError("BAD_UPSTREAM_RESPONSE", "the answer cannot be decompressed", {}, error);
  }
}
