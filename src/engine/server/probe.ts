/**
 * One request to a service of another process, which proves what a connection does not: its certificate, that it speaks
 * HTTP, and that it is the service that is meant. A failure is told in words that name what to mend.
 */
import { Client } from "undici";
import { proofHeader } from "../runtime/http/context-headers.ts";
import { prefixOf } from "../runtime/http/endpoint-paths.ts";
import { causeCode } from "../runtime/observe/request-record.ts";
import { foreignErrorSign } from "../runtime/rest/rest-failure.ts";
import { upstreamConnector } from "../runtime/rest/upstream/upstream-connector.ts";
import type { Environment } from "../runtime/settings/environment.ts";
import { membersOf, parsedJson } from "../shared/json-object.ts";
import { isJson, isText } from "../shared/media-type.ts";
import type { Operation } from "../shared/operation.ts";
import { own } from "../shared/own.ts";

/** What was answered. A body of over 16 KiB is left out. */
type ProbeAnswer = { readonly status: number; readonly type: string; readonly body: string };

/** Makes a GET without credentials; each of its steps may take `CONNECT_TIMEOUT_MS`. Throws what undici does. */
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

/** An answer in words, for a finding. */
const inWords = (path: string, { status, type }: ProbeAnswer): string =>
  `GET ${path} answered ${status}${type === "" ? "" : ` with ${type}`}`;

/** A balancer in front says that nobody answers (RFC 9110 §15.6). */
const isGatewayFailure = (status: number): boolean => status >= 502 && status <= 504;

/** An operation that needs no path parameter. */
export type ProbeOperation = Omit<Operation, "id" | "product"> & { readonly path: string };

/**
 * Asks REST for an operation of the document. Without credentials a good service may refuse, but as the API does. Without
 * an operation, any answer to the base URL is good but one of a balancer, and a 400, as servers that want TLS send it.
 * Resolves with the reason of a failure, or with `undefined`.
 */
export async function probeRest(
  base: URL,
  operation: ProbeOperation | undefined,
  env: Environment,
): Promise<string | undefined> {
  const path = base.pathname.replace(/\/$/, "") + (operation?.path ?? "/");
  const answer = await get(base, path, env, operation?.accept ? { accept: operation.accept } : {});
  const { status, type, body } = answer;
  if (isGatewayFailure(status)) return inWords(path, answer);
  if (!operation) return status === 400 ? inWords(path, answer) : undefined;
  if (status >= 300 && status < 400) return `${inWords(path, answer)}; a redirect is not followed`;
  if (status >= 500) return undefined;
  const isForeign =
    status >= 400
      ? foreignErrorSign(operation, status, type, body !== "") !== undefined
      : status !== 204 && !isJson(type) && !(operation.text && isText(type));
  if (!isForeign) return undefined;
  return `${inWords(path, answer)}, which is no answer of the API; are host and path right?`;
}

/**
 * Asks a `graphql` role who it is. Where a balancer hides that, any GraphQL response is good. The gateway's proof goes
 * with the request: a role that cannot verify it says so in its log.
 */
export async function probeGraphql(base: URL, env: Environment): Promise<string | undefined> {
  const prefix = prefixOf(base);
  const { GATEWAY_SECRET: secret } = env;
  const proof: Record<string, string> = secret === undefined ? {} : { [proofHeader]: secret };
  const health = await get(base, `${prefix}/healthz`, env, proof);
  if (isGatewayFailure(health.status)) return inWords(`${prefix}/healthz`, health);
  const { role } = membersOf(parsedJson(health.body));
  if (role === "graphql") return undefined;
  if (typeof role === "string") return `it is a ${role} role, not graphql`;
  const path = `${prefix}/v1/graphql?query=%7B__typename%7D`;
  const answer = await get(base, path, env, proof);
  const { data, errors } = membersOf(parsedJson(answer.body));
  return data === undefined && errors === undefined
    ? `${inWords(path, answer)}, which is no GraphQL response`
    : undefined;
}

const unknownAuthority =
  "its certificate is of an authority that is not known here; NODE_EXTRA_CA_CERTS or UPSTREAM_CA_FILE names a file of authorities";
const words: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "it closed the connection; does it want https://?",
  EHOSTUNREACH: "no way leads there",
  EAI_AGAIN: "no name server can be reached",
  ENOTFOUND: "there is no such host",
  EREFUSED: "the name servers refuse to resolve its name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; is it http://?",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  ESERVFAIL: "the name servers fail to resolve its name",
  ETIMEOUT: "no name server resolves its name in time",
  HTTPParserError: "it does not speak HTTP; is it https://?",
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UND_ERR_BODY_TIMEOUT: "its answer does not end",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_SOCKET:
    "it closed the connection; does it want https://, or a client certificate (UPSTREAM_CERT_FILE)?",
};

/** The failure of a request in words, its code first: `CERT_HAS_EXPIRED: its certificate has expired`. */
export const describeFailure = (error: unknown): string => codeWords(causeCode(error) ?? "unknown");

export function codeWords(code: string): string {
  const meaning = own(words, code);
  return meaning === undefined ? code : `${code}: ${meaning}`;
}
