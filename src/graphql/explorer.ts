/**
 * GraphiQL for a browser's GET: one page with everything in it, made and compressed when it is first asked for, under
 * a policy that lets it talk to this origin alone. It holds no tenant data; its requests carry the user's own key.
 */
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";

type Page = {
  readonly html: string;
  readonly policy: string;
  readonly encoded: Map<string, Promise<Buffer>>;
};

const encoders: Record<string, (html: string) => Promise<Buffer>> = {
  br: (html) => promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (html) => promisify(gzip)(html),
  identity: async (html) => Buffer.from(html),
};

let page: Promise<Page> | undefined;

export async function sendExplorer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  page ??= makePage();
  const { html, policy, encoded } = await page;
  const accepted = new Negotiator(request).encodings(["br", "gzip"]);
  const encoding = ["br", "gzip"].find((name) => accepted.includes(name)) ?? "identity";
  const body = encoded.get(encoding) ?? encoders[encoding]?.(html);
  if (body) encoded.set(encoding, body);
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply
    .headers({
      "content-security-policy": policy,
      vary: "accept, accept-encoding",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    })
    .type("text/html; charset=utf-8")
    .send(await body);
}

/** GraphiQL is 9 MB of text: loaded with the first page and never in production. */
async function makePage(): Promise<Page> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const html = renderGraphiQL({
    endpoint: "/v1/graphql",
    title: "Messaging GraphQL",
    headers: '{ "X-API-Key": "" }',
    defaultQuery,
  });
  const hashes = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text]) => `'sha256-${hash("sha256", text ?? "", "base64")}'`,
  );
  const policy = `default-src 'none'; script-src ${hashes.join(" ")} blob:; worker-src blob:; style-src 'unsafe-inline'; font-src data:; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy, encoded: new Map() };
}

const defaultQuery = `# Put an API key into the Headers tab below; npm start prints demo keys.
{
  __typename
}
`;
