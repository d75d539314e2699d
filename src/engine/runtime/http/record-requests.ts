/** The record of each request: made when its head is there, complete when its answer is sent or its client has left. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CodedError } from "../coded-error.ts";
import { clientNameOf } from "../observe/client-name.ts";
import { beginRequest, endRequest } from "../observe/observer.ts";
import { RequestRecord, type ServerInfo } from "../observe/request-record.ts";
import { validTraceparent } from "../observe/trace-context.ts";
import type { Environment } from "../settings/environment.ts";
import { readTooSlowly } from "./bodies/slow-readers.ts";
import type { ClientConnection } from "./connections.ts";
import { hasProof, proofHeader } from "./context-headers.ts";

/**
 * Tells observers of the request, and of its end. Only a gateway's trace is continued: with the sampled flag, or with a
 * trace id that the ratio takes, any client could have all its requests recorded (Trace Context §3.4 "Restart trace",
 * §7.2).
 */
export function recordRequest(
  face: ServerInfo,
  request: FastifyRequest,
  { raw }: FastifyReply,
  connection: ClientConnection | undefined,
  env: Environment,
): void {
  const { socket, headers } = request.raw;
  const { url: route = "" } = request.routeOptions;
  const trace = validTraceparent(headers.traceparent);
  const known = new RequestRecord(face, request.id, request.method, route, request.ip);
  const isProved = hasProof(env, headers[proofHeader]);
  if (!isProved && face.role === "graphql" && headers[proofHeader] !== undefined) tellWrongProof(face, env);
  if (trace !== undefined && isProved) known.traceparent = trace;
  else known.callersTrace = trace;
  request.record = known;
  beginRequest(known);
  const written = (): number => socket.bytesWritten ?? 0; // a request that the process makes of itself has none
  const bytesBefore = written();
  raw.on("close", () => {
    const isUnread = connection?.isUnread === true;
    if (isUnread) known.fail(readTooSlowly);
    known.finish(raw.statusCode, isUnread || !raw.writableFinished, written() - bytesBefore);
    if (known.code !== undefined || face.log.access === "all") known.client ??= clientNameOf(headers);
    endRequest(known);
  });
}

function tellWrongProof({ role, log }: ServerInfo, { GATEWAY_SECRET }: Environment): void {
  if (!log.mayWrite("wrong proof", { role, reason: "wrong proof" }, 1)) return;
  const state = GATEWAY_SECRET === undefined ? "is not set here" : "is not the gateway's";
  log.log.warn(`GATEWAY_SECRET: ${state}, so the context headers of that gateway are dropped`);
}

/** A request that is refused before it has a route. */
export function recordRefusal(face: ServerInfo, error: CodedError, address = ""): void {
  const refused = new RequestRecord(face, "", "", "", address);
  beginRequest(refused);
  refused.fail(error);
  refused.finish(error.status, false, 0);
  endRequest(refused);
}
