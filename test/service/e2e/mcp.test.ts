/** `/v1/mcp`: saved operations as tools, by the SDK's own client and the AI SDK's through the gateway. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { buildSchema, parse } from "graphql";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readSavedOperations } from "../../../src/engine/build/schema/saved-operations.ts";
import { toolDescription } from "../../../src/engine/build/schema/tool-comment.ts";
import { outputSchemaOf } from "../../../src/engine/mcp/output-schema.ts";
import { toolsOf } from "../../../src/engine/mcp/tools.ts";
import { keys, type Layer, openLayer, range, startLayer } from "./layer.ts";

let layer: Layer;
beforeAll(async () => {
  layer = await startLayer([], { MCP: "on" });
  return layer.close;
});

async function connect(key: string, { url } = layer): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { "X-API-Key": key } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", url), { requestInit }) as never);
  onTestFinished(() => client.close());
  await client.listTools(); // from here on the client refuses an answer that is not of the tool's output schema
  return client;
}

test("a client lists the tools: description, input with REST's limits, and whether they only read", async () => {
  const { tools } = await (await connect(keys.owner)).listTools();
  const names = ["Answer", "Customer", "FindCustomers", "StartPage", "TeamInbox", "WeeklyReport"];
  expect(tools.map(({ name }) => name).sort()).toEqual(names); // `Dashboard` did not opt in
  const customer = tools.find(({ name }) => name === "FindCustomers");
  expect(customer).toMatchObject({
    description: expect.stringContaining("Finds customers by a text and by stage"),
    inputSchema: { type: "object", additionalProperties: false, required: [] },
    title: "Finds customers by a text and by stage, page by page",
    annotations: { readOnlyHint: true, title: "Finds customers by a text and by stage, page by page" },
  });
  expect(customer?.inputSchema.properties).toMatchObject({
    stage: { type: "string", enum: expect.arrayContaining(["CUSTOMER"]) },
    first: { type: "integer", default: 25, maximum: 100 },
  });
  expect(customer?.outputSchema).toMatchObject({
    required: ["data"],
    properties: { errors: { type: "array" } },
  });
  const answer = tools.find(({ name }) => name === "Answer");
  expect(answer?.annotations).toEqual({
    title: "Sends a message to a customer over a channel, once for each key",
    readOnlyHint: false,
    idempotentHint: false,
    destructiveHint: false, // REST documents a POST that is a 201
    openWorldHint: false,
  });
  expect(answer?.inputSchema).toMatchObject({
    required: ["channel", "to", "body"],
    properties: { channel: { enum: ["whatsapp", "sms", "email", "webchat"] }, body: { maxLength: 4096 } },
  });
});

const calls: Record<string, object> = {
  FindCustomers: { q: "hannah m" },
  Customer: { id: "ctc_none" },
  StartPage: { ...range(7), q: "an" },
  TeamInbox: { first: 2 },
  WeeklyReport: range(7),
};

test.each(Object.entries(calls))(
  "%s is called, and gives data as structured content",
  async (name, variables) => {
    const client = await connect(keys.owner);
    const result = await client.callTool({ name, arguments: { ...variables } });
    expect(result).toMatchObject({ isError: false, structuredContent: { data: expect.anything() } });
    expect(result.structuredContent).not.toHaveProperty("errors");
    expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? "")).toEqual(
      result.structuredContent,
    );
  },
);

test("a client learns all refused arguments at once, and by which names its own go in errors", async () => {
  const client = await connect(keys.owner);
  const { tools } = await client.listTools();
  const properties = tools.find(({ name }) => name === "Answer")?.inputSchema.properties;
  expect(properties?.key).toMatchObject({
    description: expect.stringMatching(/ Errors call it `idempotencyKey`\.$/),
  });
  expect(properties?.to).toMatchObject({ description: expect.not.stringContaining("Errors call it") });
  const given = { channel: "sms", to: "", body: "", key: "two words" };
  const result = await client.callTool({ name: "Answer", arguments: given });
  expect(result).toMatchObject({
    isError: true,
    structuredContent: {
      errors: [
        {
          extensions: {
            code: "BAD_USER_INPUT",
            errors: [{ argument: "to" }, { argument: "body" }, { argument: "idempotencyKey" }],
          },
        },
      ],
    },
  });
});

test("another house's client, the AI SDK's, lists the tools and calls five", async () => {
  const open = async (key: string) => {
    const url = new URL("/v1/mcp", layer.url).href;
    const client = await createMCPClient({ transport: { type: "http", url, headers: { "X-API-Key": key } } });
    onTestFinished(() => client.close());
    const tools = await client.tools();
    return (name: string, input: object) =>
      tools[name]?.execute(input, { toolCallId: name, messages: [], context: {} });
  };
  const call = await open(keys.owner);
  const refused = await open(keys.analyst);
  for (const [name, input] of Object.entries(calls))
    expect([name, await call(name, input)]).toMatchObject([
      name,
      { isError: false, structuredContent: { data: expect.anything() } },
    ]);
  expect(await refused("FindCustomers", {})).toMatchObject({
    isError: true,
    structuredContent: { errors: [{ extensions: { code: "FORBIDDEN" } }] },
  });
  expect(await call("Dashboard", {})).toBeUndefined(); // it did not opt in
});

describe("what is refused is a tool error with its code", () => {
  test("a key without the permission", async () => {
    const result = await (await connect(keys.analyst)).callTool({ name: "FindCustomers", arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        data: { contactsConnection: null },
        errors: [{ extensions: { code: "FORBIDDEN", permission: "crm:contacts:read" } }],
      },
    });
  });

  test("a value over REST's limit, a variable that is missing, and an unknown tool", async () => {
    const client = await connect(keys.owner);
    const codeOf = async (name: string, variables: object): Promise<unknown> => {
      const { isError, structuredContent } = await client.callTool({ name, arguments: { ...variables } });
      const { errors } = structuredContent as { errors?: { extensions?: { code: string } }[] };
      return [isError, errors?.[0]?.extensions?.code];
    };
    expect(await codeOf("FindCustomers", { first: 101 })).toEqual([true, "BAD_USER_INPUT"]);
    expect(await codeOf("Customer", {})).toEqual([true, "BAD_USER_INPUT"]);
    await expect(codeOf("Dashboard", range(7))).rejects.toThrow("MCP error -32602: Unknown tool: Dashboard");
  });

  test("no key, another method, and MCP that is off", async () => {
    const send = (url: URL, method: string, headers: Record<string, string>) =>
      fetch(new URL("/v1/mcp", url), { method, headers, ...(method === "POST" && { body: "{}" }) });
    const withKey = { "x-api-key": keys.owner, "content-type": "application/json" };
    expect((await send(layer.url, "POST", { "content-type": "application/json" })).status).toBe(401);
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const refused = await send(layer.url, method, withKey);
      expect([method, refused.status, refused.headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
    const off = await openLayer();
    expect((await send(off.url, "POST", withKey)).status).toBe(404);
  });
});

describe("revision 2026-07-28", () => {
  const revision = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const send = async (method: string, params: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL("/v1/mcp", layer.url), {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "x-api-key": keys.owner,
        "mcp-protocol-version": revision,
        "mcp-method": method,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: meta, ...params } }),
    });
    const message = (await answer.json()) as object;
    return { status: answer.status, type: answer.headers.get("content-type"), ...message };
  };

  test.each([["auto"], [{ pin: revision }]] as const)(
    "the SDK's client (%j) discovers, lists and calls",
    async (mode) => {
      const client = new ModernClient({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      const requestInit = { headers: { "X-API-Key": keys.owner } };
      await client.connect(new ModernTransport(new URL("/v1/mcp", layer.url), { requestInit }));
      onTestFinished(() => client.close());
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("TeamInbox");
      const result = await client.callTool({ name: "TeamInbox", arguments: { first: 2 } });
      expect(result).toMatchObject({ isError: false, structuredContent: { data: expect.anything() } });
      await expect(client.callTool({ name: "None" })).rejects.toMatchObject({ code: -32602 });
    },
  );

  test("server/discover names the revision and the tools capability", async () => {
    expect(await send("server/discover", {})).toMatchObject({
      status: 200,
      result: { resultType: "complete", supportedVersions: [revision], capabilities: { tools: {} } },
    });
  });

  test("a list and a result are complete", async () => {
    expect(await send("tools/list", {})).toMatchObject({
      status: 200,
      result: { resultType: "complete", ttlMs: expect.any(Number), cacheScope: expect.any(String) },
    });
    const call = { name: "TeamInbox", arguments: { first: 1 } };
    expect(await send("tools/call", call, { "mcp-name": "TeamInbox" })).toMatchObject({
      status: 200,
      type: expect.stringMatching("application/json"),
      result: { resultType: "complete", isError: false },
    });
  });

  test.each([
    ["another method in the header", "tools/list", {}, { "mcp-method": "tools/call" }, 400, -32020],
    [
      "another tool in the header",
      "tools/call",
      { name: "TeamInbox" },
      { "mcp-name": "Answer" },
      400,
      -32020,
    ],
    ["no name in the header", "tools/call", { name: "TeamInbox" }, {}, 400, -32020],
    [
      "another revision in the header",
      "tools/list",
      {},
      { "mcp-protocol-version": "2025-11-25" },
      400,
      -32020,
    ],
    ["a method that is not served", "resources/list", {}, {}, 404, -32601],
    ["a subscription", "subscriptions/listen", { notifications: {} }, {}, 404, -32601],
  ])("%s is refused", async (_what, method, params, headers, status, code) => {
    expect(await send(method, params, headers)).toMatchObject({ status, id: 1, error: { code } });
  });

  test("an unknown revision is refused with the ones that are supported", async () => {
    const unknown = { _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" } };
    expect(await send("tools/list", unknown, { "mcp-protocol-version": "2099-01-01" })).toMatchObject({
      status: 400,
      error: { code: -32022, data: { supported: expect.arrayContaining([revision]) } },
    });
  });
});

test("the gateway forwards the headers of the protocol, also from a page, and the role checks them", async () => {
  const page = "https://page.example";
  const { url } = await openLayer([], { MCP: "on", CORS_ORIGINS: page });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const send = (headers: Record<string, string>, init: RequestInit): Promise<Response> =>
    fetch(new URL("/v1/mcp", url), { ...init, headers: { origin: page, ...headers } });
  const accept = "application/json, text/event-stream";
  const usual = { accept, "x-api-key": keys.owner, "content-type": "application/json" };
  const answerTo = (headers: Record<string, string>): Promise<Response> =>
    send({ ...usual, ...headers }, { method: "POST", body: JSON.stringify(list) });
  for (const version of ["nonsense", "1999-01-01", "2025-11-25, nonsense"]) {
    const refused = await answerTo({ "mcp-protocol-version": version });
    expect([version, refused.status]).toEqual([version, 400]);
    expect(await refused.text()).toContain("Unsupported protocol version");
  }
  const others = { "mcp-session-id": "s", "mcp-method": "tools/list", "mcp-name": "a", "last-event-id": "1" };
  const answer = await answerTo({ "mcp-protocol-version": "2025-11-25", ...others });
  expect([answer.status, answer.headers.get("mcp-session-id")]).toEqual([200, null]);
  expect((await answerTo({})).status).toBe(200);
  const asked = "content-type,last-event-id,mcp-protocol-version,mcp-session-id,x-api-key";
  const preflight = await send(
    { "access-control-request-method": "POST", "access-control-request-headers": asked },
    { method: "OPTIONS" },
  );
  expect(preflight.headers.get("access-control-allow-headers")).toBe(asked);
});

test("a page of an origin that is not listed", async () => {
  const page = "https://page.example";
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const statusOf = async ({ url }: Layer, origin: string): Promise<number> => {
    const accept = "application/json, text/event-stream";
    const headers = { origin, accept, "x-api-key": keys.owner, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(list) };
    return (await fetch(new URL("/v1/mcp", url), init)).status;
  };
  const listed = await openLayer([], { MCP: "on", CORS_ORIGINS: page });
  const alone = { MCP: "on", CORS_ORIGINS: page, REST_BASE_URL: layer.url.href };
  const role = await openLayer(["graphql"], alone);
  const statuses = [listed, role].map(async (each) => [
    await statusOf(each, page),
    await statusOf(each, "null"),
  ]);
  expect(await Promise.all(statuses)).toEqual([
    [200, 403],
    [200, 403],
  ]);
  expect(await statusOf(layer, layer.url.origin)).toBe(403);
});

test("a call is a request of its caller: REST sees its key, and the gateway's context", async () => {
  const client = await connect(keys.otherOwner);
  const result = await client.callTool({ name: "StartPage", arguments: { ...range(7), q: "an" } });
  expect(result.structuredContent).toMatchObject({
    data: { me: { email: expect.stringMatching(/@lumen\./) } },
  });
});

test("the output schema follows the selection: aliases, fragments, members of a union, what may be left out", () => {
  const schema = buildSchema(
    "scalar Any type Query { a: [A]! u: U } type A { n: Int! e: E x: Any a: A } enum E { ON } type B { b: Float } union U = A | B",
  );
  const document = parse(
    "query Q($s: Boolean!) { a { ...F a { e } } u { __typename ... on B { b } } } fragment F on A { m: n a @skip(if: $s) { x } }",
  );
  const { properties } = outputSchemaOf(schema, document);
  const nullable = (of: object) => ({ anyOf: [of, { type: "null" }] });
  const object = (of: object, required = Object.keys(of)) => ({ type: "object", properties: of, required });
  const inner = object({ x: nullable({}), e: nullable({ type: "string", enum: ["ON"] }) }, ["e"]);
  const a = nullable(object({ m: { type: "integer" }, a: nullable(inner) }));
  const typeName = { type: "string" };
  const members = [
    object({ __typename: typeName }),
    object({ __typename: typeName, b: nullable({ type: "number" }) }),
  ];
  const u = nullable({ anyOf: members });
  expect(properties.data).toEqual(nullable(object({ a: { type: "array", items: a }, u })));
  const skipped = parse("query Q { a @skip(if: true) { n } }");
  expect(outputSchemaOf(schema, skipped).properties.data).toMatchObject({
    anyOf: [{ required: [] }, {}],
  });
});

test("an input that takes one of its fields says so", () => {
  const schema = buildSchema("type Query { a(by: By!): Int } input By @oneOf { id: ID name: String }");
  const entry = { id: "1", name: "A", body: "query A($by: By!) { a(by: $by) }", tool: "Reads a." };
  const [tool] = toolsOf({ savedOperations: [entry], argumentSchemas: {} } as never, schema);
  expect(tool?.inputSchema.properties).toMatchObject({ by: { minProperties: 1, maxProperties: 1 } });
});

describe("the mark", () => {
  const operation = (text: string) => parse(text).definitions[0] as never;
  const schema = buildSchema("type Query { a: Int } type Mutation { b: Int }");
  const faults = (text: string) =>
    readSavedOperations(schema, new Map([["operations/a.graphql", text]])).diagnostics.map(
      ({ message }) => message,
    );

  test("makes a tool; without it there is no tool", () => {
    expect(toolDescription(operation("# Reads a.\n# @tool\n# And more.\nquery A { a }"))).toBe(
      "Reads a. And more.",
    );
    expect(toolDescription(operation("# a tool\nquery A { a }"))).toBeUndefined();
    const entry = { id: "1", name: "A", body: "query A { a }" };
    expect(toolsOf({ savedOperations: [entry], argumentSchemas: {} } as never, schema)).toEqual([]);
  });

  test.each([
    '"""\nReads a.\n@tool\n\nAnd more.\n"""\nquery A { a }',
    '# Reads a.\n# @tool\n"And more."\nquery A { a }',
    '"Reads a."\n# @tool\n# And more.\nquery A { a }',
  ])("may stand in the description of the operation, or beside it: %j", (text) => {
    expect(toolDescription(operation(text))).toBe("Reads a. And more.");
  });

  test("of a mutation has its name", () => {
    expect(faults('"@tool B" mutation B { b }')).toEqual([]);
    expect(faults('"@tool" mutation B { b }')).toHaveLength(1);
    expect(faults("# @tool\nquery A { a }\n# @tool B\nmutation B { b }")).toEqual([]);
    expect(faults("# @tool\nmutation B { b }")).toEqual([
      'for a mutation, the name is required: "# @tool B"',
    ]);
    expect(faults("# @tool C\nmutation B { b }")).toEqual(['"# @tool C" is above the operation B']);
  });
});

test("the manifest keeps Apollo's form, which Apollo's MCP server reads", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../generated/operations-manifest.json"), "utf8");
  const { format, version, operations } = JSON.parse(text) as {
    operations: Record<string, unknown>[];
  } & Record<string, unknown>;
  expect({ format, version }).toEqual({ format: "apollo-persisted-query-manifest", version: 1 });
  for (const { id, name, type, body } of operations) {
    expect([id, name]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^\w+$/)]);
    expect(["query", "mutation"]).toContain(type);
    expect(parse(String(body)).definitions[0]).toMatchObject({ operation: type, name: { value: name } });
  }
});
