/**
 * One table of hostile requests, as bytes on a socket, to be run against any front: the embedded gateway, nginx.
 * A front passes when each answer is as clean as the row says and no handler behind it ever saw `evil`, the mark
 * that every smuggled value carries, under a name that is the gateway's to set, nor any path but one under `/v1/`.
 */
import net from "node:net";

export type Front = {
  url: URL;
  /** A good key, and another good one of another tenant. */
  key: string;
  otherKey: string;
  /** Prefix of the context headers, as configured. */
  prefix?: string;
};

export type Hostile = {
  name: string;
  /** The bytes to send; a list is sent with a pause between its parts. */
  bytes: (front: Required<Front>) => string;
  /** Statuses that are right. 200: the request may pass, stripped. */
  answers: readonly number[];
};

export const mark = "evil";

const suffixes = [
  ...["Tenant-Id", "User-Id", "Api-Key-Id", "Roles", "Permissions", "Features", "Key-Scopes", "Teams"],
];
const proof = "X-Gateway-Proof";
const refused = [400, 401, 403, 404, 405, 414, 417, 421, 431, 501] as const;
const me = "/v1/identity/me";

type Lines = (front: Required<Front>) => readonly string[];

/** A GET with a good key and further header lines. */
const get =
  (path: string, lines: Lines = () => []) =>
  (front: Required<Front>): string =>
    request(`GET ${path} HTTP/1.1`, [`Host: ${front.url.host}`, `X-API-Key: ${front.key}`, ...lines(front)]);

/** A GET whose header lines are all given. */
const bare =
  (path: string, lines: Lines) =>
  (front: Required<Front>): string =>
    request(`GET ${path} HTTP/1.1`, [`Host: ${front.url.host}`, ...lines(front)]);

