/**
 * Sends GraphiQL to a browser: one page that needs no other file. The page is made and compressed when the first
 * browser asks for it. Its content security policy lets it talk to this origin alone. It holds no tenant data: its
 * requests carry the user's own key.
 */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { type Explored, type ExplorerPage, makePage, type Samples } from "./page.ts";

export type Explorer = { send(request: FastifyRequest, reply: FastifyReply): Promise<void> };

const encoders: Record<string, (html: string) => Promise<Buffer>> = {
  br: (html) => promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (html) => promisify(gzip)(html),
  identity: async (html) => Buffer.from(html),
};

/** Makes the page when the first browser asks for it. */
export function createExplorer(explored: Explored, samples: Samples): Explorer {
  let page: Promise<ExplorerPage> | undefined;
  const encoded = new Map<string, Promise<Buffer>>();
  return {
    async send(request, reply) {
      page ??= makePage(explored, samples);
      const { html, policy } = await page;
      const accepted = new Negotiator(request).encodings(["br", "gzip"]);
      const encoding = ["br", "gzip"].find((name) => accepted.includes(name)) ?? "identity";
      const body = encoded.get(encoding) ?? encoders[encoding]?.(html);
      if (body) encoded.set(encoding, body);
      if (encoding !== "identity") reply.header("content-encoding", encoding);
      reply
        .headers({
          "content-security-policy": policy,
          vary: "accept, accept-encoding",
          "cache-control": "no-cache",
        })
        .type("text/html; charset=utf-8")
        .send(await body);
    },
  };
}
