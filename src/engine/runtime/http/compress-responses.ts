/**
 * Compresses responses as the client's `Accept-Encoding` allows (RFC 9110 §12.5.3), in the role that creates them; the gateway
 * forwards them unchanged. Levels and sizes are measured (docs/adr/012-compression.md).
 */
import { Readable } from "node:stream";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";
import { addVary } from "./vary.ts";

/** Smaller responses fit into a single packet with their headers. */
const thresholdBytes = 1_024;
/** Larger responses are compressed on another thread, in chunks: on the main thread they would block other requests. */
const maxInlineBytes = 65_536;

const mayCompress = ({ headers }: FastifyRequest): boolean =>
  compressed.test(String(headers["accept-encoding"]));
const compressed = /\b(?:br|gzip)\b|\*/i;

/**
 * Compresses the responses of the routes that are added to `server` afterwards. `onCompress` is called with the length of each
 * compressed response.
 */
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
  // `Vary` is set even if this response is not compressed, because the response to another client may be
  server.addHook("onSend", (request, reply, payload, done) => {
    addVary(reply, "accept-encoding");
    if (typeof payload === "string" && payload.length >= thresholdBytes && mayCompress(request))
      onCompress(request, payload.length);
    done(null, payload);
  });
}

/**
 * Passes a large response to the library in chunks. When a client disconnects, the library does not stop its compressor, which
 * finishes the current chunk and keeps it in memory.
 */
const inChunks: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const whole = typeof payload === "string" ? Buffer.from(payload) : payload;
  if (!Buffer.isBuffer(whole) || whole.length <= maxInlineBytes || !mayCompress(request))
    return done(null, payload);
  reply.header("content-length", whole.length); // in case the response is not compressed after all
  done(null, Readable.from(chunksOf(whole)));
};

function* chunksOf(whole: Buffer): Iterable<Buffer> {
  for (let at = 0; at < whole.length; at += maxInlineBytes) yield whole.subarray(at, at + maxInlineBytes);
}
