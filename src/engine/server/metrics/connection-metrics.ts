/** Measures DNS lookups, and the HTTP calls that undici reports on diagnostics channels. */
import { subscribe } from "node:diagnostics_channel";
import { type Lookup, lookupCache } from "../../runtime/dns/lookup-cache.ts";
import { knownMethod } from "../../runtime/observe/request-record.ts";
import { labels, type MetricFamilies } from "./metric-families.ts";

/** Set on undici's request, because the entries of a `WeakMap` would stay in memory longer than their keys. */
const begun = Symbol("begun");
type Call = {
  readonly origin: string;
  readonly method: string;
  [begun]?: { readonly since: number; status: number } | undefined;
};

export function measureOutgoingCalls(families: MetricFamilies): void {
  const duration = families.histograms(
    "http_client_request_duration_seconds",
    "Calls of this process: REST, key introspection, what the gateway forwards. `error_type`: the error of a call without a complete response, or a status from 400 on.",
    (method: string, origin: string, status: number, errorType: string) => ({
      http_request_method: method,
      ...addressOf(origin),
      http_response_status_code: status === 0 ? "" : String(status),
      error_type: errorType,
    }),
  );
  const ended = (call: Call, errorType?: string): void => {
    const measured = call[begun];
    if (!measured) return;
    call[begun] = undefined; // undici reports the end of a truncated response twice; it must be counted once
    const { since, status } = measured;
    duration(
      knownMethod(call.method),
      call.origin,
      status,
      errorType ?? (status >= 400 ? String(status) : ""),
    ).add((performance.now() - since) / 1_000);
  };
  subscribe("undici:request:create", (message) => {
    (message as { request: Call }).request[begun] = { since: performance.now(), status: 0 };
  });
  subscribe("undici:request:headers", (message) => {
    const { request, response } = message as { request: Call; response: { statusCode: number } };
    if (request[begun]) request[begun].status = response.statusCode;
  });
  subscribe("undici:request:trailers", (message) => ended((message as { request: Call }).request));
  subscribe("undici:request:error", (message) => {
    const { request, error } = message as { request: Call; error: unknown };
    ended(request, errorTypeOf(error));
  });
}

/**
 * Returns the code of a system error or an undici error, and the name of any other error: the code of a `DOMException` is a
 * number. An aborted call fails with the reason given to its `AbortController`, which may be any value.
 */
const errorTypeOf = (error: unknown): string =>
  error instanceof Error
    ? "code" in error && typeof error.code === "string"
      ? error.code
      : error.name
    : "aborted";

function addressOf(origin: string) {
  const { hostname, port, protocol } = new URL(origin);
  return { server_address: hostname, server_port: port || (protocol === "https:" ? "443" : "80") };
}

/** The labels are bounded, because host names come from the configuration. The returned function stops the measurements. */
export function measureLookups(families: MetricFamilies): () => void {
  const duration = families.histograms(
    "dns_lookup_duration_seconds",
    "Lookups of host names, in the hosts file and by DNS. `error_type` is empty for one that found addresses.",
    labels("dns_question_name", "error_type"),
  );
  const failing = new Map<string, number>();
  const help = "1: the last lookup of the name failed. Addresses from before are used for a day.";
  families.observableGauge("dns_lookup_failing", help, ["dns_question_name"], () => failing);
  const count = ({ name, ms, code = "" }: Lookup): void => {
    duration(name, code).add(ms / 1_000);
    failing.set(name, Number(code !== ""));
  };
  lookupCache.on("lookup", count);
  return () => void lookupCache.off("lookup", count);
}
