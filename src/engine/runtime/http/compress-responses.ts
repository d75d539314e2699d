/**
 * Compresses responses as `Accept-Encoding` allows (RFC 9110 §12.5.3). The gateway forwards the responses of other roles
 * unchanged. docs/adr/012-compression.md has the measurements for levels and sizes.
 */
import { Readable } from "node:stream";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";
import { addVary } from "./vary.ts";

/** Responses below this size are not compressed, because they and their headers fit into one packet. */
const thresholdBytes = 1_024;
/** Larger responses are compressed on another thread, so that they do not block other requests. */
const maxInlineBytes = 65_536;

const mayCompress = ({ headers }: FastifyRequest): boolean =>
  compressed.test(String(headers["accept-encoding"]));
const compressed = /\b(?:br|gzip)\b|\*/i;

/** Compresses the responses of routes added afterwards. `onCompress` is called with the length of each response to compress. */
export async function compressResponses(
  server: FastifyInstance,
  onCompress: (request: FastifyRequest, characters: number) => void = () => {},
): Promise<void> {
  server.addHook("onRoute", (route) => {
    route.onSend = [route.onSend ?? [], inChunks].flat(); // runs before the library's hook
  });
  await server.register(compress, {
    encodings: ["br", "gzip"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
    threshold: thresholdBytes,
    syncThreshold: maxInlineBytes,
    globalDecompression: false, // compressed request bodies are rejected
  });
  // `Vary` is set on uncompressed responses too, because the response to another client may be compressed
  server.addHook("onSend", (request, reply, payload, done) => {
    addVary(reply, "accept-encoding");
    if (typeof payload === "string" && payload.length >= thresholdBytes && mayCompress(request))
      onCompress(request, payload.length);
    done(null, payload);
  });
}

/**
 * Passes a large response to the library in chunks. If the client disconnects, the library's compressor still finishes the
 * current chunk and keeps it in memory, so a chunk must be small.
 */
const inChunks: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const whole = typeof payload === "string" ? Buffer.from(payload) : payload;
  if (!Buffer.isBuffer(whole) || whole.length <= maxInlineBytes || !mayCompress(request))
    return done(null, payload);
  reply.header("content-length", whole.length); // used if the library does not compress the response
  done(null, Readable.from(chunksOf(whole)));
};

function* chunksOf(whole: Buffer): Iterable<Buffer> {
  for (let at = 0; at < whole.length; at += maxInlineBytes) yield whole.subarray(at, at + maxInlineBytes);
}
