/** Tools that need scopes of OAuth: the SDK's client signs in by the metadata, and asks for more scopes when a tool needs them. */
import { hash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { api } from "../desk/generated/index.ts";
import { inFrontOf, me, message, send } from "../runtime/graphql/rest-stand-in.ts";
import { listen } from "./fakes.ts";
import { jwksEndpoint, keyPair, sign, tokenEnv } from "./issuer.ts";
import { secret, startGateway } from "./start.ts";

const tool = (name: string, body: string, scope: string) => ({
  ...{ id: hash("sha256", body), name, body, tool: `The tool ${name}.` },
  scopes: [
    [
      { headers: ["x-api-key"], scopes: [] },
      { headers: ["authorization"], scopes: [scope] },
    ],
  ],
});
const answer = 'mutation Answer { sendMessage(channel: "sms", to: "a", body: "b") { id } }';
const savedOperations = [
  tool("Me", "query Me { me { id } }", "profile:read"),
  tool("Answer", answer, "messages:send"),
];
const scoped = (name: "GET /v1/identity/me" | "POST /v1/messages", scope: string) => ({
  [name]: { ...api.operations[name], scopes: [{ headers: ["authorization"], scopes: [scope] }] },
});
const operations = {
  ...api.operations,
  ...scoped("GET /v1/identity/me", "profile:read"),
  ...scoped("POST /v1/messages", "messages:send"),
} as typeof api.operations;

/** The graphql role with both tools, and a gateway in front of it, whose REST calls are counted. */
async function serve(env: NodeJS.ProcessEnv, { port = 0, keyIntrospection = null as URL | null } = {}) {
  const called: string[] = [];
  const rest = (request: IncomingMessage, response: ServerResponse): void => {
    called.push(`${request.method} ${request.url}`);
    if (request.method === "POST") send(response, message, 201);
    else send(response, me);
  };
  const served = { ...api, operations, savedOperations } as typeof api;
  const role = await inFrontOf(rest, { MCP: "on", GATEWAY_SECRET: secret }, served);
  const { url } = await startGateway({
    ...{ port, keyIntrospection, graphql: role.url, operations },
    env: { MCP: "on", CORS_ORIGINS: "https://page.example", ...env },
  });
  const callTool = (name: string, headers: Record<string, string>): Promise<Response> =>
    fetch(new URL("/v1/mcp", url), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
    });
  return { url, called, callTool };
}

const opaque = {
  KEY_PATTERN: ".+",
  KEY_INTROSPECTION_NAMES:
    "tenant_id=client_id,user_id=client_id,api_key_id=client_id,key_scopes=scope,roles=,permissions=,features=,teams=",
};

/** An authorization server with opaque tokens (RFC 7662), whose user consents to whatever a client asks for. */
async function authorizationServer(audience: string) {
  const asked: (string | null)[] = [];
  const scopesOf = new Map<string, string>();
  const audienceOf = new Map<string, string>();
  const server = await listen(async (request, response) => {
    const { origin } = server.url;
    const { pathname, searchParams } = new URL(request.url ?? "", origin);
    const form = new URLSearchParams(await text(request));
    const code = form.get("code") ?? "";
    const token = form.get("token") ?? "";
    if (pathname === "/.well-known/oauth-authorization-server")
      return send(response, {
        ...{ issuer: origin, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] },
        ...{ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/authorize") {
      const issued = randomUUID();
      asked.push(searchParams.get("scope"));
      scopesOf.set(issued, searchParams.get("scope") ?? "");
      const target = new URL(searchParams.get("redirect_uri") ?? "");
      target.searchParams.set("code", issued);
      return response.writeHead(302, { location: target.href }).end();
    }
    if (pathname === "/token") {
      const issued = `token-${code}`;
      scopesOf.set(issued, scopesOf.get(code) ?? "");
      audienceOf.set(issued, form.get("resource") ?? "");
      return send(response, { access_token: issued, token_type: "Bearer" });
    }
    const scope = scopesOf.get(token);
    if (scope === undefined || pathname !== "/introspect") return send(response, { active: false });
    return send(response, {
      active: true,
      client_id: "agent",
      scope,
      aud: audienceOf.get(token) ?? audience,
    });
  });
  onTestFinished(server.close);
  return { url: server.url, asked, scopesOf, audienceOf };
}

/** A stock client's store, whose user follows the redirect to the authorization server and back. */
function signingIn() {
  const store = {
    code: "",
    verifier: "",
    tokens: undefined as { access_token: string; token_type: string } | undefined,
  };
  const provider: OAuthClientProvider = {
    redirectUrl: "http://localhost/callback",
    clientMetadata: { redirect_uris: ["http://localhost/callback"] },
    clientInformation: () => ({ client_id: "agent" }),
    tokens: () => store.tokens,
    saveTokens: (tokens) => {
      store.tokens = tokens;
    },
    saveCodeVerifier: (verifier) => {
      store.verifier = verifier;
    },
    codeVerifier: () => store.verifier,
    redirectToAuthorization: async (url) => {
      const { headers } = await fetch(url, { redirect: "manual" });
      store.code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
    },
  };
  return { provider, store };
}

test("the SDK's client gets from a 401 to a token by the metadata, and from a 403 to one with more scopes", async () => {
  const port = await freePort();
  const audience = `http://127.0.0.1:${port}/v1`;
  const issuer = await authorizationServer(audience);
  const { url, called } = await serve(
    { ...opaque, AUTHORIZATION_SERVERS: issuer.url.origin, TOKEN_AUDIENCE: audience },
    { port, keyIntrospection: new URL("/introspect", issuer.url) },
  );
  const { provider, store } = signingIn();
  const open = () => new StreamableHTTPClientTransport(new URL("/v1/mcp", url), { authProvider: provider });
  const first = open();
  const unsigned = new Client({ name: "test", version: "1" });
  await expect(unsigned.connect(first as never)).rejects.toThrow(UnauthorizedError);
  expect(issuer.asked).toEqual(["profile:read"]); // no scope of a write
  await first.finishAuth(store.code);

  const transport = open();
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["Me", "Answer"]);
  expect(await client.callTool({ name: "Me" })).toMatchObject({ isError: false });
  expect(called).toEqual(["GET /v1/identity/me"]);

  await expect(client.callTool({ name: "Answer" })).rejects.toThrow(UnauthorizedError);
  expect(called).toEqual(["GET /v1/identity/me"]);
  expect(issuer.asked).toEqual(["profile:read", "profile:read messages:send"]);
  await transport.finishAuth(store.code);
  expect(await client.callTool({ name: "Answer" })).toMatchObject({ isError: false });
  expect(await client.callTool({ name: "Me" })).toMatchObject({ isError: false });
  expect(called.slice(1)).toEqual(["POST /v1/messages", "GET /v1/identity/me"]);
});

