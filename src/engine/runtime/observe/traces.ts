/**
 * OpenTelemetry traces, exported by OTLP over HTTP. A request of the gateway or graphql role is a server span. Below it, each
 * GraphQL operation is a server span, and each REST call of the operation is a client span. Names and attributes follow the
 * semantic conventions for HTTP (stable) and GraphQL (in development); other attributes begin with `restbound.`. Spans contain no
 * keys, header values, bodies or parameter values.
 *
 * This module is loaded only if the standard `OTEL_…` variables enable traces. The SDK's exporter and resource read the other
 * variables.
 */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { FastifyBaseLogger } from "fastify";
import { type DocumentNode, print } from "graphql";
import { codes } from "../../shared/error-codes.ts";
import type { TraceSettings } from "../settings/config.ts";
import { type Observer, spanCounts, subscribe } from "./observer.ts";
import { agentOptions, logDiagnostics, resourceOf, withWarnings } from "./otlp.ts";
import { type CallRecord, knownMethod, type RequestRecord } from "./request-record.ts";

/** Starts tracing the requests of the process. Returns a function that stops tracing and flushes pending spans. */
export function startTraces(
  settings: TraceSettings,
  name: string,
  log: FastifyBaseLogger,
): () => Promise<void> {
  const warn = logDiagnostics(log);
  const exporter = new OTLPTraceExporter({ httpAgentOptions: agentOptions(settings) });
  const count = (spans: readonly ReadableSpan[], isLost: boolean): void => {
    const outcome = isLost ? "lost" : "sent";
    spanCounts.set(outcome, (spanCounts.get(outcome) ?? 0) + spans.length);
  };
  const provider = new TracerProvider({
    resource: resourceOf(name, settings),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: {
          export: withWarnings(exporter.export.bind(exporter), "spans", log, count),
          shutdown: () => exporter.shutdown(),
        },
      }),
    ],
  });
  const unsubscribe = subscribe(spansOf(provider.getTracer(name)));
  return () => {
    unsubscribe();
    return provider.shutdown().catch((error: Error) => warn(error.message));
  };
}

/** Creates the sampler that `OTEL_TRACES_SAMPLER` names (OpenTelemetry's SDK configuration). */
function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const root = sampler.endsWith("always_off")
    ? new AlwaysOffSampler()
    : sampler.endsWith("traceidratio")
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/** The spans of a request in flight. If the request is a batch, `operations` has one span for each operation. */
type RequestSpans = { readonly span: Span; readonly context: Context; readonly operations: Span[] };

