/**
 * The facts about one request of a role and about one REST call, filled in while they run. No fact is a credential, a
 * header's value or a body, except the ids named here.
 */
import type { Code } from "../../shared/error-codes.ts";
import { CodedError } from "../coded-error.ts";
import type { Role } from "../settings/config.ts";
import type { LogLines } from "./log-lines.ts";

/** A role's server as its requests know it. `metrics` serves no role. */
export type ServerInfo = { readonly role: Role | "metrics"; readonly log: LogLines };

/** A saved operation. `app` is absent for one of this service. `id` is the one in the manifest. */
export type OperationName = { readonly app: string | undefined; readonly name: string; readonly id: string };

export class RequestRecord {
  readonly beganAt = performance.now();
  readonly face: ServerInfo;
  readonly id: string;
  /** The pattern of its route, such as `/v1/*`. Empty: no route. */
  route: string;
  readonly method: string;
  /** The status sent; 499 when the client left before; of an answer that broke off, the status of its failure. */
  status = 0;
  /** Ms from the head of the request to the end of the answer. */
  ms = 0;
  /** The code of the first error that the client got. */
  code: Code | undefined;
  /** Which limit or bound refused it. */
  reason: string | undefined;
  /** The code of the failed connection or the kind of fault behind `code`; no message. */
  cause: string | undefined;
  /** The saved operation that ran. */
  operation: OperationName | undefined;
  /** The app that the client says it is, if there is a manifest of this app. */
  app: string | undefined;
  /** The operation's name as the client gave it. */
  givenName: string | undefined;
  /** The document: the id that was asked for, and the text that came. The log shows a digest of a text that is not saved. */
  askedId: string | undefined;
  text: string | undefined;
  /** The client's address. */
  readonly address: string;
  /** The client's name and version, as it gave them. */
  client: { readonly name: string; readonly version: string } | undefined;
  /** What this request left of each rate limit that counted it, from 1 (nothing was used) to 0. */
  rateLeft: { readonly bound: string; readonly left: number }[] | undefined;
  keyId: string | undefined;
  tenantId: string | undefined;
  /** REST calls that were made. */
  calls = 0;
  /** The last call of each REST operation that failed. */
  failures: Map<string, CallRecord> | undefined;
  /** The REST operation and the path in the answer of the error that `code` is of. */
  failedOperation: string | undefined;
  failedPath: string | undefined;
  /** The calls themselves, if an observer collects them. */
  ended: CallRecord[] | undefined;
  /** Bytes of the answer with its head. */
  bytes = 0;
  /** The W3C Trace Context of the gateway in front, or that an observer has set. */
  traceparent: string | undefined;
  /** The trace of a caller without a gateway's proof. It is not continued. */
  callersTrace: string | undefined;
  #brokeOff: CodedError | undefined;

  constructor(face: ServerInfo, id: string, method: string, route: string, address: string) {
    this.address = address;
    this.face = face;
    this.id = id;
    this.method = method;
    this.route = route;
  }

  /** Notes the error that the client gets. Only the first one counts. */
  fail(error: CodedError): void {
    if (this.code) return;
    this.code = error.code;
    this.reason = error.reason ?? error.details.limit;
    this.cause = causeCode(error.cause);
    this.failedOperation = error.details.operation;
  }

  /** Notes that the answer broke off, because what is behind this role failed. */
  breakOff(error: CodedError): void {
    this.fail(error);
    this.#brokeOff = error;
  }

  /** Notes a REST call that has ended. */
  called(call: CallRecord): void {
    this.calls++;
    this.ended?.push(call);
    if (call.outcome === "OK" || call.outcome === "ABANDONED") return;
    this.failures ??= new Map();
    this.failures.set(call.operation.id, call);
  }

  /** Notes the end of the answer, or that the client has left before. */
  finish(status: number, hasLeft: boolean, bytes: number): void {
    this.ms = performance.now() - this.beganAt;
    this.status = hasLeft ? (this.#brokeOff?.status ?? 499) : status;
    if (hasLeft) this.code ??= "CLIENT_CLOSED_REQUEST";
    this.bytes = bytes;
  }
}

/** The innermost error's code, such as `ECONNREFUSED`, or its name: the codes of a `DOMException` are numbers. */
export function causeCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (cause.cause instanceof Error) return causeCode(cause.cause);
  if (cause instanceof CodedError) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === "string" && code !== "" ? code : cause.name; // undici's HTTPParserError has no code
}

/** `OK`, the failure's code, or the reason why REST's answer never counted. */
export type CallOutcome = "OK" | "CIRCUIT_OPEN" | "ABANDONED" | Code;

type Called = { readonly id: string; readonly product: string };

/** How a request got the response. `shared`: another request made the call; `revalidated`: REST said 304. */
export type ResponseSource = "fetched" | "shared" | "cached" | "revalidated";

/** One try of a REST call. */
export class CallRecord {
  readonly beganAt = performance.now();
  readonly operation: Called;
  readonly method: string;
  /** The path template of the OpenAPI document. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  /** The schema coordinate of the field that needs it. */
  readonly coordinate: string | undefined;
  /** The second try of a read. */
  readonly isRetry: boolean;
  /** The request that it belongs to. */
  readonly request: RequestRecord | undefined;
  /** The call gets the response of an identical read of the same request. */
  isRepeated = false;
  /** How the request got the response. */
  source: ResponseSource = "fetched";
  /** The age of a cached response in seconds (RFC 9111 §4.2.3). */
  ageSeconds: number | undefined;
  /** REST's status. 0: no answer. */
  status = 0;
  /** Its request was on a connection, whole or in part. */
  wasSent = false;
  ms = 0;
  outcome: CallOutcome = "OK";
  cause: string | undefined;
  /** W3C Trace Context of this call, where a trace is recorded. */
  traceparent: string | undefined;

  constructor(
    operation: Called,
    method: string,
    path: string,
    query: CallRecord["query"],
    coordinate: string | undefined,
    isRetry: boolean,
    request: RequestRecord | undefined,
  ) {
    this.operation = operation;
    this.method = method;
    this.path = path;
    this.query = query;
    this.coordinate = coordinate;
    this.isRetry = isRetry;
    this.request = request;
  }

  succeed(): void {
    this.#end("OK");
  }

  /** `cause` is a status, or the error of the call. */
  fail(cause: unknown, outcome: CallOutcome): void {
    if (typeof cause === "number") this.status = cause;
    this.cause = causeCode(cause);
    this.#end(outcome);
  }

  #end(outcome: CallOutcome): void {
    this.ms = performance.now() - this.beganAt;
    this.outcome = outcome;
  }
}

/** A time as logs and clients see it: in tenths. */
export const roundMs = (time: number): number => Math.round(time * 10) / 10;

/** A saved operation's name in metrics and reports: two apps may have operations of one name. */
export const qualifiedName = ({ app, name }: OperationName): string =>
  app === undefined ? name : `${app}/${name}`;
