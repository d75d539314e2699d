/**
 * What stands behind a gateway under test: a key introspection service that knows a few keys, and an upstream that
 * records what reaches it and echoes it. Real sockets, because sockets are the point.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { formatApiKey } from "../../../src/engine/runtime/http/api-key.ts";

export const makeKey = (name: string): string => formatApiKey("test", name.padEnd(26, "0"));
export const goodKey = makeKey("good");
export const otherKey = makeKey("other");
export const wrongKey = makeKey("wrong");

export type Running = { url: URL; server: Server; close: () => Promise<void> };

export async function listen(listener: RequestListener): Promise<Running> {
  const server = createServer({ requireHostHeader: false }, listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), server, close };
}

export const contextOf = (name: string) => ({
  active: true,
  tenant_id: `tenant-${name}`,
  user_id: `user-${name}`,
  api_key_id: `key-${name}`,
  roles: ["owner"],
  permissions: ["engage:campaigns:read", "odd,per cent%:x:y"],
  features: ["whatsapp", "flows"],
  key_scopes: [],
  teams: ["team-1"],
});

export type KeyService = Running & {
  /** Tokens asked for, in order. */
  asked: string[];
  /** Most requests under way at once. */
  peak: () => number;
  /** Answers by token; what is absent is inactive. */
  answers: Map<string, unknown>;
  /** The milliseconds before an answer, what else it waits for, and its status. */
  behaviour: { delay: number; until?: Promise<void>; status: number };
  proofs: Set<string>;
};

export async function fakeKeyService(): Promise<KeyService> {
  const answers = new Map<string, unknown>([
    [goodKey, contextOf("good")],
    [otherKey, contextOf("other")],
  ]);
  const asked: string[] = [];
  const proofs = new Set<string>();
  const behaviour: KeyService["behaviour"] = { delay: 0, status: 200 };
  let open = 0;
  let peak = 0;
  const running = await listen(async (request, response) => {
    peak = Math.max(peak, ++open);
    response.once("close", () => open--);
    const token = new URLSearchParams(await text(request)).get("token") ?? "";
    asked.push(token);
    proofs.add(String(request.headers["x-gateway-proof"]));
    if (behaviour.delay > 0) await new Promise((resolve) => setTimeout(resolve, behaviour.delay));
    await behaviour.until;
    response.writeHead(behaviour.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answers.get(token) ?? { active: false }));
  });
  return { ...running, asked, proofs, peak: () => peak, answers, behaviour };
}

/** One request as a handler behind the gateway saw it. */
export type Seen = {
  method: string;
  url: string;
  rawHeaders: string[];
  headers: IncomingMessage["headers"];
  body: string;
};

export type Recorder = Running & { seen: Seen[] };

/** Records each request and answers with it, as JSON. */
export async function recorder(): Promise<Recorder> {
  const seen: Seen[] = [];
  const running = await listen(async (request, response) => {
    const { method = "", url = "", rawHeaders, headers } = request;
    const entry = { method, url, rawHeaders, headers, body: await text(request) };
    seen.push(entry);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(entry));
  });
  return { ...running, seen };
}
