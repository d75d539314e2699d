/**
 * Serves GraphiQL as one page that loads no other file. The page is built at the first request for it. The page's content
 * security policy permits connections to this origin only. The page itself contains no tenant data: the browser requests data
 * with the user's own key.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyReply } from "fastify";
import { type GraphQLSchema, introspectionFromSchema } from "graphql";
import { installAdvice } from "../../../shared/engine-manifest.ts";
import { own } from "../../../shared/own.ts";
import { addVary } from "../../http/vary.ts";
import type { ManifestEntry } from "../../rest/generated-api.ts";

export type Explorer = (reply: FastifyReply) => Promise<void>;

export function createExplorer(explored: ExploredApi, samples: Samples): Explorer {
  let page: Promise<ExplorerPage> | undefined;
  return async (reply) => {
    const advice = page ? undefined : installAdvice("explorer");
    if (advice !== undefined)
      return void reply
        .code(501)
        .type("text/plain; charset=utf-8")
        .send(`The explorer is not installed. ${advice}\n`);
    page ??= makePage(explored, samples);
    const { html, policy } = await page;
    addVary(reply, "accept");
    reply.headers({ "content-security-policy": policy, "cache-control": "no-cache" });
    reply.type("text/html; charset=utf-8").send(html);
  };
}

/** Values that prefill the explorer, if the process runs with demo data. */
export type Samples = {
  readonly key?: string;
  readonly variables?: Readonly<Record<string, object>>;
};

export type ExplorerPage = { readonly html: string; readonly policy: string };

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

export type ExploredApi = {
  readonly schema: GraphQLSchema;
  readonly operations: readonly ManifestEntry[];
  /** The headers that carry a credential, in lower case. */
  readonly credentials: readonly string[];
};

/**
 * Builds GraphiQL's page with this project's toolbar and list of REST calls. The page contains the saved operations, the schema
 * (which needs no key to be read) and, with demo data, samples. GraphiQL is 9 MB of text, so it is loaded at the first request
 * for a page. A production installation does not contain GraphiQL.
 */
export async function makePage(
  { schema, operations, credentials }: ExploredApi,
  samples: Samples,
): Promise<ExplorerPage> {
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const facts = {
    key: samples.key ?? "",
    keyHeader: credentials.includes("x-api-key") ? "x-api-key" : (credentials[0] ?? "x-api-key"),
    schema: introspectionFromSchema(schema),
    operations: operations.map(({ name, body }) => ({
      name,
      body,
      variables: own(samples.variables ?? {}, name),
    })),
    workers: {
      editorWorkerService: graphiql.editorWorkerService,
      json: graphiql.jsonWorker,
      graphql: graphiql.graphqlWorker,
    },
  };
  const scripts = [graphiql.js, textOf("./browser/explorer.js")].map(forScript);
  const parts = [
    `<style>${graphiql.css}${textOf("./browser/explorer.css")}</style>`,
    `<script type="application/json" id="facts">${JSON.stringify(facts).replaceAll("<", "\\u003c")}</script>`,
    `<script>${scripts[0]}</script>`,
    `<script type="module">${scripts[1]}</script>`,
  ];
  const html = textOf("./browser/explorer.html")
    .replace("{{icon}}", () => graphiql.favicon)
    .replace("<!-- GraphiQL, its facts and its scripts -->", () => parts.join("\n"));
  const hashes = scripts.map((text) => `'sha256-${hash("sha256", text, "base64")}'`);
  const policy = `default-src 'none'; script-src ${hashes.join(" ")} blob:; worker-src blob:; style-src 'unsafe-inline'; font-src data:; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}

/** Escapes `</script`, which would end the script element early. */
const forScript = (text: string): string => text.replaceAll("</script", "<\\/script");