const request = (line: string, lines: readonly string[], body = ""): string =>
  `${[line, ...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;

const post =
  (lines: Lines, body: string) =>
  (front: Required<Front>): string =>
    `${[`POST ${me} HTTP/1.1`, `Host: ${front.url.host}`, `X-API-Key: ${front.key}`, ...lines(front)].join("\r\n")}` +
    `\r\n\r\n${body}`;

const allNames = ({ prefix }: Required<Front>): string[] => [
  ...suffixes.map((suffix) => prefix + suffix),
  proof,
];
const spoofed = (front: Required<Front>, respell: (name: string) => string): string[] =>
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

const headers: Hostile[] = [
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
    bytes: get(me, () => [`X-Forwarded-For: ${mark}`, `Forwarded: for=${mark}`, `X-Real-IP: ${mark}`]),
    answers: [200, 400],
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

const credentials: Hostile[] = [
  { name: "no key", bytes: bare(me, () => []), answers: [401] },
  {
    name: "no key, all context headers spoofed",
    bytes: bare(me, (front) => spoofed(front, String)),
    answers: [401],
  },
  { name: "empty key", bytes: bare(me, () => ["X-API-Key:"]), answers: [401] },
  { name: "malformed key", bytes: bare(me, () => ["X-API-Key: sk_test_nonsense"]), answers: [401] },
  {
    name: "key with an underscore name",
    bytes: bare(me, ({ key }) => [`X_API_Key: ${key}`]),
    answers: [400, 401],
  },
  {
    name: "basic credentials",
    bytes: bare(me, ({ key }) => [`Authorization: Basic ${key}`]),
    answers: [401],
  },
  {
    name: "key in the query string",
    bytes: (front) => bare(`${me}?api_key=${front.key}&access_token=${front.key}`, () => [])(front),
    answers: [401],
  },
  {
    name: "two different keys",
    bytes: get(me, (f) => [`Authorization: Bearer ${f.otherKey}`]),
    answers: [400],
  },
  { name: "a key and another scheme", bytes: get(me, () => ["Authorization: Basic abc"]), answers: [400] },
  { name: "X-API-Key repeated, same", bytes: get(me, (f) => [`X-API-Key: ${f.key}`]), answers: [400] },
  {
    name: "X-API-Key repeated, different",
    bytes: get(me, (f) => [`x-api-key: ${f.otherKey}`]),
    answers: [400],
  },
  {
    name: "X-API-Key joined by a comma",
    bytes: bare(me, (f) => [`X-API-Key: ${f.key}, ${f.key}`]),
    answers: [400, 401],
  },
  {
    name: "Authorization repeated",
    bytes: bare(me, (f) => [`Authorization: Bearer ${f.key}`, `Authorization: Bearer ${f.otherKey}`]),
    answers: [400],
  },
];

const internal = "/internal/keys/introspect";
const paths: Hostile[] = [
  internal,
  "/internal",
  "/Internal/keys/introspect",
  "/v1/../internal/keys/introspect",
  "/v1/./../internal/keys/introspect",
  "/v1/identity/../../internal/keys/introspect",
  "/v1/%2e%2e/internal/keys/introspect",
  "/v1/%2E%2E/internal/keys/introspect",
  "/v1/.%2e/internal/keys/introspect",
  "/v1/%2e%2e%2finternal/keys/introspect",
  "/v1/..%2finternal/keys/introspect",
  "/v1/..%5cinternal%5ckeys%5cintrospect",
  "/v1/..\\internal\\keys\\introspect",
  "/v1\\..\\internal\\keys\\introspect",
  "/v1/%252e%252e/internal/keys/introspect",
  "/v1/..;/internal/keys/introspect",
  "/v1/..;a=b/internal/keys/introspect",
  "/v1/%2e%2e%3b/internal/keys/introspect",
  "//internal/keys/introspect",
  "/v1//internal/keys/introspect",
  "//v1/identity/me",
  "/v1//../internal/keys/introspect",
  "/%69nternal/keys/introspect",
  "/v1/..%00/internal/keys/introspect",
  "/v1/%00",
  "/v1/..%c0%af../internal",
  "/v1/%zz",
  "/v1/identity/me#/../internal",
  "/%76%31/identity/me",
  "/%76%31/%69nternal",
  "/%761/../internal/keys/introspect",
  "/v1",
  "/v1/..",
  "/",
  "/metrics",
  "*",
].map((path) => ({ name: `path ${path}`, bytes: get(path), answers: refused }));

const targets: Hostile[] = [
  ...paths,
  {
    name: "absolute-form, internal path",
    bytes: (f) => get(`http://${f.url.host}${internal}`)(f),
    answers: refused,
  },
  { name: "absolute-form, another host", bytes: get(`http://internal.example${me}`), answers: refused },
  {
    name: "CONNECT",
    bytes: () => request("CONNECT internal:80 HTTP/1.1", ["Host: internal:80"]),
    answers: refused,
  },
  {
    name: "TRACE",
    bytes: (f) => request(`TRACE ${me} HTTP/1.1`, [`Host: ${f.url.host}`, `X-API-Key: ${f.key}`]),
    answers: refused,
  },
  { name: "two Host headers", bytes: get(me, () => ["Host: internal.example"]), answers: refused },
  { name: "the same Host twice", bytes: get(me, (f) => [`Host: ${f.url.host}`]), answers: refused },
  { name: "no Host", bytes: (f) => request(`GET ${me} HTTP/1.1`, [`X-API-Key: ${f.key}`]), answers: refused },
  { name: "a space in the path", bytes: get("/v1/a b"), answers: refused },
  { name: "a raw control character in the path", bytes: get("/v1/a\x01b"), answers: refused },
  { name: "a raw tab in the path", bytes: get("/v1/a\tb"), answers: refused },
];

/** A second request, hidden in the body of the first: whoever sees it was smuggled past the front. */
const hidden = (front: Required<Front>): string =>
  `POST ${internal} HTTP/1.1\r\nHost: ${front.url.host}\r\n${front.prefix}Tenant-Id: ${mark}\r\nContent-Length: 0\r\n\r\n`;