function spansOf(tracer: Tracer): Observer {
  const requests = new WeakMap<RequestRecord, RequestSpans>();
  const calls = new WeakMap<CallRecord, Span>();
  const texts = new WeakMap<DocumentNode, string>();
  const textOf = (document: DocumentNode): string => {
    const text = texts.get(document) ?? print(document).slice(0, maxDocument);
    texts.set(document, text);
    return text;
  };
  /**
   * Starts a span as the semantic conventions for GraphQL servers define it. The span's name does not contain the operation's
   * name, because clients choose that name.
   */
  const startOperation = (
    { operation, operationType, document }: RequestRecord,
    { context }: RequestSpans,
    startTime?: number,
  ) => {
    const attributes = {
      ...(operationType && { "graphql.operation.type": operationType }),
      ...(operation && { "graphql.operation.name": operation.name, "restbound.document.id": operation.id }),
      // only for a saved operation, because other documents may contain data of a client's users
      ...(operation && document && { "graphql.document": textOf(document) }),
    };
    const name = operationType ?? "GraphQL Operation";
    return tracer.startSpan(
      name,
      { kind: SpanKind.SERVER, attributes, ...(startTime !== undefined && { startTime }) },
      context,
    );
  };
  return {
    requestBegan(request) {
      const { serverInfo, route } = request;
      if ((serverInfo.role !== "gateway" && serverInfo.role !== "graphql") || !route.startsWith("/v1/"))
        return;
      const parent = contextOf(request.traceparent);
      const links = [trace.getSpanContext(contextOf(request.callersTrace))].flatMap((context) =>
        context ? [{ context }] : [],
      );
      const attributes = { ...methodAttributes(request.method), ...serverAttributes(request) };
      const span = tracer.startSpan(
        `${spanMethod(request.method)} ${route}`,
        { kind: SpanKind.SERVER, links, attributes },
        parent,
      );
      requests.set(request, { span, context: trace.setSpan(ROOT_CONTEXT, span), operations: [] });
      request.traceparent = headerOf(span);
    },
    operationBegan(request) {
      const spans = requests.get(request);
      spans?.operations.push(startOperation(request, spans));
    },
    requestEnded(request) {
      const spans = requests.get(request);
      if (!spans) return;
      const { span, operations } = spans;
      const { operationType, code, status, serverInfo } = request;
      const errorType = code ?? (status >= 500 ? String(status) : undefined);
      const isError = status >= 500 || (code !== undefined && codes[code].status >= 500);
      // the operation was not executed, because the response came from the cache or from another request's execution
      if (operationType && operations.length === 0)
        operations.push(startOperation(request, spans, request.beganAt));
      for (const operation of operations) {
        // in a batch, the error may belong to another operation
        if (operations.length === 1) recordError(operation, errorType, isError);
        operation.end();
      }
      span.updateName(`${spanMethod(request.method)} ${request.route}`); // the gateway makes the route more specific while the request runs
      span.setAttributes({
        "http.route": request.route,
        "http.response.status_code": status,
        "restbound.request.id": request.id,
        "restbound.role": serverInfo.role,
      });
      recordError(span, errorType, isError);
      span.end();
    },
    callBegan(call) {
      const spans = call.request && requests.get(call.request);
      if (!spans) return;
      const { operation, coordinate, method, isRetry } = call;
      const path = call.path.slice(call.path.indexOf("/")); // removes the prefix that names the OpenAPI document
      const attributes = {
        ...methodAttributes(method),
        "url.template": path,
        ...clientAttributes(call, path),
        "restbound.rest.operation.id": operation.id,
        ...(coordinate !== undefined && { "restbound.coordinate": coordinate }),
        ...(isRetry && { "http.request.resend_count": 1 }),
      };
      const [parent, another] = spans.operations;
      const span = tracer.startSpan(
        `${spanMethod(method)} ${path}`,
        { kind: SpanKind.CLIENT, attributes },
        parent && !another ? trace.setSpan(ROOT_CONTEXT, parent) : spans.context,
      );
      calls.set(call, span);
      call.traceparent = headerOf(span);
    },
    callEnded(call) {
      const span = calls.get(call);
      if (!span) return;
      if (call.status > 0) span.setAttribute("http.response.status_code", call.status);
      if (call.outcome !== "OK") {
        span.setAttribute("error.type", call.outcome);
        if (call.outcome !== "ABANDONED") span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function recordError(span: Span, errorType: string | undefined, isError: boolean): void {
  if (errorType !== undefined) span.setAttribute("error.type", errorType);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the method for the name of a span: `HTTP` for an unknown method. */
const spanMethod = (method: string): string => (knownMethod(method) === method ? method : "HTTP");

function methodAttributes(method: string): Attributes {
  const known = knownMethod(method);
  return {
    "http.request.method": known,
    ...(known !== method && { "http.request.method_original": method }),
  };
}

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http", 80],
  ["https", 443],
]);

/**
 * The values of `server.address` and `server.port` come from the `Host` header. In `url.query`, `REDACTED` replaces each value,
 * and each part without `=`.
 */
function serverAttributes({ url }: RequestRecord): Attributes {
  if (!url) return {};
  const { scheme, host, path, query } = url;
  const [, address = "", port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  return {
    "url.scheme": scheme,
    "url.path": path,
    ...(query && { "url.query": redactedQuery(query.slice(0, maxQuery)) }),
    ...(address !== "" && {
      "server.address": address,
      "server.port": port === undefined ? defaultPorts.get(scheme) : Number(port),
    }),
  };
}

const redactedQuery = (query: string): string =>
  query.replaceAll(/(^|&)([^=&]*=)?[^&]*/g, (_, mark: string, name = "") => `${mark}${name}REDACTED`);

/** In `url.full`, `REDACTED` replaces the value of each query parameter, because values may be personal data or credentials. */
function clientAttributes({ baseUrl, query = {} }: CallRecord, path: string): Attributes {
  if (!baseUrl) return {};
  const { origin, pathname, protocol, hostname, port } = baseUrl;
  const names = Object.keys(query).map((name) => `${encodeURIComponent(name)}=REDACTED`);
  const search = names.length > 0 ? `?${names.join("&")}` : "";
  return {
    "server.address": hostname,
    "server.port": port === "" ? defaultPorts.get(protocol.slice(0, -1)) : Number(port),
    "url.full": `${origin}${pathname.replace(/\/$/, "")}${path.replaceAll(/\{[^}]*\}/g, "REDACTED")}${search}`,
  };
}

/** Maximum number of characters of `graphql.document`, and of the query that is redacted for `url.query`. */
const maxDocument = 4_000;
const maxQuery = 4_000;

function contextOf(parent: string | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = ""] = parent.split("-");
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function headerOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
