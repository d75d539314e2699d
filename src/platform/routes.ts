/**
 * Serves every operation of the OpenAPI document in the same phases: authenticate, authorize, parse, handle, check. The document
 * declares the permission (`x-permission`).
 */
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { CodedError, type Config } from "restbound";
import type { TenantContext } from "restbound/role";
import { type ContractOperation, type OperationInput, unhandled } from "./contract.ts";
import type { Handler } from "./handler.ts";
import { authenticate } from "./keys/authenticate.ts";
import type { KeyRules } from "./keys/keys.ts";
import type { Store } from "./store/store.ts";

/** The handlers by `operationId`. */
export type Handlers = ReadonlyMap<string, Handler>;

declare module "fastify" {
  interface FastifyRequest {
    /** The caller. `undefined` if the request is not for an operation of the embedded platform. */
    tenant: TenantContext | undefined;
  }
}

type Contract = {
  readonly config: Config;
  readonly store: Store;
  readonly rules: KeyRules;
  readonly operations: readonly ContractOperation[];
  readonly handlers: Handlers;
};

/** Throws `ConfigError` when an operation of the document has no handler. */
export function serveContract(
  server: FastifyInstance,
  { config, store, rules, operations, handlers }: Contract,
): void {
  server.decorateRequest("tenant");
  for (const operation of operations) {
    const handler = handlers.get(operation.id);
    if (!handler) throw unhandled(operation.id);
    server.route({
      method: operation.method,
      url: operation.route,
      // runs before the body is read, so that the body of a forbidden request is not parsed
      onRequest: async (request) => {
        const caller = authenticate(config, store, rules, request);
        authorize(operation, caller);
        request.tenant = caller;
      },
      handler: async (request, reply) => {
        const { tenant: caller } = request;
        if (!caller) throw new TypeError("the request has no caller");
        const input = operation.parseRequest(toContractRequest(request));
        const body = handler({ caller, tenant: store.tenant(caller.tenantId), store }, input);
        const faults = operation.responseFaults(body).map(({ place, message }) => `${place} ${message}`);
        if (faults.length > 0) throw new Error(`${operation.id} breaks its contract: ${faults.join("; ")}`);
        if (operation.method !== "GET")
          return reply.code(operation.status).header("cache-control", "private, no-store").send(body);
        const tag = tagOf(body);
        reply.header("etag", tag).header("cache-control", cacheControl(operation.id, input));
        const isKnown = request.headers["if-none-match"]?.split(/,\s*/).includes(tag);
        return isKnown ? reply.code(304).send() : reply.code(operation.status).send(body);
      },
    });
  }
}

function authorize({ permission }: ContractOperation, caller: TenantContext): void {
  if (permission === undefined || caller.permissions.includes(permission)) return;
  throw new CodedError("FORBIDDEN", `this operation needs the permission ${permission}`);
}

/** Does not decode the path, because the library decodes each path parameter. */
function toContractRequest({
  method,
  raw,
  headers,
  body,
}: FastifyRequest): Parameters<ContractOperation["parseRequest"]>[0] {
  const url = raw.url ?? "/";
  const queryAt = url.indexOf("?");
  const [path, query] = queryAt < 0 ? [url, ""] : [url.slice(0, queryAt), url.slice(queryAt + 1)];
  return { method: method === "HEAD" ? "GET" : method, path, query, headers: toHeaders(headers), body };
}

const toHeaders = (headers: FastifyRequest["headers"]): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** The `max-age` in seconds of responses that clients may reuse without revalidation (RFC 9111). */
const seconds = { profile: 10, pastDays: 300 };
const revalidate = "private, no-cache";

/** Returns `Cache-Control` for a read. Metrics of past days do not change any more. */
function cacheControl(operation: string, { query }: Pick<OperationInput, "query">): string {
  if (operation === "getMe") return `private, max-age=${seconds.profile}`;
  const today = new Date().toISOString().slice(0, 10);
  const isPast = operation === "getMetrics" && typeof query.to === "string" && query.to < today;
  return isPast ? `private, max-age=${seconds.pastDays}` : revalidate;
}

const tagOf = (body: unknown): string => `"${hash("sha256", JSON.stringify(body), "base64url")}"`;