const smuggling: Hostile[] = [
  ["Content-Length and Transfer-Encoding", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
  ["Transfer-Encoding and Content-Length", ["Transfer-Encoding: chunked", "Content-Length: 5"]],
  ["two Content-Length", ["Content-Length: 0", "Content-Length: 5"]],
  ["a Content-Length list", ["Content-Length: 0, 5"]],
  ["a signed Content-Length", ["Content-Length: +0"]],
  ["a negative Content-Length", ["Content-Length: -1"]],
  ["an obfuscated Transfer-Encoding", ["Transfer-Encoding: xchunked"]],
  ["Transfer-Encoding with a tab", ["Transfer-Encoding:\tchunked, identity"]],
  ["Transfer-Encoding twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]],
  ["Transfer-Encoding before a colon", ["Transfer-Encoding : chunked"]],
].map(([name, lines]) => ({
  name: `smuggling: ${name}`,
  bytes: (front) => post(() => lines as string[], `0\r\n\r\n${hidden(front)}`)(front),
  answers: refused,
}));

const framing: Hostile[] = [
  ...smuggling,
  {
    name: "smuggling: a GET with a body",
    bytes: (front) => get(me, () => [`Content-Length: ${hidden(front).length}`])(front) + hidden(front),
    answers: [200, ...refused],
  },
  {
    name: "smuggling: a malformed chunk",
    bytes: (front) =>
      post(() => ["Transfer-Encoding: chunked"], `0x1\r\nA\r\n0\r\n\r\n${hidden(front)}`)(front),
    answers: refused,
  },
  {
    name: "smuggling: HTTP/1.0 with Transfer-Encoding",
    bytes: (front) =>
      request(`POST ${me} HTTP/1.0`, ["Transfer-Encoding: chunked"], `0\r\n\r\n${hidden(front)}`),
    answers: refused,
  },
  { name: "not HTTP", bytes: () => `${mark}\r\n\r\n`, answers: refused },
  { name: "an unknown expectation", bytes: get(me, () => [`Expect: ${mark}`]), answers: [200, ...refused] },
  {
    name: "an upgrade to h2c",
    bytes: get(me, () => [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
    ]),
    answers: [200, ...refused],
  },
];

export const hostileRequests: readonly Hostile[] = [...headers, ...credentials, ...targets, ...framing];

export type Reply = { status: number; type: string; text: string };

/** Sends one row's bytes and reads until the front closes, or for a second; `status` 0 means it only closed. */
export function send(front: Front, row: Hostile): Promise<Reply> {
  const bytes = row.bytes({ prefix: "X-Service-", ...front });
  return new Promise((resolve) => {
    const socket = net.connect(Number(front.url.port || 80), front.url.hostname, () =>
      socket.write(bytes, "latin1"),
    );
    let text = "";
    socket.setEncoding("latin1");
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(readReply(text)));
  });
}

const readReply = (text: string): Reply => ({
  status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
  type: /^content-type: *([^;\r\n]*)/im.exec(text)?.[1] ?? "",
  text,
});

/** What a handler behind the front saw that it must not see; empty when all is well. */
export function findLeaks(front: Front, url: string, rawHeaders: readonly string[]): string[] {
  const prefix = (front.prefix ?? "X-Service-").toLowerCase();
  const leaks = url.startsWith("/v1/") && !url.includes("..") ? [] : [`path ${url}`];
  const counts = new Map<string, number>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    const plain = name.replace(/[^a-z0-9]/g, "-");
    if (!plain.startsWith(prefix) && plain !== proof.toLowerCase()) {
      if (value.includes(mark)) leaks.push(`${name}: ${value}`);
      continue;
    }
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
    if (name !== plain || value.includes(mark)) leaks.push(`${name}: ${value}`);
  }
  for (const [name, count] of counts) if (count > 1) leaks.push(`${name} ${count} times`);
  return leaks;
}
