/**
 * The HTTP calls of the process: REST, key introspection, what the gateway forwards. They are seen through undici's
 * diagnostics channels.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Registry } from "prom-client";
import { DurationFamily, type Durations, known, type Labels } from "./families.ts";

type Call = { readonly origin: string };

export function measureOutgoingCalls(registry: Registry): void {
  const duration = new DurationFamily(
    registry,
    "http_client_request_duration_seconds",
    "Calls of this process: REST, key introspection, what the gateway forwards.",
  );
  const byOrigin = new Map<string, Map<string, Durations>>();
  const underWay: WeakMap<Call, { readonly since: number; status: number }> = new WeakMap();
  const ended = (call: Call, errorType?: string): void => {
    const begun = underWay.get(call);
    if (!begun) return;
    underWay.delete(call); // an answer that breaks off has its head, and then an error
    const outcomes = known(byOrigin, call.origin, () => new Map());
    known(outcomes, errorType ?? String(begun.status), () =>
      duration.child({
        ...addressOf(call.origin),
        ...(errorType ? { error_type: errorType } : { http_response_status_code: String(begun.status) }),
      }),
    ).observe(performance.now() - begun.since);
  };
  subscribe("undici:request:create", (message) => {
    underWay.set((message as { request: Call }).request, { since: performance.now(), status: 0 });
  });
  subscribe("undici:request:headers", (message) => {
    const { request, response } = message as { request: Call; response: { statusCode: number } };
    const begun = underWay.get(request);
    if (begun) begun.status = response.statusCode;
  });
  subscribe("undici:request:trailers", (message) => ended((message as { request: Call }).request));
  subscribe("undici:request:error", (message) => {
    const { request, error } = message as { request: Call; error: Error & { code?: string } };
    ended(request, error.code ?? error.name);
  });
}

function addressOf(origin: string): Labels {
  const { hostname, port, protocol } = new URL(origin);
  return { server_address: hostname, server_port: port || (protocol === "https:" ? "443" : "80") };
}
