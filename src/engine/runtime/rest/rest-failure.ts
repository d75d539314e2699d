/** Creates the errors of REST calls. A message contains texts from the upstream only if the OpenAPI document declares them. */
import { membersOf } from "../../shared/json-object.ts";
import { isJson } from "../../shared/media-type.ts";
import { isSafeMethod, type Operation } from "../../shared/operation.ts";
import { documentedStatus, listsRefusals } from "../../shared/refusals.ts";
import { CodedError, codeForStatus, FailureReason } from "../coded-error.ts";
import { retryAfterSeconds } from "../http/parse-retry-after.ts";
import { outcomeOfWrite } from "../http/upstream-failure.ts";
import type { CallOutcome, CallRecord } from "../observe/request-record.ts";
import type { CallerHeaders } from "./caller-headers.ts";
import { refusalMessage, refusalText } from "./refusal-text.ts";
import type { RestResponse } from "./rest-response.ts";

export const circuitOpen = (): CodedError =>
  new CodedError(
    "UPSTREAM_UNAVAILABLE",
    "it failed too often; calls are suspended for a short time",
    { retryAfter: 1 },
    { cause: new FailureReason("CIRCUIT_OPEN") },
  );

/** The error of a call that exceeds the caller's share of a vendor's rate limit. */
export const quotaExhausted = (retryAfter: number): CodedError =>
  new CodedError(
    "RATE_LIMITED",
    "too many requests for the service's rate limit, which all callers share",
    { retryAfter },
    { cause: new FailureReason("QUOTA_EXHAUSTED") },
  );

/** The error of a call that could not be sent for a temporary reason. */
export const notSent = (message: string): CodedError =>
  new CodedError(
    "UPSTREAM_UNAVAILABLE",
    message,
    { retryAfter: 1 },
    { cause: new FailureReason("NOT_SENT") },
  );

/**
 * The error of a call that got no connection in time. `isOurs` means that the upstream is not at fault: other calls used all
 * connections, or the request had little time left.
 */
export const noConnection = (isOurs: boolean): CodedError =>
  new CodedError(
    isOurs ? "SERVICE_TIMEOUT" : "UPSTREAM_TIMEOUT",
    "no connection in time",
    {},
    { cause: new FailureReason("NOT_SENT") },
  );

export const noResponse = (): CodedError => new CodedError("UPSTREAM_TIMEOUT", "no answer in time");

export const tooLarge = (bytes: number): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is too large", {
    limit: "MAX_RESPONSE_BYTES",
    value: bytes,
  });

/** The error of a 2xx response that violates the contract. `how` is the reason in the log. */
export const invalidResponse = (message: string, how: string): CodedError =>
  new CodedError("BAD_UPSTREAM_RESPONSE", message, {}, { cause: new FailureReason(how) });

/** The reason in the log: HTML probably comes from a load balancer. */
export const notJson = (media: string): "HTML" | "not JSON" =>
  /^text\/html\b/i.test(media) ? "HTML" : "not JSON";

/** The reason in the log for a JSON response with an undeclared 4xx status if the operation declares others. */
export const undocumentedStatus = "undocumented status";

/**
 * Returns a reason to assume that a 4xx does not come from the API (but from a load balancer or a wrong host, for example), or
 * `undefined` if there is none. A 4xx with a reason is reported as `UPSTREAM_ERROR`, because the client is not at fault. A 429 is
 * accepted with any body, a 401 with any body except HTML, because either status is possible for any resource (RFC 6585 §4, RFC
 * 9110 §15.5.2).
 */
export function foreignErrorSign(
  operation: Pick<Operation, "refusals" | "bareRefusals" | "credentials" | "held">,
  status: number,
  media: string,
  hasBody: boolean,
): string | undefined {
  const { bareRefusals, credentials, held } = operation;
  if (status === 429) return undefined;
  if (hasBody && notJson(media) === "HTML") return "HTML";
  if (status === 401) return undefined;
  const documented = documentedStatus(operation, status);
  if (hasBody && isJson(media)) {
    const isOfCredentials = status === 403 && (credentials !== undefined || held !== undefined);
    return documented !== undefined || !listsRefusals(operation) || isOfCredentials
      ? undefined
      : undocumentedStatus;
  }
  if (documented !== undefined && bareRefusals?.includes(documented)) return undefined;
  return hasBody ? "not JSON" : "empty body";
}

/** `sections` are the parameters of the request by location, and its body. */
type SentValues = Pick<CallerHeaders, "secrets"> & { readonly sections: readonly unknown[] };

/**
 * Returns the error for a response that is not a success. The status determines the code and becomes the `cause`. The message
 * contains declared texts of the body and the name of a refused argument, unless the body repeats a secret of the request.
 */
