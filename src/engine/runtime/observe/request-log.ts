/**
 * Writes the log lines of requests and of REST calls. Each failed REST call has a line. Each request has a line, or
 * each request whose client got an error. Of a flood of failed calls, and of requests that are refused, only the first lines
 * are written; the others are counted by the minute. No line has a stack, a message of an upstream, a credential or a body.
 */
import { hash } from "node:crypto";
import { codes } from "../../shared/error-codes.ts";
import type { Observer } from "./observer.ts";
import { type CallOutcome, type RequestRecord, roundMs } from "./request-record.ts";
import { traceIdOf } from "./trace-context.ts";

/** Our side or REST failed. A refusal of the caller's request by REST is an answer like any other. */
function isFailure(outcome: CallOutcome): boolean {
  if (outcome === "CIRCUIT_OPEN" || outcome === "RATE_LIMITED") return true;
  return outcome !== "OK" && outcome !== "ABANDONED" && codes[outcome].status >= 500;
}

/** A failure of REST or of ours has a line for each request, also in a flood. Refusals that a bound explains do not. */
const isAlwaysTold = ({ code, reason }: RequestRecord, isFault: boolean): boolean =>
  isFault && !(code === "SERVICE_UNAVAILABLE" && reason !== undefined);

/** Health checks are many, and say nothing. */
const isProbe = ({ route }: RequestRecord): boolean => route === "/healthz" || route === "/readyz";

export const requestLog: Observer = {
  requestEnded(request) {
    const { code, reason, status, face } = request;
    const { access } = face.log;
    if (access === "off" || face.role === "metrics" || isProbe(request)) return;
    const isFault = status >= 500 || (code !== undefined && codes[code].status >= 500);
    if (access === "errors") {
      // the embedded platform's refusals are answers to the roles in front of it
      if (!isFault && (code === undefined || face.role === "platform")) return;
      const kind = { role: face.role, code: code ?? status, reason };
      if (!isAlwaysTold(request, isFault) && !face.log.mayWrite(Object.values(kind).join(" "), kind)) return;
    }
    face.log.lines[isFault ? "warn" : "info"](accessFields(request), "request");
  },
  callEnded({ operation, coordinate, outcome, status, cause, ms, isRetry, request }) {
    if (!request || !isFailure(outcome)) return;
    const { log } = request.face;
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
  const { face, route, operation, givenName, method, client, failures } = request;
  const failed =
    request.failedOperation === undefined
      ? failures?.values().next().value
      : failures?.get(request.failedOperation);
  return {
    role: face.role,
    method,
    route: route || undefined,
    operation: operation?.name ?? givenName?.slice(0, 100),
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
    restCalls: face.role === "graphql" ? request.calls : undefined,
    bytes: request.bytes,
    requestId: request.id || undefined,
    traceId: traceIdOf(request.traceparent ?? request.callersTrace),
  };
}

/** Which document was sent, without its text: the id that nothing is saved for, or the digest that its text has as an id. */
const documentOf = ({ askedId, text }: RequestRecord): string | undefined =>
  text ? `sha256:${hash("sha256", text)}` : askedId;
