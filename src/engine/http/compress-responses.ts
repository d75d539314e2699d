/**
 * Responses are compressed as the client's `Accept-Encoding` allows (RFC 9110 §12.5.3), by the role that makes them: the
 * gateway streams them as they come. Levels and sizes are measured (docs/decisions.md).
 */
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";
import { addVary } from "./vary.ts";

/** Smaller responses fit into one packet, with their head. */
const thresholdBytes = 1_024;
/** Larger responses are compressed on another thread, piece by piece: here they would hold up other requests. */
const maxInlineBytes = 65_536;

/** For the routes that are added to `server` afterwards. */
export async function compressResponses(server: FastifyInstance): Promise<void> {
  await server.register(compress, {
    encodings: ["br", "gzip"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
    threshold: thresholdBytes,
    syncThreshold: maxInlineBytes,
    globalDecompression: false, // a compressed request body is not read
  });
  // also where this one is not compressed: another client's would be
  server.addHook("onSend", (_request, reply, payload, done) => {
    addVary(reply, "accept-encoding");
    done(null, payload);
  });
}
