/** Headers that only a gateway may set, spoofed in every spelling, and headers that no server should take. */
import { type Front, get, type Hostile, mark, me, refused, request } from "./request.ts";

const suffixes = [
  "Tenant-Id",
  "User-Id",
  "Api-Key-Id",
  "Roles",
  "Permissions",
  "Features",
  "Key-Scopes",
  "Teams",
];
export const proof = "X-Gateway-Proof";
/** By which proxies of many makers say who or where a client is. */
const proxyHeaders = [
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded",
  "Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Original-Forwarded-For",
  "True-Client-IP",
  "CF-Connecting-IP",
  "CF-Connecting-IPv6",
  "CF-IPCountry",
  "X-Client-IP",
  "Client-IP",
  "X-Real-IP",
  "X-Cluster-Client-IP",
  "Fastly-Client-IP",
  "X-Remote-IP",
  "X-Remote-Addr",
  "X-Originating-IP",
  "X-ProxyUser-Ip",
  "X-Azure-ClientIP",
  "X-Azure-SocketIP",
  "X-Envoy-External-Address",
  "X-Appengine-User-IP",
  "X-Original-Host",
  "X-Remote-User",
  "Remote-User",
  "X-SSL-Client-Cert",
  "X-Client-Cert",
  "CloudFront-Viewer-Address",
  "X-Amzn-Source-Vpc",
];

/** What proxies, tracers and identity-aware proxies say to the services behind them. */
const trustedBehindProxies = [
  "Proxy",
  "X-HTTP-Method",
  "X-Original-URI",
  "X-Original-Method",
  "X-Original-Path",
  "X-Proxy-URL",
  "X-Host",
  "X-URL-Scheme",
  "Front-End-Https",
  "X-Script-Name",
  "Early-Data",
  "Surrogate-Capability",
  "X-Auth-Request-User",
  "X-Auth-Request-Email",
  "X-Consumer-Username",
  "X-Consumer-Custom-ID",
  "X-Credential-Identifier",
  "X-MS-Client-Principal",
  "X-MS-Client-Principal-Name",
  "X-JWT-Assertion",
  "X-Goog-IAP-JWT-Assertion",
  "X-Middleware-Subrequest",
  "X-Sendfile-Type",
  "X-Accel-Mapping",
  "Baggage",
  "B3",
  "X-B3-Sampled",
  "Uber-Trace-Id",
  "Uberctx-A",
  "X-Cloud-Trace-Context",
  "Sentry-Trace",
  "X-Datadog-Sampling-Priority",
  "X-OT-Span-Context",
];

const allNames = ({ prefix }: Required<Front>): string[] => [
  ...suffixes.map((suffix) => prefix + suffix),
  proof,
];
export const spoofed = (front: Required<Front>, respell: (name: string) => string): string[] =>
  allNames(front).map((name, index) => `${respell(name)}: ${mark}-${index}`);

const mixed = (name: string): string =>
  [...name].map((letter, at) => (at % 2 ? letter.toLowerCase() : letter.toUpperCase())).join("");

const spoofing: Hostile[] = [
  ["as documented", (name: string) => name],
  ["in lower case", (name: string) => name.toLowerCase()],
  ["in upper case", (name: string) => name.toUpperCase()],
  ["in mixed case", mixed],
  ["with _ for every -", (name: string) => name.replaceAll("-", "_")],
  ["with _ for the last -", (name: string) => name.replace(/-(?=[^-]*$)/, "_")],
  ["with _ in lower case", (name: string) => name.toLowerCase().replaceAll("-", "_")],
  ["with . for -", (name: string) => name.replaceAll("-", ".")],
].map(([name, respell]) => ({
  name: `all context headers and the proof spoofed ${name}`,
  bytes: get(me, (front) => spoofed(front, respell as (name: string) => string)),
  answers: [200, 400],
}));

export const headers: Hostile[] = [
  ...spoofing,
  { name: "spoofed on GraphQL", bytes: spoofedGraphql, answers: [200, 400] },
  {
    name: "spoofed twice each",
    bytes: get(me, (front) => [...spoofed(front, String), ...spoofed(front, String)]),
    answers: [200, 400],
  },
  {
    name: "context headers named in Connection",
    bytes: (front) =>
      request(`GET ${me} HTTP/1.1`, [
        `Host: ${front.url.host}`,
        `X-API-Key: ${front.key}`,
        `Connection: ${allNames(front).join(", ")}`,
        ...spoofed(front, String),
      ]),
    answers: [200, 400],
  },
  {
    name: "context headers named in Connection, not sent",
    bytes: (front) => get(me, () => [`Connection: close, ${allNames(front).join(",")}`])(front),
    answers: [200, 400],
  },
  {
    name: "unknown context header under the prefix",
    bytes: get(me, ({ prefix }) => [`${prefix}Admin: ${mark}`]),
    answers: [200, 400],
  },
  {
    name: "space before the colon",
    bytes: get(me, ({ prefix }) => [`${prefix}Tenant-Id : ${mark}`]),
    answers: refused,
  },
  {
    name: "folded header line",
    bytes: get(me, ({ prefix }) => ["X-Fold: a", ` ${prefix}Tenant-Id: ${mark}`]),
    answers: [200, ...refused],
  },
  {
    name: "bare carriage return in a value",
    bytes: get(me, ({ prefix }) => [`X-A: b\r${prefix}Tenant-Id: ${mark}`]),
    answers: refused,
  },
  { name: "NUL in a value", bytes: get(me, () => [`X-A: b\0${mark}`]), answers: refused },
  {
    name: "who the client is, spoofed",
    bytes: get(me, () => proxyHeaders.map((name) => `${name}: ${mark}`)),
    answers: [200, 400],
  },
  {
    name: "what services behind a proxy trust, spoofed",
    bytes: get(me, () => trustedBehindProxies.map((name) => `${name}: ${mark}`)),
    answers: [200],
  },
  {
    name: "path and method overridden",
    bytes: get(me, () => [
      `X-Original-URL: /internal/${mark}`,
      `X-Rewrite-URL: /internal/${mark}`,
      `X-HTTP-Method-Override: ${mark}`,
    ]),
    answers: [200, 400],
  },
  {
    name: "huge header",
    bytes: get(me, () => [`X-Huge: ${"a".repeat(70_000)}`]),
    answers: refused,
  },
  {
    name: "a thousand headers",
    bytes: get(me, () => Array.from({ length: 1_000 }, (_, index) => `X-${index}: a`)),
    answers: refused,
  },
];

function spoofedGraphql(front: Required<Front>): string {
  const body = JSON.stringify({ query: "{ __typename }" });
  return request(
    "POST /v1/graphql HTTP/1.1",
    [
      `Host: ${front.url.host}`,
      `X-API-Key: ${front.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...spoofed(front, String),
    ],
    body,
  );
}
