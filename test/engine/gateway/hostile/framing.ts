/** Requests whose end two servers could see in different places: smuggling. */
import { type Front, get, type Hostile, mark, me, post, refused, request } from "./request.ts";
import { internal } from "./targets.ts";

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
  ["Transfer-Encoding: identity, chunked", ["Transfer-Encoding: identity, chunked"]],
  [
    "Transfer-Encoding: identity, then chunked",
    ["Transfer-Encoding: identity", "Transfer-Encoding: chunked"],
  ],
  ["Transfer-Encoding: gzip, chunked", ["Transfer-Encoding: gzip, chunked"]],
  ["Transfer-Encoding before a colon", ["Transfer-Encoding : chunked"]],
].map(([name, lines]) => ({
  name: `smuggling: ${name}`,
  bytes: (front) => post(() => lines as string[], `0\r\n\r\n${hidden(front)}`)(front),
  answers: refused,
}));

export const framing: Hostile[] = [
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
