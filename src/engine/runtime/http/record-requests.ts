/** Creates a record for each request when its headers have arrived, and completes it when the response ends. */
import type { FastifyReply } from "fastify";
import type { CodedError } from "../coded-error.ts";
import { clientNameOf } from "../observe/client-name.ts";
import { beginRequest, endRequest } from "../observe/observer.ts";
import { RequestRecord, type ServerInfo } from "../observe/request-record.ts";
import { validTraceparent } from "../observe/trace-context.ts";
import type { Environment } from "../settings/environment.ts";
import { readTooSlowly } from "./bodies/slow-readers.ts";
import type { ClientConnection } from "./connections.ts";
import { hasProof, proofHeader } from "./gateway-proof.ts";

/**
 * Publishes the beginning and the end of a request to observers. Only the trace of a gateway in front is continued. A client's
 * trace is not: its sampled flag, or a trace id that the sampling ratio selects, could cause all its requests to be recorded
 * (Trace Context §3.4 "Restart trace", §7.2).
 */
export function recordRequest(
  serverInfo: ServerInfo,
  { request, raw }: FastifyReply,
  connection: ClientConnection | undefined,
  env: Environment,
): void {
  const { socket, headers } = request.raw;
  const { id, method, ip: address } = request;
  const { url: route = "" } = request.routeOptions;
  const trace = validTraceparent(headers.traceparent);
  const record = new RequestRecord(serverInfo, { id, method, route, address });
  const isProved = hasProof(env, headers[proofHeader]);
  if (!isProved && serverInfo.role === "graphql" && headers[proofHeader] !== undefined) {
    record.hasWrongProof = true;
    warnWrongProof(serverInfo, env);
  }
  if (trace !== undefined && isProved) record.traceparent = trace;
  else record.callersTrace = trace;
  const [path = "", query] = splitAtQuery(request.url);
  record.url = { scheme: request.protocol, host: request.host ?? "", path, query };
  request.record = record;
  beginRequest(record);
  const written = (): number => socket.bytesWritten ?? 0; // `bytesWritten` is undefined for injected requests
  const bytesBefore = written();
  raw.on("close", () => {
    const isUnread = connection?.isUnread === true;
    if (isUnread) record.fail(readTooSlowly);
    record.finish(raw.statusCode, isUnread || !raw.writableFinished, written() - bytesBefore);
    if (record.code !== undefined || serverInfo.log.access === "all") record.client ??= clientNameOf(headers);
    endRequest(record);
  });
}

function splitAtQuery(target: string): [path: string, query?: string] {
  const mark = target.indexOf("?");
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
}

function warnWrongProof({ role, log }: ServerInfo, { GATEWAY_SECRET }: Environment): void {
  if (!log.mayWrite("wrong proof", { role, reason: "wrong proof" }, 1)) return;
  const state = GATEWAY_SECRET === undefined ? "is not set here" : "is not the gateway's";
  log.log.warn(`GATEWAY_SECRET: ${state}, so the context headers that the gateway sends are ignored`);
}

/** Records a request that was rejected before routing. */
export function recordRefusal(serverInfo: ServerInfo, error: CodedError, address = ""): void {
  const refused = new RequestRecord(serverInfo, { id: "", method: "", route: "", address });
  beginRequest(refused);
  refused.fail(error);
  refused.finish(error.status, false, 0);
  endRequest(refused);
}
