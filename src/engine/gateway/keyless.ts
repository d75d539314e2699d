/**
 * Admits two kinds of requests without a key outside production: a browser opens the explorer, or a tool introspects the schema.
 * The responses to these requests are the same for every caller. The forwarded request is rebuilt from the query that was
 * checked, and has only the headers listed here, so that the upstream cannot read another query from it.
 */
import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { type DefinitionNode, Kind, OperationTypeNode, parse, type SelectionNode } from "graphql";
import { unauthenticated } from "../runtime/http/credentials.ts";
import { graphqlPath } from "../runtime/http/endpoint-paths.ts";
import { wantsHtml } from "../runtime/http/graphql-media-type.ts";
import { keylessRequests } from "../runtime/settings/capacity.ts";
import type { Config } from "../runtime/settings/config.ts";
import { isJson } from "../shared/media-type.ts";
import type { ForwardedRequest } from "./forward.ts";
import { stripRequest } from "./strip.ts";
import { parseRequestTarget, type UpstreamRoute } from "./upstream-route.ts";

/** Whether a request without a key may be admitted. The query is not read yet, so `keylessRequest` checks it later. */
export function mayBeKeyless({ production }: Config, { method, headers, raw }: FastifyRequest): boolean {
  if (production || parseRequestTarget(raw.url ?? "").path !== graphqlPath) return false;
  const { "content-length": length = "0", "content-type": type = "" } = headers;
  return method === "GET" || (method === "POST" && isJson(type) && Number(length) <= keylessRequests.bytes);
}

/** Throws UNAUTHENTICATED for a request that needs a key. */
export function keylessRequest(
  request: FastifyRequest,
  { upstream, path: target, isOwn }: UpstreamRoute,
  body: Buffer | null,
  maxTokens: number,
): ForwardedRequest {
  const isGet = request.method === "GET";
  const { query: search } = parseRequestTarget(request.raw.url ?? "");
  // drops the client's query string, because it may contain another query
  const path = target.slice(0, target.length - search.length);
  const headers = stripRequest(forwardedHeaders, request.headers);
  if (isGet && wantsHtml(request.headers.accept))
    return { route: { upstream, path, isOwn }, headers, body: null };
  const keyless = isGet ? queryOfGet(search) : queryOfPost(body);
  if (!keyless || !isIntrospectionOnly(keyless.query, maxTokens)) throw unauthenticated("no_key");
  return {
    route: { upstream, path: path + keyless.search, isOwn },
    headers: { ...headers, ...(keyless.body && { "content-type": "application/json" }) },
    body: keyless.body,
  };
}

/** Excludes credentials and cookies. The GraphQL layer needs the last two headers to recognise cross-site requests. */
const forwardedHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "if-none-match",
  "origin",
  "sec-fetch-site",
]);

/** A query, plus the query string and body of the rebuilt request (without the id of a saved operation). */
type KeylessQuery = { readonly query: string; readonly search: string; readonly body: Buffer | null };

/** Reads the query of a GET (GraphQL over HTTP §5.3). */
function queryOfGet(search: string): KeylessQuery | undefined {
  const given = new URLSearchParams(search);
  const kept = new URLSearchParams();
  for (const name of ["query", "operationName", "variables"]) {
    const value = given.get(name);
    if (value !== null) kept.set(name, value);
  }
  const query = kept.get("query");
  return query === null ? undefined : { query, search: `?${kept}`, body: null };
}

/**
 * Reads the query of a POST (GraphQL over HTTP §5.4). Returns `undefined` for a batch, for invalid JSON, and for a body that is
 * too long or not UTF-8.
 */
function queryOfPost(body: Buffer | null): KeylessQuery | undefined {
  if (body === null || body.length > keylessRequests.bytes || !isUtf8(body)) return undefined;
  try {
    const { query, operationName, variables } = JSON.parse(body.toString()) ?? {};
    if (typeof query !== "string") return undefined;
    return { query, search: "", body: Buffer.from(JSON.stringify({ query, operationName, variables })) };
  } catch {
    return undefined; // invalid JSON, or nested too deeply
  }
}

/**
 * Whether the schema alone suffices to execute a document: every root field is an introspection field. Names with two leading
 * underscores are reserved for introspection (GraphQL §2.1.9, §4). Rejects fragment spreads at the root, because introspection
 * tools send none there. Returns `false` for invalid syntax.
 */
export function isIntrospectionOnly(text: string, maxTokens: number): boolean {
  try {
    const { definitions } = parse(text, { noLocation: true, maxTokens });
    const others = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
    return others.length > 0 && others.every(isSchemaQuery);
  } catch {
    return false;
  }
}

const isSchemaQuery = (definition: DefinitionNode): boolean =>
  definition.kind === Kind.OPERATION_DEFINITION &&
  definition.operation === OperationTypeNode.QUERY &&
  definition.selectionSet.selections.every(isOfSchema);

const isOfSchema = (selection: SelectionNode): boolean =>
  selection.kind === Kind.FIELD && selection.name.value.startsWith("__");
