/**
 * Records of a role's requests and REST calls, filled in while these run. A record contains no credentials, header values or
 * bodies, except the document id, the document text and the URL query.
 */
import type { DocumentNode, OperationTypeNode } from "graphql";
import type { Code } from "../../shared/error-codes.ts";
import { CodedError } from "../coded-error.ts";
import type { Role } from "../settings/config.ts";
import type { LogLines } from "./log-lines.ts";

/** The server that handles a request. `metrics` is the metrics server, which is not a role. */
export type ServerInfo = { readonly role: Role | "metrics"; readonly log: LogLines };

/** Identifies a saved operation by the id in its manifest. `app` is undefined for an operation of this service. */
export type OperationName = { readonly app: string | undefined; readonly name: string; readonly id: string };

type ReceivedRequest = Pick<RequestRecord, "id" | "method" | "route" | "address">;

type RequestedUrl = {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string | undefined;
};

export class RequestRecord {
  readonly beganAt = performance.now();
  readonly serverInfo: ServerInfo;
  readonly id: string;
  /** The route's pattern, such as `/v1/*`; empty if no route matched. */
  route: string;
  readonly method: string;
  /** The URL that the client requested. `host` is the `Host` header. `query` may contain credentials and personal data. */
  url: RequestedUrl | undefined;
  /** The status of the response. 499 if the client disconnected first; the failure's status if the response was aborted. */
  status = 0;
  /** Milliseconds from the request's headers to the end of the response. */
  ms = 0;
  /** The code of the first error in the response. */
  code: Code | undefined;
  /** The limit that rejected the request, or why its credentials were rejected. */
  reason: string | undefined;
  /** The code of the error that led to `code`, such as `ECONNREFUSED`. Never a message, because messages may contain values. */
  cause: string | undefined;
  operation: OperationName | undefined;
  /** Type and parsed document of the operation that ran. */
  operationType: OperationTypeNode | undefined;
  document: DocumentNode | undefined;
  /** In a batch, the documents that ran in addition to `document`. */
  furtherDocuments: DocumentNode[] | undefined;
  /** The name of the app that the client claims to be. Undefined if no app of this name has a manifest. */
  app: string | undefined;
  operationName: string | undefined;
  /** The document id and text that the client sent. An unsaved text is logged only as a digest. */
  documentId: string | undefined;
  text: string | undefined;
  readonly address: string;
  /** Name and version of the client application, as the client sent them. */
  client: { readonly name: string; readonly version: string } | undefined;
  /** For each rate limit that counted this request, the remaining fraction: from 1 (unused) to 0 (exhausted). */
  rateLeft: { readonly bound: string; readonly left: number }[] | undefined;
  keyId: string | undefined;
  tenantId: string | undefined;
  calls = 0;
  /** Maps the id of each REST operation with failed calls to its last failed call. */
  failures: Map<string, CallRecord> | undefined;
  /** The REST operation that failed with `code`, and the path of this error in the response. */
  failedOperation: string | undefined;
  failedPath: string | undefined;
  /** The calls that have ended, if an observer collects them. */
  ended: CallRecord[] | undefined;
  /** Bytes of the response, including its headers. */
  bytes = 0;
  /** W3C Trace Context of the gateway in front, or of the span that an observer started. */
  traceparent: string | undefined;
  /** W3C Trace Context of a caller without the gateway's proof. That trace is linked, not continued. */
  callersTrace: string | undefined;
  /** Whether the request had an invalid gateway proof, so that its context headers were dropped. */
  hasWrongProof = false;
  #brokeOff: CodedError | undefined;

  constructor(serverInfo: ServerInfo, { id, method, route, address }: ReceivedRequest) {
    this.address = address;
    this.serverInfo = serverInfo;
    this.id = id;
    this.method = method;
    this.route = route;
  }

  /** Records the error that the client gets. Only the first error counts. */
  fail(error: CodedError): void {
    if (this.code) return;
    this.code = error.code;
    this.reason = error.reason ?? error.details.limit;
    this.cause = causeCode(error.cause);
    this.failedOperation = error.details.operation;
  }

