/** A REST platform whose responses the test chooses, and the graphql role in front of it. Both use real sockets. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;
export type Failure = {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; argument?: string; requestId?: string; retryAfter?: number };
};
// biome-ignore lint/suspicious/noExplicitAny: a test reads responses of many shapes
export type GraphqlResponse = { data?: any; errors?: Failure[] };

export async function inFrontOf(handler: Handler, environment: NodeJS.ProcessEnv = {}, served = api) {
  const rest = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => rest.once("listening", resolve));
  const { port } = rest.address() as AddressInfo;
  const config = configure({ REST_BASE_URL: `http://127.0.0.1:${port}`, ...environment });
  const server = await createGraphql(config, served);
  const url = new URL("/v1/graphql", await server.listen({ port: 0, host: "127.0.0.1" }));
  onTestFinished(async () => {
    rest.closeAllConnections();
    rest.close();
    server.server.closeAllConnections();
    await server.close();
  });
  const post = (query: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "key" },
      body: JSON.stringify({ query }),
      ...init,
    });
  const ask = async (query: string): Promise<GraphqlResponse> =>
    (await (await post(query)).json()) as GraphqlResponse;
  return { url, server, post, ask };
}

export const send = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
};

/** REST's answer to `getMe`. */
export const me = { id: "1", email: "a@b.example", tenantId: "t", roles: [], permissions: [], features: [] };

/** REST's answer to `sendMessage`. */
export const message = {
  id: "1",
  conversationId: "1",
  status: "sent",
  body: "b",
  createdAt: "2026-11-21T00:00:00Z",
};
