/** The resource, the connection to the collector and the log lines that the exporters of traces and metrics share. */
import type { AgentOptions } from "node:https";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import type { FastifyBaseLogger } from "fastify";
import { readRegularFile } from "../../shared/regular-file.ts";
import { lookupCache } from "../dns/lookup-cache.ts";
import type { OtlpSettings } from "../settings/config.ts";
import { causeCode } from "./request-record.ts";

/** Timeout for resolving the collector's name. An export may take 10 s (`OTEL_EXPORTER_OTLP_TIMEOUT`). */
const lookupMs = 5_000;

/** Writes the messages of the OpenTelemetry SDK to the log. Returns the function that writes a message. */
export function logDiagnostics(log: FastifyBaseLogger): (message: string) => void {
  const warn = (message: string): void => log.warn({ reason: message.slice(0, 500) }, "OpenTelemetry");
  const silent = (): void => {};
  const logger = { error: warn, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return warn;
}

export const resourceOf = (name: string, { build }: OtlpSettings): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ "service.name": name, "service.version": build }))
    .merge(detectResources({ detectors: [envDetector] }));

/**
 * Options of an exporter's HTTP agent, which resolves names with `lookupCache`. An exporter with agent options ignores the
 * certificate files in OpenTelemetry's variables, so they are read here. The exporter has already warned about missing files.
 */
export function agentOptions({ files }: OtlpSettings): AgentOptions {
  const read = (file: string | undefined): string | undefined => {
    try {
      return file === undefined ? undefined : readRegularFile(file);
    } catch {
      return undefined;
    }
  };
  const { ca, cert, key } = files;
  const certificates = { ca: read(ca), cert: read(cert), key: read(key) };
  return { keepAlive: true, lookup: lookupCache.within(lookupMs), ...certificates };
}

type Result = { readonly error?: Error };
type Export<Batch> = (batch: Batch, done: (result: { code: number }) => void) => void;

/**
 * Wraps an export function. Logs once when the collector stops accepting `what`, and once when it accepts `what` again. Reports
 * every export to the SDK as successful, because the SDK would log a line for each failure. `count` is called for each batch.
 */
export function withWarnings<Batch>(
  exportBatch: (batch: Batch, done: (result: Result) => void) => void,
  what: "spans" | "metrics",
  log: FastifyBaseLogger,
  count: (batch: Batch, isLost: boolean) => void = () => {},
): Export<Batch> {
  let isDown = false;
  return (batch, done) =>
    exportBatch(batch, ({ error }) => {
      if (error && !isDown)
        log.warn(
          { cause: causeCode(error) },
          `OTEL_EXPORTER_OTLP_ENDPOINT: the collector does not accept ${what}; they are lost`,
        );
      if (!error && isDown) log.warn(`OTEL_EXPORTER_OTLP_ENDPOINT: the collector accepts ${what} again`);
      isDown = error !== undefined;
      count(batch, isDown);
      done({ code: 0 });
    });
}
