/**
 * OpenTelemetry traces, exported by OTLP over HTTP. A request of the gateway or graphql role is a server span, each REST call a
 * client span below it, with the names and attributes of the semantic conventions for HTTP (stable) and GraphQL. Spans contain no
 * keys, header values or bodies, and client spans no values of parameters. This module is loaded only if the standard `OTEL_…`
 * variables enable traces; the exporter and the resource read the remaining variables.
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

/** Traces the requests of the process. Returns the function that stops tracing and flushes pending spans. */
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

/** The sampler named by `OTEL_TRACES_SAMPLER` (OpenTelemetry's SDK configuration). */
function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const root = sampler.endsWith("always_off")
    ? new AlwaysOffSampler()
    : sampler.endsWith("traceidratio")
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function spansOf(tracer: Tracer): Observer {
  const requests = new WeakMap<RequestRecord, { readonly span: Span; readonly context: Context }>();
  const calls = new WeakMap<CallRecord, Span>();
  const texts = new WeakMap<DocumentNode, string>();
  const textOf = (document: DocumentNode): string => {
    const text = texts.get(document) ?? print(document).slice(0, maxDocument);
    texts.set(document, text);
    return text;
  };
  return {
    requestBegan(request) {
      const { serverInfo, route } = request;
      const method = knownMethod(request.method);
      if ((serverInfo.role !== "gateway" && serverInfo.role !== "graphql") || !route.startsWith("/v1/"))
        return;
      const parent = contextOf(request.traceparent);
      const links = [trace.getSpanContext(contextOf(request.callersTrace))].flatMap((context) =>
        context ? [{ context }] : [],
      );
      const attributes = {
        "http.request.method": method,
        ...(method !== request.method && { "http.request.method_original": request.method }),
        ...serverAttributes(request),
      };
      const span = tracer.startSpan(
        `${spanMethod(request)} ${route}`,
        { kind: SpanKind.SERVER, links, attributes },
        parent,
      );
      requests.set(request, { span, context: trace.setSpan(ROOT_CONTEXT, span) });
      request.traceparent = headerOf(span);
    },
    requestEnded(request) {
      const span = requests.get(request)?.span;
      if (!span) return;
      const { operation, operationType, document, code, status, serverInfo } = request;
      const errorType = code ?? (status >= 500 ? String(status) : undefined);
      span.updateName(`${spanMethod(request)} ${request.route}`); // the gateway narrows the route while the request runs
      span.setAttributes({
        "http.route": request.route,
        "http.response.status_code": status,
        "request.id": request.id,
        "restbound.role": serverInfo.role,
        ...(operationType && { "graphql.operation.type": operationType }),
        ...(operation && { "graphql.operation.name": operation.name, "graphql.document.id": operation.id }),
        // only for saved operations: a client's document may contain user data, a saved one contains only its developers' values
        ...(operation && document && { "graphql.document": textOf(document) }),
        ...(errorType && { "error.type": errorType }),
      });
      if (status >= 500 || (code && codes[code].status >= 500))
        span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    callBegan(call) {
      const requestSpan = call.request && requests.get(call.request);
      if (!requestSpan) return;
      const { operation, coordinate, method, isRetry } = call;
      const path = call.path.slice(call.path.indexOf("/")); // without the document's name in front
      const attributes = {
        "http.request.method": knownMethod(method),
        "url.template": path,
        ...clientAttributes(call, path),
        "rest.operation.id": operation.id,
        ...(coordinate !== undefined && { "graphql.coordinate": coordinate }),
        ...(isRetry && { "http.request.resend_count": 1 }),
      };
      const span = tracer.startSpan(
        `${method} ${path}`,
        { kind: SpanKind.CLIENT, attributes },
        requestSpan.context,
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

/** In the names of spans, `HTTP` replaces a method that is not known. */
function spanMethod(request: RequestRecord): string {
  const method = knownMethod(request.method);
  return method === "_OTHER" ? "HTTP" : method;
}

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http", 80],
  ["https", 443],
]);

/** `server.address` and `server.port` are those of the `Host` header. */
function serverAttributes({ url }: RequestRecord): Attributes {
  if (!url) return {};
  const { scheme, host, path } = url;
  const [, address = "", port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  return {
    "url.scheme": scheme,
    "url.path": path,
    ...(address !== "" && {
      "server.address": address,
      "server.port": port === undefined ? defaultPorts.get(scheme) : Number(port),
    }),
  };
}

/** In `url.full`, `REDACTED` replaces each value: parameters may contain personal data and, in the query, credentials. */
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

/** Maximum number of characters of `graphql.document`. */
const maxDocument = 4_000;

/** The context of a valid `traceparent` header. */
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
