/** Rejects request bodies with a content coding (RFC 9110 §8.4), because this server does not decompress bodies. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { CodedError } from "../coded-error.ts";

const none = /^[\s,]*(?:identity[\s,]*)*$/i;

/** Throws UNSUPPORTED_MEDIA_TYPE, with the only supported coding, `identity`, in `Accept-Encoding` (RFC 9110 §15.5.16). */
export async function refuseCodings({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { "content-encoding": coding = "", "content-length": length = "0" } = headers;
  const hasBody = length !== "0" || headers["transfer-encoding"] !== undefined;
  if (!hasBody || none.test(coding)) return;
  reply.header("accept-encoding", "identity");
  throw new CodedError(
    "UNSUPPORTED_MEDIA_TYPE",
    "the request body must not have a content coding, such as gzip",
  );
}