test("an opaque token for another audience is refused", async () => {
  const audience = "https://api.example/v1";
  const issuer = await authorizationServer(audience);
  const { callTool } = await serve(
    { ...opaque, AUTHORIZATION_SERVERS: issuer.url.origin, TOKEN_AUDIENCE: audience },
    { keyIntrospection: new URL("/introspect", issuer.url) },
  );
  for (const [token, aud] of [
    ["own", audience],
    ["foreign", "https://other.example"],
  ] as const) {
    issuer.scopesOf.set(token, "profile:read");
    issuer.audienceOf.set(token, aud);
  }
  expect((await callTool("Me", { authorization: "Bearer own" })).status).toBe(200);
  expect((await callTool("Me", { authorization: "Bearer foreign" })).status).toBe(401);
});

test("a signed token without the scope gets a 403 with the challenge, before any REST call", async () => {
  const pair = await keyPair("rsa-1");
  const { url } = await jwksEndpoint(pair);
  const { callTool, called, url: gateway } = await serve(tokenEnv(url));
  const metadata = "https://api.example/.well-known/oauth-protected-resource/v1";
  const authorization = `Bearer ${await sign(pair, { scope: "profile:read other:scope" })}`;
  const refused = await callTool("Answer", { authorization, origin: "https://page.example" });
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    403,
    `Bearer realm="api", error="insufficient_scope", scope="profile:read messages:send", resource_metadata="${metadata}"`,
  ]);
  expect(refused.headers.get("access-control-expose-headers")).toContain("www-authenticate");
  expect(await refused.json()).toMatchObject({
    code: "FORBIDDEN",
    detail: "the access token lacks the scope messages:send, which the tool Answer needs",
  });
  expect(called).toEqual([]);
  const sending = `Bearer ${await sign(pair, { scope: "messages:send" })}`;
  expect((await callTool("Answer", { authorization: sending })).status).toBe(200);
  expect((await callTool("Me", { authorization: sending })).status).toBe(403);
  expect(called).toEqual(["POST /v1/messages"]);

  const unsigned = await callTool("Me", {});
  expect([unsigned.status, unsigned.headers.get("www-authenticate")]).toEqual([
    401,
    `Bearer realm="api", scope="profile:read", resource_metadata="${metadata}", ApiKey realm="api"`,
  ]);
  const published = await fetch(new URL("/.well-known/oauth-protected-resource/v1", gateway));
  expect(await published.json()).toMatchObject({ scopes_supported: ["profile:read"] });
});

test("a key that satisfies an alternative without scopes needs none", async () => {
  const pair = await keyPair("rsa-1");
  const { url } = await jwksEndpoint(pair);
  const { callTool } = await serve(tokenEnv(url));
  const token = await sign(pair, { scope: "other:scope" });
  expect((await callTool("Answer", { "x-api-key": token })).status).toBe(200);
  expect((await callTool("Answer", { authorization: `Bearer ${token}` })).status).toBe(403);
});

test("without a gateway only REST knows the scopes: the call goes to REST", async () => {
  const served = { ...api, operations, savedOperations } as typeof api;
  const { url } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
  const response = await fetch(new URL("/v1/mcp", url), {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", authorization: "Bearer token" },
      "x-service-key-scopes": "none",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Me" } }),
  });
  expect(response.status).toBe(200);
});
