/**
 * Probes a service in another process with one request. Verifies its certificate, that it speaks HTTP, and that it is the
 * intended service. The description of a failure says how to fix it.
 */
import { Client } from "undici";
import { prefixOf } from "../runtime/http/endpoint-paths.ts";
import { proofHeader } from "../runtime/http/gateway-proof.ts";
import { causeCode } from "../runtime/observe/request-record.ts";
import { foreignErrorSign, undocumentedStatus } from "../runtime/rest/rest-failure.ts";
import { upstreamConnector } from "../runtime/rest/upstream/upstream-connector.ts";
import type { Environment } from "../runtime/settings/environment.ts";
import { membersOf, parsedJson } from "../shared/json-object.ts";
import { isJson, isText } from "../shared/media-type.ts";
import type { Operation } from "../shared/operation.ts";
import { own } from "../shared/own.ts";

/** The response of a probe. `body` is empty if it is larger than 16 KiB. */
type ProbeAnswer = { readonly status: number; readonly type: string; readonly body: string };

/** Sends a GET without credentials, with a timeout of `CONNECT_TIMEOUT_MS` for each step. Throws undici's errors. */
async function get(
  { origin }: URL,
  path: string,
  env: Environment,
  headers: Readonly<Record<string, string>>,
): Promise<ProbeAnswer> {
  const ms = env.CONNECT_TIMEOUT_MS;
  const client = new Client(origin, { connect: upstreamConnector(env), maxResponseSize: 16_384 });
  try {
    const answer = await client.request({
      method: "GET",
      path,
      headers: { accept: "application/json", ...headers },
      headersTimeout: ms,
      bodyTimeout: ms,
    });
    const type = String(answer.headers["content-type"] ?? "").replace(/;.*/s, "");
    return { status: answer.statusCode, type, body: await answer.body.text().catch(() => "") };
  } finally {
    void client.destroy().catch(() => {});
  }
}

const describeAnswer = (path: string, { status, type }: ProbeAnswer): string =>
  `GET ${path} answered ${status}${type === "" ? "" : ` with ${type}`}`;

/** Whether the status is one with which a load balancer reports that the service is unavailable (RFC 9110 §15.6). */
const isGatewayFailure = (status: number): boolean => status >= 502 && status <= 504;

/** An operation without path parameters. */
export type ProbeOperation = Omit<Operation, "id" | "product"> & { readonly path: string };

/**
 * Calls a REST operation without credentials. The correct service may reject it, with a 4xx only as the document declares.
 * Without an operation, requests the base URL and accepts any status except 400, 502, 503 and 504: TLS servers answer plain HTTP
 * with 400, load balancers send the others. Resolves with the reason for a failure, or with `undefined`.
 */
export async function probeRest(
  base: URL,
  operation: ProbeOperation | undefined,
  env: Environment,
): Promise<string | undefined> {
  const path = base.pathname.replace(/\/$/, "") + (operation?.path ?? "/");
  const answer = await get(base, path, env, operation?.accept ? { accept: operation.accept } : {});
  const { status, type, body } = answer;
  if (isGatewayFailure(status)) return describeAnswer(path, answer);
  if (!operation) return status === 400 ? describeAnswer(path, answer) : undefined;
  if (status >= 300 && status < 400) return `${describeAnswer(path, answer)}; a redirect is not followed`;
  if (status >= 500) return undefined;
  if (status >= 400) {
    const sign = foreignErrorSign(operation, status, type, body !== "");
    if (sign === undefined) return undefined;
    if (sign === undocumentedStatus)
      return `${describeAnswer(path, answer)}, but its document does not declare a ${status} there; are host and path right? If so, declare it in an overlay`;
  } else if (status === 204 || isJson(type) || (operation.text && isText(type))) return undefined;
  return `${describeAnswer(path, answer)}, which is not a response of the API; are host and path right?`;
}

/**
 * Verifies that the URL leads to a `graphql` role. If a load balancer hides `/healthz`, any GraphQL response is accepted. The
 * request contains the gateway's secret, so that a role with another secret logs a warning.
 */
export async function probeGraphql(base: URL, env: Environment): Promise<string | undefined> {
  const prefix = prefixOf(base);
  const { GATEWAY_SECRET: secret } = env;
  const proof: Record<string, string> = secret === undefined ? {} : { [proofHeader]: secret };
  const health = await get(base, `${prefix}/healthz`, env, proof);
  if (isGatewayFailure(health.status)) return describeAnswer(`${prefix}/healthz`, health);
  const { role } = membersOf(parsedJson(health.body));
  if (role === "graphql") return undefined;
  if (typeof role === "string") return `it is a ${role} role, not graphql`;
  const path = `${prefix}/v1/graphql?query=%7B__typename%7D`;
  const answer = await get(base, path, env, proof);
  const { data, errors } = membersOf(parsedJson(answer.body));
  return data === undefined && errors === undefined
    ? `${describeAnswer(path, answer)}, which is not a GraphQL response`
    : undefined;
}

const unknownAuthority =
  "its certificate was issued by an unknown authority; name a CA file in UPSTREAM_CA_FILE or NODE_EXTRA_CA_CERTS";
const descriptions: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it closed the connection; does it require https://?",
  EHOSTUNREACH: "there is no route to it",
  EAI_AGAIN: "no name server can be reached",
  ENOTFOUND: "there is no such host",
  EREFUSED: "the name servers refuse to resolve its name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; is it http://?",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  ESERVFAIL: "the name servers fail to resolve its name",
  ETIMEOUT: "no name server resolved its name in time",
  HTTPParserError: "it does not speak HTTP; is it https://?",
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UND_ERR_BODY_TIMEOUT: "its response was not complete in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no response in time",
  UND_ERR_SOCKET:
    "it closed the connection; does it require https://, or a client certificate (UPSTREAM_CERT_FILE)?",
};

/** Returns the code and the description of an error: for example, `CERT_HAS_EXPIRED: its certificate has expired`. */
export const describeFailure = (error: unknown): string => codeWords(causeCode(error) ?? "unknown");

export function codeWords(code: string): string {
  const meaning = own(descriptions, code);
  return meaning === undefined ? code : `${code}: ${meaning}`;
}
