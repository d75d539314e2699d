/**
 * Phase 4: sends one request to one upstream and streams the response back. It never retries and follows no redirect.
 * When the client leaves, the call ends soon. An upstream that is down, silent or broken becomes a coded error.
 */
import type { ServerResponse } from "node:http";
import type { Pool } from "undici";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { upstreamFailure } from "../http/upstream-failure.ts";
import { connectorOf, spreadPool } from "../rest/upstream/spread-pool.ts";
import { gatewayConnections } from "../settings/capacity.ts";
import { publicAddresses } from "./public-addresses.ts";
import { type Answering, ResponseForwarding } from "./response-forwarding.ts";
import { type Headers, stripResponse } from "./strip.ts";
import type { UpstreamRoute } from "./upstream-route.ts";

type Outgoing = {
  route: UpstreamRoute;
  method: string;
  headers: Headers;
  body: Buffer | null;
  /** Receives the response. When its connection closes, the call ends soon. */
  client: ServerResponse;
  /** Writes the status and headers to the client. */
  begin: (status: number, headers: Headers) => void;
  /** Called when the upstream fails after that. */
  breakOff: (failure: CodedError) => void;
  /** Called once, when the request holds no connection any more. */
  ended: () => void;
};
/** Resolves once the response begins. A later failure is told to `breakOff`, and breaks the client's connection. */
type Forward = (outgoing: Outgoing) => Promise<void>;

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
export const methods: Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Creates `forward` with one connection pool for each upstream, and `close` for the pools. It throws a `CodedError`:
 * UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT, SERVICE_TIMEOUT, UPSTREAM_ERROR, BAD_UPSTREAM_RESPONSE, BAD_REQUEST, CLIENT_CLOSED_REQUEST.
 */
export function createForward(config: Config): { forward: Forward; close: () => Promise<void> } {
  const { REQUEST_TIMEOUT_MS, CONTEXT_HEADER_PREFIX: prefix } = config.env;
  // the services behind the gateway have the same deadline and a better error for it: the gateway waits half a second more
  const timeoutMs = REQUEST_TIMEOUT_MS + 500;
  const pools = new Map<string, Pool>();
  const poolOf = ({ origin }: URL): Pool => {
    const pool = pools.get(origin) ?? openPool(config, origin);
    pools.set(origin, pool);
    return pool;
  };
  const forward: Forward = async ({ route, method, headers, body, client, begin, breakOff, ended }) => {
    const answering: Answering = {
      begin: (status, answered) => {
        const stripped = stripResponse(prefix, status, answered);
        begin(status, publicAddresses(route, client.req.headers.host, stripped));
      },
      breakOff: (failure) => breakOff(failureOn(route, failure)),
      ended,
    };
    const forwarding = new ResponseForwarding(client, answering, timeoutMs);
    poolOf(route.upstream).dispatch(
      { path: route.path, method: method as Method, headers, body },
      forwarding,
    );
    try {
      await forwarding.begun;
    } catch (error) {
      throw failureOn(route, upstreamFailure(error));
    }
  };
  return {
    forward,
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  };
}

/** No product is to blame if our own role is late. */
const failureOn = ({ isOwn }: UpstreamRoute, failure: CodedError): CodedError =>
  isOwn && failure.code === "UPSTREAM_TIMEOUT"
    ? new CodedError("SERVICE_TIMEOUT", failure.message, {}, failure.cause, failure.reason)
    : failure;

function openPool(config: Config, origin: string): Pool {
  return spreadPool(origin, {
    connections: gatewayConnections,
    connect: connectorOf(config.env),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
