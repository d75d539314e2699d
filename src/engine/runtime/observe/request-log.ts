/**
 * Writes the log lines of requests and REST calls: one for each failed REST call, and one for each request or, depending on
 * `ACCESS_LOG`, for each request with an error. During a flood of failures or rejections, only the first lines are written, and
 * the rest are counted per minute. No line contains a stack trace, an upstream's message, a credential or a body.
 */
import { hash } from "node:crypto";
import { codes } from "../../shared/error-codes.ts";
import type { Observer } from "./observer.ts";
import { type CallOutcome, type RequestRecord, roundMs } from "./request-record.ts";
import { traceIdOf } from "./trace-context.ts";

/** Whether this service or REST failed. An error response to a caller's bad request is not a failure. */
function isFailure(outcome: CallOutcome): boolean {
  if (outcome === "CIRCUIT_OPEN" || outcome === "QUOTA_EXHAUSTED" || outcome === "RATE_LIMITED") return true;
  return outcome !== "OK" && outcome !== "ABANDONED" && codes[outcome].status >= 500;
}

/** Whether the request is logged even in a flood: true if REST or this service failed, false for a rejection by a limit. */
const isAlwaysLogged = ({ code, reason }: RequestRecord, isFault: boolean): boolean =>
  isFault && !(code === "SERVICE_UNAVAILABLE" && reason !== undefined);

/** Health checks are frequent and not worth logging. */
const isProbe = ({ route }: RequestRecord): boolean => route === "/healthz" || route === "/readyz";

export const requestLog: Observer = {
  requestEnded(request) {
    const { code, reason, status, serverInfo } = request;
    const { access } = serverInfo.log;
    if (access === "off" || serverInfo.role === "metrics" || isProbe(request)) return;
    const isFault = status >= 500 || (code !== undefined && codes[code].status >= 500);
    if (access === "errors") {
      // error responses of the embedded platform are logged by the roles in front of it
      if (!isFault && (code === undefined || serverInfo.role === "platform")) return;
      const kind = { role: serverInfo.role, code: code ?? status, reason };
      if (!isAlwaysLogged(request, isFault) && !serverInfo.log.mayWrite(Object.values(kind).join(" "), kind))
        return;
    }
    serverInfo.log.lines[isFault ? "warn" : "info"](accessFields(request), "request");
  },
  callEnded({ operation, coordinate, outcome, status, cause, ms, isRetry, request }) {
    if (!request || !isFailure(outcome)) return;
    const { log } = request.serverInfo;
    const kind = { operation: operation.id, code: outcome };
    if (!log.mayWrite(`${kind.operation} ${kind.code}`, kind)) return;
    const ids = { requestId: request.id, traceId: traceIdOf(request.traceparent ?? request.callersTrace) };
    log.log.warn(
      { ...kind, coordinate, status: status || undefined, cause, ms: roundMs(ms), isRetry, ...ids },
      "REST call failed",
    );
  },
};

function accessFields(request: RequestRecord): object {
  const { serverInfo, route, operation, operationName, method, client, failures } = request;
  const failed =
    request.failedOperation === undefined
      ? failures?.values().next().value
      : failures?.get(request.failedOperation);
  return {
    role: serverInfo.role,
    method,
    route: route || undefined,
    operation: operation?.name ?? operationName?.slice(0, 100),
    operationId: operation?.id,
    document: operation ? undefined : documentOf(request),
    app: operation?.app,
    client: client?.name,
    clientVersion: client?.version || undefined,
    address: request.address || undefined,
    keyId: request.keyId,
    tenantId: request.tenantId,
    status: request.status,
    code: request.code,
    reason: request.reason,
    restOperation: request.failedOperation ?? failed?.operation.id,
    restStatus: failed?.status || undefined,
    cause: request.cause ?? failed?.cause,
    path: request.failedPath,
    ms: roundMs(request.ms),
    restCalls: serverInfo.role === "graphql" ? request.calls : undefined,
    bytes: request.bytes,
    requestId: request.id || undefined,
    traceId: traceIdOf(request.traceparent ?? request.callersTrace),
  };
}

/** Returns a digest of the unsaved text (the text must not be logged), or the unknown document id. */
const documentOf = ({ documentId, text }: RequestRecord): string | undefined =>
  text ? `sha256:${hash("sha256", text)}` : documentId;
