/** A REST platform that answers every path of the layer, and breaks a share of its responses on purpose. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listens, startProgram } from "../../support/child-process.ts";
import { Random } from "../../support/random.ts";

const at = "2026-11-21T00:00:00Z";
/** Stands for the caller's key: each caller has data of its own. */
const keyHere = "{key}";
const contact = (id: number) => ({
  ...{ id: `con_${id}`, name: `Contact ${id}`, email: `contact${id}@example.com`, phoneNumber: null },
  ...{
    company: `${keyHere} ${"x".repeat(2_000)}`,
    stage: "customer",
    ownerId: null,
    tags: ["a"],
    createdAt: at,
  },
  lastSeenAt: null,
});
const conversation = (id: number) => ({
  ...{ id: `cnv_${id}`, subject: "x".repeat(200), status: "open", channel: "sms", contactId: `con_${id}` },
  ...{ assigneeId: `agt_${id % 10}`, participantIds: [], priority: "normal", tags: [], unreadCount: 1 },
  ...{ createdAt: at, lastMessageAt: at },
});
const agent = (id: number) => ({
  ...{ id: `agt_${id}`, name: `Agent ${id}`, kind: "ai", email: null, availability: "online" },
  ...{ description: null, createdAt: at },
});
const message = { id: "msg_1", conversationId: "cnv_1", status: "sent", body: "b", createdAt: at };
const me = { id: keyHere, email: "a@b.example", tenantId: "t", roles: [], permissions: [], features: [] };
const list = (count: number, make: (id: number) => object): string =>
  JSON.stringify({
    items: Array.from({ length: count }, (_, id) => make(id)),
    nextCursor: null,
    hasMore: false,
  });

const bodies: readonly [RegExp, string][] = [
  [/\/me$/, JSON.stringify(me)],
  [/\/contacts/, list(100, contact)], // 250 kB
  [/\/conversations/, list(100, conversation)],
  [/\/agents/, list(10, agent)],
  [/\/metrics/, JSON.stringify({ series: [] })],
];

/** Each key is a tenant of its own (RFC 7662 §2.2). */
function introspected(body: string): string {
  const token = new URLSearchParams(body).get("token") ?? "";
  const id = token.slice(8, 20);
  const nothing = { roles: [], permissions: ["*"], features: [], key_scopes: [], teams: [] };
  return JSON.stringify({ active: true, tenant_id: id, user_id: id, api_key_id: id, ...nothing });
}

const json = { "content-type": "application/json" };
type Fault = (response: ServerResponse, body: string) => void;
const faults: readonly Fault[] = [
  ...[500, 502, 503, 504, 429].map(
    (status): Fault =>
      (response) =>
        void response.writeHead(status, { ...json, "retry-after": "1" }).end("{}"),
  ),
  (response) => void response.destroy(),
  (response, body) => {
    response.writeHead(200, { ...json, "content-length": body.length });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>sorry</h1>"),
  (response) => void response.writeHead(200, json).end('{"items":['),
  (response, body) => void setTimeout(() => response.writeHead(200, json).end(body), 1_500),
];
const caching: readonly Readonly<Record<string, string>>[] = [
  { "cache-control": "max-age=1", etag: '"1"' },
  { "cache-control": "no-cache", etag: `W/"${"e".repeat(500)}"` },
  { "cache-control": "max-age=9999999999, stale-while-revalidate=5", vary: "*" },
  { "last-modified": "yesterday", expires: "0" },
  { "cache-control": "public, s-maxage=60, must-revalidate, stale-if-error=60", age: "-1" },
];

/** Starts the platform below as a process of its own: in that of the clients it would answer when they are done. */
export async function startFaultyRest(seed: number, broken: number, cached: number) {
  const program = startProgram([import.meta.filename, String(seed), String(broken), String(cached)]);
  return { url: await listens(program), stop: program.stop };
}

/** Breaks a share `broken` of its responses to reads, and sends caching headers that make no sense with another share. */
function serve(random: Random, broken: number, cached: number): void {
  const answer = (request: IncomingMessage, response: ServerResponse, sent: string): void => {
    const { method, url = "" } = request;
    if (url.startsWith("/keys")) return void response.writeHead(200, json).end(introspected(sent));
    const known = method === "GET" ? bodies.find(([path]) => path.test(url))?.[1] : JSON.stringify(message);
    const body = known?.replaceAll(keyHere, String(request.headers["x-api-key"]));
    if (body === undefined) return void response.writeHead(404, json).end("{}");
    const delayMs = url.includes("/contacts") ? random.int(3) : 25 + random.int(30);
    const isBroken = method === "GET" && random.chance(broken);
    const headers = random.chance(cached) ? random.pick(caching) : {};
    const fault = random.pick(faults);
    setTimeout(() => {
      if (response.destroyed) return;
      if (isBroken) fault(response, body);
      else response.writeHead(method === "GET" ? 200 : 201, { ...json, ...headers }).end(body);
    }, delayMs);
  };
  const server = createServer((request, response) => {
    let sent = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (sent += chunk));
    request.on("end", () => answer(request, response, sent)).on("error", () => {});
  }).listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listens on http://127.0.0.1:${port}\n`);
  });
}

if (import.meta.main) {
  const [, , seed = "", broken, cached] = process.argv;
  serve(new Random(Number(seed), "rest"), Number(broken), Number(cached));
}
