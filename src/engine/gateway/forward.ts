/**
 * Phase 4: sends a request to one upstream and streams the response back. Never sends a request twice, and follows no redirect.
 * Aborts the call soon after the client disconnects. A refused connection, a timeout or a broken response becomes a coded error.
 */
import type { FastifyReply } from "fastify";
import type { Pool } from "undici";
import { CodedError } from "../runtime/coded-error.ts";
import { keyHeaders } from "../runtime/http/credentials.ts";
import { outcomeOfWrite, upstreamFailure } from "../runtime/http/upstream-failure.ts";
import { addVary } from "../runtime/http/vary.ts";
import { spreadPool } from "../runtime/rest/upstream/spread-pool.ts";
import { upstreamConnector } from "../runtime/rest/upstream/upstream-connector.ts";
import { gatewayConnections } from "../runtime/settings/capacity.ts";
import type { Config } from "../runtime/settings/config.ts";
import { publicAddresses } from "./public-addresses.ts";
import { type ClientResponse, ResponseForwarding } from "./response-forwarding.ts";
import { clientCacheControl, type HeaderFields, stripResponse } from "./strip.ts";
import type { UpstreamRoute } from "./upstream-route.ts";

export type ForwardedRequest = {
  readonly route: UpstreamRoute;
  readonly headers: HeaderFields;
  readonly body: Buffer | null;
};

type Method = "GET" | "HEAD" | "QUERY" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
export const forwardedMethods: Method[] = [
  "GET",
  "HEAD",
  "QUERY",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

/** The methods that change nothing (RFC 9110 §9.2.1, draft-ietf-httpbis-safe-method-w-body §2). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "QUERY", "OPTIONS"]);

/**
 * Creates `forward` with one connection pool per upstream, and `close` for the pools. `metadata` is the URL of the protected
 * resource's metadata, which is added to challenges of the graphql role. `forward` throws a `CodedError`: UPSTREAM_UNAVAILABLE,
 * UPSTREAM_TIMEOUT, SERVICE_TIMEOUT, UPSTREAM_ERROR, BAD_UPSTREAM_RESPONSE, BAD_REQUEST, CLIENT_CLOSED_REQUEST.
 */
export function createForward(config: Config, metadata?: string) {
  const { REQUEST_TIMEOUT_MS, CONTEXT_HEADER_PREFIX: prefix } = config.env;
  // the services behind the gateway have the deadline `REQUEST_TIMEOUT_MS`; the gateway waits half a second longer, so that a
  // service can report its timeout with a more precise error
  const timeoutMs = REQUEST_TIMEOUT_MS + 500;
  const connections = gatewayConnections;
  const connect = upstreamConnector(config.env);
  const options = { connections, connect, headersTimeout: 0, bodyTimeout: 0 };
  const pools = new Map<string, Pool>();
  const poolOf = ({ origin }: URL): Pool => {
    const pool = pools.get(origin) ?? spreadPool(origin, options);
    pools.set(origin, pool);
    return pool;
  };
  /**
   * Streams the response to `reply`. Resolves when the response begins. A failure after that is logged with the request and
   * closes the client's connection. Calls `ended` once, when the client's and the upstream's connections are free again.
   */
  const forward = async (
    { route, headers, body }: ForwardedRequest,
    reply: FastifyReply,
    ended: () => void,
  ): Promise<void> => {
    const { method, record, raw } = reply.request;
    const clientResponse: ClientResponse = {
      begin: (status, upstreamHeaders) => {
        const stripped = stripResponse(prefix, status, upstreamHeaders, reply.server.challenge);
        const shown = publicAddresses(route, raw.headers.host, stripped);
        const { "www-authenticate": challenge } = upstreamHeaders;
        if (route.isOwn && status === 403 && challenge !== undefined)
          shown["www-authenticate"] = metadata ? `${challenge}, resource_metadata="${metadata}"` : challenge;
        beginResponse(reply, status, shown);
      },
      breakOff: (failure) => record.breakOff(failureOn(route, failure)),
      ended,
    };
    const forwarding = new ResponseForwarding(reply.raw, clientResponse, timeoutMs);
    poolOf(route.upstream).dispatch(
      { path: route.path, method: method as Method, headers, body },
      forwarding,
    );
    try {
      await forwarding.begun;
    } catch (error) {
      const { wasSent } = forwarding;
      const failure = failureOn(route, upstreamFailure(error, wasSent));
      const outcome = safeMethods.has(method) ? "" : outcomeOfWrite(wasSent, failure.code);
      throw new CodedError(failure.code, failure.message + outcome, failure.details, {
        cause: failure.cause,
        reason: failure.reason,
      });
    }
  };
  return {
    forward,
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  };
}

/** The graphql role is part of this service and not an upstream API, so its timeout is a SERVICE_TIMEOUT. */
const failureOn = ({ isOwn }: UpstreamRoute, failure: CodedError): CodedError =>
  isOwn && failure.code === "UPSTREAM_TIMEOUT"
    ? new CodedError("SERVICE_TIMEOUT", failure.message, {}, { cause: failure.cause, reason: failure.reason })
    : failure;

/**
 * Writes the status and headers, including those that hooks have set. Hijacks the reply, so that Fastify does not send its own.
 * Adds the key headers to the `Vary` of a cacheable response, because a browser's cache survives a change of keys.
 */
function beginResponse(
  reply: FastifyReply,
  status: number,
  { vary = [], ...upstreamHeaders }: HeaderFields,
): void {
  const control = clientCacheControl(upstreamHeaders["cache-control"]);
  const names = new Set([vary].flat().flatMap((text) => text.toLowerCase().match(/[^\s,]+/g) ?? []));
  if (!control.includes("no-store")) for (const name of keyHeaders) names.add(name);
  addVary(reply, ...names);
  const isLast = reply.server.isLastAnswer(reply.request.raw.socket);
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as HeaderFields),
    ...upstreamHeaders,
    "cache-control": control,
    ...(isLast && { connection: "close" }),
  });
  reply.hijack();
}
