/**
 * Responses are compressed as the client's `Accept-Encoding` allows (RFC 9110 §12.5.3), by the role that makes them: the
 * gateway streams them as they come. Levels and sizes are measured (docs/adr/013-compression.md).
 */
import { Readable } from "node:stream";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";
import { addVary } from "./vary.ts";

/** Smaller responses fit into one packet, with their head. */
const thresholdBytes = 1_024;
/** Larger responses are compressed on another thread, piece by piece: here they would hold up other requests. */
const maxInlineBytes = 65_536;

const mayCompress = ({ headers }: FastifyRequest): boolean =>
  compressed.test(String(headers["accept-encoding"]));
const compressed = /\b(?:br|gzip)\b|\*/i;

/** For the routes that are added to `server` afterwards. `tell` is called with the characters of each response that is compressed. */
export async function compressResponses(
  server: FastifyInstance,
  tell: (request: FastifyRequest, characters: number) => void = () => {},
): Promise<void> {
  server.addHook("onRoute", (route) => {
    route.onSend = [route.onSend ?? [], inPieces].flat(); // comes before the hook of the library
  });
  await server.register(compress, {
    encodings: ["br", "gzip"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
    threshold: thresholdBytes,
    syncThreshold: maxInlineBytes,
    globalDecompression: false, // a compressed request body is not read
  });
  // also where this one is not compressed: another client's would be
  server.addHook("onSend", (request, reply, payload, done) => {
    addVary(reply, "accept-encoding");
    if (typeof payload === "string" && payload.length >= thresholdBytes && mayCompress(request))
      tell(request, payload.length);
    done(null, payload);
  });
}

/**
 * Gives a large response to the library in pieces. When a client leaves, the library does not stop its compressor, which goes
 * on to the end of its piece and keeps it in memory.
 */
const inPieces: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const whole = typeof payload === "string" ? Buffer.from(payload) : payload;
  if (!Buffer.isBuffer(whole) || whole.length <= maxInlineBytes || !mayCompress(request))
    return done(null, payload);
  reply.header("content-length", whole.length); // of a response that is not compressed after all
  done(null, Readable.from(piecesOf(whole)));
};

function* piecesOf(whole: Buffer): Iterable<Buffer> {
  for (let at = 0; at < whole.length; at += maxInlineBytes) yield whole.subarray(at, at + maxInlineBytes);
}