export function responseFailure(
  operation: Operation,
  response: RestResponse,
  error: unknown,
  { sections, secrets }: SentValues,
): CodedError {
  const { status } = response;
  if (status < 400) return invalidResponse("a redirect is not followed", "redirect");
  if (operation.held && (status === 401 || status === 407)) return credentialRefused();
  const media = response.mediaType;
  const foreign = status < 500 ? foreignErrorSign(operation, status, media, response.bytes > 0) : undefined;
  if (foreign !== undefined) {
    const message =
      foreign === undocumentedStatus
        ? `it answered ${status}, which its OpenAPI document does not declare`
        : `it answered ${status}, but not as the API does`;
    return new CodedError("UPSTREAM_ERROR", message, {}, { cause: new FailureReason(foreign) });
  }
  const retryAfter = retryAfterSeconds(response.headers.get("retry-after"));
  const argument = namesArgument.has(status) ? argumentOf(error, sections) : undefined;
  const refusal = status === 409 ? "contradicts what is stored" : "is not accepted";
  const statusMessage =
    status === 403 && operation.held
      ? "the service does not permit it to this server"
      : status === 403 && operation.permission !== undefined
        ? `the caller lacks the permission ${operation.permission}`
        : messages[status];
  const message = argument === undefined ? statusMessage : `argument "${argument}" ${refusal}`;
  const text =
    response.bytes > mostTextBytes || (operation.held && !namesArgument.has(status))
      ? {}
      : refusalText(operation, response, error, secrets);
  const details = {
    ...text,
    ...(argument !== undefined && { argument }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  return new CodedError(codeForStatus(status), message ?? `it answered ${status}`, details, {
    cause: status,
  });
}

/** The error if a vendor refuses the server's credential: callers cannot fix this. */
const credentialRefused = (): CodedError =>
  new CodedError(
    "UPSTREAM_UNAVAILABLE",
    "the service refuses the server's credential",
    {},
    { cause: new FailureReason("CREDENTIAL_REFUSED") },
  );

export const isCredentialRefused = (error: unknown): boolean =>
  error instanceof CodedError &&
  error.cause instanceof FailureReason &&
  error.cause.code === "CREDENTIAL_REFUSED";

/** Statuses with which REST refuses the input of a request. */
const namesArgument: ReadonlySet<number> = new Set([400, 409, 422]);

/** Maximum size of a body from which texts are extracted. */
const mostTextBytes = 65_536;

/** Returns the `argument` member of problem details (RFC 9457), if the request has a parameter of this name. */
function argumentOf(problem: unknown, sections: readonly unknown[]): string | undefined {
  const { argument } = membersOf(problem);
  const isSent =
    typeof argument === "string" && sections.some((section) => Object.hasOwn(membersOf(section), argument));
  return isSent ? argument : undefined;
}

const messages: Record<number, string> = {
  400: "the input is refused",
  401: "the credentials are missing or not valid",
  403: "the caller lacks the permission that it needs",
  404: "there is no such thing",
  409: "the request contradicts what is stored",
  422: "the input is refused",
  429: "too many requests",
};

/** Returns the cause and the outcome of a failed call for observers. A `SyntaxError` means that the body is not valid JSON. */
export function failureOf(error: unknown): [error: unknown, outcome: CallOutcome] {
  if (error instanceof CodedError) {
    if (error.code === "CLIENT_CLOSED_REQUEST") return [error, "ABANDONED"];
    const { cause, code } = error;
    const notSent =
      cause instanceof FailureReason &&
      (["CIRCUIT_OPEN", "QUOTA_EXHAUSTED"] as const).find((each) => each === cause.code);
    return [cause, notSent || code];
  }
  return error instanceof SyntaxError
    ? [new FailureReason("not JSON"), "BAD_UPSTREAM_RESPONSE"]
    : [error, "INTERNAL_SERVER_ERROR"];
}

/** States whether a failed write may have had an effect. Empty for reads and 4xx responses, which have none. */
export function outcomeOf({ method, status, wasSent }: CallRecord, error: unknown): string {
  if (isSafeMethod(method) || (status >= 400 && status < 500)) return "";
  return outcomeOfWrite(wasSent, error instanceof CodedError ? error.code : "INTERNAL_SERVER_ERROR");
}

/** The message is REST's own, or names the operation and, after a write, what is known of the outcome. */
export function withOperationId(
  { id, permission, held }: Operation,
  error: unknown,
  outcome: string,
): CodedError {
  if (error instanceof CodedError) {
    if (error.code === "CALL_LIMIT") return error;
    // a 403 for the server's credential does not concern the caller's permissions
    const missing = error.code === "FORBIDDEN" && permission !== undefined && !held && { permission };
    return new CodedError(
      error.code,
      refusalMessage(error.details, error.cause) ?? `${id}: ${error.message}${outcome}`,
      { ...error.details, operation: id, ...missing },
      { cause: error },
    );
  }
  const broken = error instanceof SyntaxError;
  return new CodedError(
    broken ? "BAD_UPSTREAM_RESPONSE" : "INTERNAL_SERVER_ERROR",
    `${id}: ${broken ? "the answer is not valid JSON" : "internal error"}${outcome}`,
    { operation: id },
    { cause: broken ? undefined : error }, // a `SyntaxError` quotes the body
  );
}
