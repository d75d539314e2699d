/**
 * Responses are compressed as the client's `Accept-Encoding` allows (RFC 9110 §12.5.3), by the role that makes them: the
 * gateway streams them as they come. Levels and sizes are measured (docs/decisions.md).
 */
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { addVary } from "./vary.ts";

/** Smaller responses fit into one packet, with their head. */
const thresholdBytes = 1_024;
/** Larger responses are compressed on another thread, piece by piece: here they would hold up other requests. */
const maxInlineBytes = 65_536;

const compressed = /\b(?:br|gzip)\b|\*/i;

/** For the routes that are added to `server` afterwards. `tell` is called with the characters of each response that is compressed. */
export async function compressResponses(
  server: FastifyInstance,
  tell: (request: FastifyRequest, characters: number) => void = () => {},
): Promise<void> {
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
    const { "accept-encoding": accepted } = request.headers;
    if (typeof payload === "string" && payload.length >= thresholdBytes && compressed.test(String(accepted)))
      tell(request, payload.length);
    done(null, payload);
  });
}