  ran(document: DocumentNode): void {
    if (this.document) this.furtherDocuments = [...(this.furtherDocuments ?? []), this.document];
    this.document = document;
  }

  /** Records that the response was aborted because a service behind this role failed. */
  breakOff(error: CodedError): void {
    this.fail(error);
    this.#brokeOff = error;
  }

  called(call: CallRecord): void {
    this.calls++;
    this.ended?.push(call);
    if (call.outcome === "OK" || call.outcome === "ABANDONED") return;
    this.failures ??= new Map();
    this.failures.set(call.operation.id, call);
  }

  /** `hasLeft`: whether the client disconnected before the response was complete. */
  finish(status: number, hasLeft: boolean, bytes: number): void {
    this.ms = performance.now() - this.beganAt;
    this.status = hasLeft ? (this.#brokeOff?.status ?? 499) : status;
    if (hasLeft) this.code ??= "CLIENT_CLOSED_REQUEST";
    this.bytes = bytes;
  }
}

/**
 * Returns the code of the innermost error, such as `ECONNREFUSED`. Returns the error's name if the error has no code, or if its
 * code is a number (as in a `DOMException`).
 */
export function causeCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (cause.cause instanceof Error) return causeCode(cause.cause);
  if (cause instanceof CodedError) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === "string" && code !== "" ? code : cause.name; // undici's HTTPParserError has no code
}

/**
 * `OK`, the code of the error, or why the call got no response: the circuit breaker was open, the vendor's rate limit was used
 * up, or the request no longer needed the response.
 */
export type CallOutcome = "OK" | "CIRCUIT_OPEN" | "QUOTA_EXHAUSTED" | "ABANDONED" | Code;

type Called = { readonly id: string; readonly product: string };

/** `shared`: another request made the call. `revalidated`: REST responded with 304. */
export type ResponseSource = "fetched" | "shared" | "cached" | "revalidated";

type BegunCall = Pick<
  CallRecord,
  "operation" | "method" | "path" | "query" | "coordinate" | "isRetry" | "request"
>;

/** One attempt of a REST call. */
export class CallRecord {
  readonly beganAt = performance.now();
  readonly operation: Called;
  readonly method: string;
  /** The path template of the OpenAPI document. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  baseUrl: URL | undefined;
  /** The schema coordinate of the field that caused the call. */
  readonly coordinate: string | undefined;
  readonly isRetry: boolean;
  readonly request: RequestRecord | undefined;
  /** The deferred part (`@defer`) of the response that needs the call. */
  part: string | undefined;
  /** Whether the call reuses the response of an identical read in the same request. */
  isRepeated = false;
  source: ResponseSource = "fetched";
  /** The age of a cached response in seconds (RFC 9111 §4.2.3). */
  ageSeconds: number | undefined;
  /** REST's status; 0 without a response. */
  status = 0;
  /** Whether any part of the request was written to a connection. */
  wasSent = false;
  ms = 0;
  outcome: CallOutcome = "OK";
  cause: string | undefined;
  /** W3C Trace Context of the call's span, if the request is traced. */
  traceparent: string | undefined;

  constructor({ operation, method, path, query, coordinate, isRetry, request }: BegunCall) {
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

  /** `cause` is the status of the response, or the error that the call failed with. */
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

const methods: ReadonlySet<string> = new Set(
  "CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE".split(" "),
);

/** Returns `http.request.method` (semantic conventions): `_OTHER` for a method outside RFC 9110, RFC 5789 and QUERY. */
export const knownMethod = (method: string): string => (methods.has(method) ? method : "_OTHER");

/** Rounds milliseconds to tenths, for logs and clients. */
export const roundMs = (time: number): number => Math.round(time * 10) / 10;

/** Names a saved operation in metrics and reports. The name includes the app, because two apps may use the same name. */
export const qualifiedName = ({ app, name }: OperationName): string =>
  app === undefined ? name : `${app}/${name}`;
