/**
 * `POST /v1/mcp`: saved operations as tools for agents (Model Context Protocol, streamable HTTP without sessions, revisions
 * 2025-03-26 to 2026-07-28). A tool call becomes a request to `/v1/graphql` with the operation's id and the caller's headers,
 * so limits, permissions, log and metrics apply as usual. Like GraphQL requests, messages pass admission and fair CPU
 * scheduling. Loaded only with `MCP=on`.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import {
  type CallToolResult,
  createMcpHandler,
  ProtocolErrorCode as ErrorCode,
  isSpecType,
  type ListToolsResult,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  Server,
  specTypeSchemas,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import { CodedError } from "../runtime/coded-error.ts";
import { msPerMessage, msPerMessageValue } from "../runtime/governor/work-costs.ts";
import { admissionOf } from "../runtime/graphql/admission.ts";
import { tooMany } from "../runtime/graphql/run-operation.ts";
import { rawHandler } from "../runtime/graphql/send-response.ts";
import { jsonParser } from "../runtime/http/bodies/json-body.ts";
import { graphqlPath, mcpMethods, mcpPath } from "../runtime/http/endpoint-paths.ts";
import { insufficientScope } from "../runtime/http/error-response.ts";
import { acceptsJson } from "../runtime/http/graphql-media-type.ts";
import type { RequestScope } from "../runtime/rest/request-scope.ts";
import { valuesPerMessage } from "../runtime/settings/capacity.ts";
import { findNumber } from "../shared/exact-integers.ts";
import { isRecord, membersOf } from "../shared/json-object.ts";
import { countValues } from "../shared/json-values.ts";
import { own } from "../shared/own.ts";
import { findScopeChallenge, scopesOfTools } from "./required-scopes.ts";
import type { Tool } from "./tools.ts";

/** Headers not passed to `/v1/graphql`: they describe the body and the connection of the MCP request. */
const transportHeaders = [
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
];

/** The schemas of requests in protocol revisions before 2026-07-28, by method. */
const requestSchemas = {
  initialize: specTypeSchemas.InitializeRequest,
  ping: specTypeSchemas.PingRequest,
  "tools/call": specTypeSchemas.CallToolRequest,
  "tools/list": specTypeSchemas.ListToolsRequest,
} as const;

/** `id` is null if the message has no valid request id. */
type MessageError = {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
};

type McpOptions = {
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Maximum number of messages in a batch, and of operations in a GraphQL batch. */
  readonly maxOperations: number;
  /** Creates the `RequestScope` that is charged for the work on a message. */
  readonly scopeOf: (request: FastifyRequest) => RequestScope;
  /** The scopes of the caller's token; `undefined` if only REST knows the scopes. */
  readonly grantedScopes: (request: FastifyRequest) => readonly string[] | undefined;
};

/** Serves `POST /v1/mcp` on `server`, which admits requests and leaves their bodies as text. */
export function serveMcp(
  server: FastifyInstance,
  { tools, version, maxOperations, scopeOf, grantedScopes }: McpOptions,
): void {
  const parse = jsonParser(server, valuesPerMessage);
  const read = (scope: RequestScope, request: FastifyRequest, body: string): unknown => {
    scope.chargeText(body);
    scope.charge(msPerMessageValue * countValues(body, valuesPerMessage));
    return scope.measured(() => parse(request, body));
  };
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const knownScopes = scopesOfTools(tools);
  /** Throws FORBIDDEN if the caller's token lacks a scope that a called tool requires. */
  const checkScopes = (request: FastifyRequest, reply: FastifyReply, messages: readonly unknown[]): void => {
    const called = messages.flatMap((message) => calledTool(message, byName) ?? []);
    if (called.every(({ scopes }) => scopes.length === 0)) return;
    const granted = grantedScopes(request);
    if (!granted) return;
    const challenge = findScopeChallenge(called, request.headers, new Set(granted), knownScopes);
    if (!challenge) return;
    reply.header("www-authenticate", insufficientScope(challenge.scopes));
    const { tool, missing } = challenge;
    throw new CodedError(
      "FORBIDDEN",
      `the access token lacks ${missing.length === 1 ? "the scope" : "the scopes"} ${missing.join(" ")}, which the tool ${tool} needs`,
    );
  };
  const listed = tools.map(({ name, title, description, inputSchema, outputSchema, hints }) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: { title, ...hints, openWorldHint: false }, // clients of revision 2025-03-26 read the title only here
  })) as ListToolsResult["tools"];
  const calls = new AsyncLocalStorage<Set<ServerResponse>>();
  // records the calls of a message: they are aborted when its client disconnects
  server.addHook("onRequest", (_request, reply, done) => {
    calls.getStore()?.add(reply.raw);
    done();
  });
  const call = async (request: FastifyRequest, tool: Tool, variables: object): Promise<CallToolResult> => {
    const fault = unknownArgument(tool, variables) ?? infiniteArgument(variables);
    if (fault) return toolResult({ errors: [fault] });
    // if the message still counted in the start queue, its own calls could wait there for it
    admissionOf(request).stopCounting();
    const kept = Object.entries(request.headers).filter(([header]) => !transportHeaders.includes(header));
    const given = await server.inject({
      method: "POST",
      url: graphqlPath,
      headers: {
        ...Object.fromEntries(kept),
        accept: "application/graphql-response+json",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "x-request-id": request.id,
      },
      payload: { documentId: tool.id, variables },
      ...(request.socket.remoteAddress !== undefined && { remoteAddress: request.socket.remoteAddress }),
    });
    return toolResult(given.json());
  };
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    received: unknown,
  ): Promise<Response> => {
    if (!acceptsJson(request.headers.accept))
      return refusal(406, -32_000, "Not Acceptable: responses are application/json");
    const isBatch = Array.isArray(received);
    if (isModern(request, received)) return answerModern(request, reply, received);
    const { "mcp-protocol-version": revision = revisionWithBatches } = request.headers;
    if (isBatch && revision !== revisionWithBatches)
      return refusal(
        400,
        ErrorCode.InvalidRequest,
        "Invalid Request: this protocol revision has no JSON-RPC batches: send each message in a separate request",
      );
    if (isBatch && received.length > maxOperations) throw tooMany(maxOperations);
    const messages = (isBatch ? received : [received]).map(withoutTask);
    if (messages.length === 0)
      return refusal(400, ErrorCode.InvalidRequest, "Invalid Request: the batch is empty");
    if (hasEqualIds(messages))
      return refusal(400, ErrorCode.InvalidRequest, "Invalid Request: two requests have the same id");
    const invalid = messages.map(errorOf);
    const errors = invalid.filter((each) => each !== undefined);
    const valid = messages.filter((_, index) => invalid[index] === undefined);
    checkScopes(request, reply, valid);
    if (errors.length === 0) return answerValid(request, reply, isBatch ? messages : messages[0]);
    if (valid.length === 0) return Response.json(isBatch ? errors : errors[0], { status: statusOf(errors) });
    const response = await answerValid(request, reply, valid);
    if (response.status >= 400) return response;
    const text = await response.text();
    if (text === "") return Response.json(errors, { status: statusOf(errors) }); // notifications get no response
    return Response.json([...errors, ...[JSON.parse(text)].flat()]);
  };
  /**
   * Returns a server for the calls of `message`, and the function that closes it. The calls are aborted when the client
   * disconnects.
   */
  const open = (request: FastifyRequest, reply: FastifyReply, message: unknown) => {
    const mcp = new Server({ name: "saved operations", version }, { capabilities: { tools: {} } });
    // the SDK never answers a cancelled call, so a message with a call and its cancellation would never complete
    mcp.setNotificationHandler("notifications/cancelled", () => {});
    mcp.setRequestHandler("tools/list", async () => ({ tools: listed }));
    mcp.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
      const tool = byName.get(params.name);
      if (!tool) throw unknownTool(params.name);
      return calls.run(started, () => call(request, tool, argumentsIn(message, mcpReq.id)));
    });
    const started = new Set<ServerResponse>();
    const abortCalls = (): void => {
      for (const each of started) each.destroy();
    };
    reply.raw.once("close", abortCalls);
    const close = async (): Promise<void> => {
      reply.raw.off("close", abortCalls);
      await mcp.close();
    };
    return { mcp, close };
  };
  /** Answers a message or batch for which `errorOf` found no error. */
  const answerValid = async (
    request: FastifyRequest,
    reply: FastifyReply,
    message: unknown,
  ): Promise<Response> => {
    const { mcp, close } = open(request, reply, message);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await mcp.connect(transport);
    try {
      return await transport.handleRequest(webRequest(request), { parsedBody: message });
    } finally {
      await close();
    }
  };
  /** Answers a message of revision 2026-07-28. The SDK checks the message and its protocol headers. */
  const answerModern = async (
    request: FastifyRequest,
    reply: FastifyReply,
    message: unknown,
  ): Promise<Response> => {
    const { id, method } = requestOf(message) ?? {};
    if (id !== undefined && method === "subscriptions/listen")
      return Response.json(
        { jsonrpc: "2.0", id, error: { code: ErrorCode.MethodNotFound, message: "Method not found" } },
        { status: 404 }, // no subscriptions, because the tools do not change while the process runs
      );
    checkScopes(request, reply, [message]);
    const { mcp, close } = open(request, reply, message);
    const handler = createMcpHandler(() => mcp, { legacy: "reject" });
    try {
      return await handler.fetch(webRequest(request), { parsedBody: message });
    } finally {
      await close();
      await handler.close();
    }
  };
  const post = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const scope = scopeOf(request);
    const admission = admissionOf(request);
    admission.execute(scope);
    try {
      await scope.turn();
      scope.charge(msPerMessage);
      const { body } = request;
      const message = typeof body === "string" ? read(scope, request, body) : undefined;
      const response = await answer(request, reply, message);
      const text = await response.text();
      scope.chargeText(text);
      reply.code(response.status).header("cache-control", "private, no-store");
      const type = response.headers.get("content-type");
      if (type) reply.type(type);
      reply.send(text);
    } finally {
      admission.place?.leave();
      scope.close();
    }
  };
  server.post(mcpPath, rawHandler(post));
  server.allow.set(mcpPath, mcpMethods); // the server has no sessions, so it accepts neither GET nor DELETE
}

/**
 * The only protocol revision with batches. It is also assumed for a request without the header `MCP-Protocol-Version` (MCP
 * 2025-06-18, Transports, "Protocol Version Header").
 */
const revisionWithBatches = "2025-03-26";

/** From this revision on, messages name their revision, and there is no `initialize`. */
const modernRevision = "2026-07-28";

/** Whether the header names this revision or `_meta` names any. If only one of them does, the SDK responds with an error. */
function isModern({ headers }: FastifyRequest, message: unknown): boolean {
  const { _meta: meta } = membersOf(membersOf(message).params);
  return (
    headers["mcp-protocol-version"] === modernRevision ||
    (isRecord(meta) && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY))
  );
}

/** The request for the SDK, without its body. */
function webRequest(request: FastifyRequest): Request {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  const converted = new Request(`http://localhost${mcpPath}`, { method: "POST", headers });
  converted.headers.set("accept", "application/json, text/event-stream"); // the SDK requires both, but responds with JSON
  return converted;
}

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });

/**
 * Returns the HTTP status of error responses: 200 if at least one of them has the id of a request, and 400 otherwise (MCP,
 * Transports, "Sending Messages to the Server").
 */
const statusOf = (errors: readonly MessageError[]): number =>
  errors.every(({ id }) => id === null) ? 400 : 200;

/** A server that does not declare the tasks capability must ignore `task` (MCP, Tasks, "Task Support and Handling"). */
function withoutTask(message: unknown): unknown {
  const { params } = membersOf(message);
  if (!isRecord(message) || !isRecord(params) || !Object.hasOwn(params, "task")) return message;
  const { task: _, ...others } = params;
  return { ...message, params: others };
}

/** The id and the method of a request. `undefined` for any other message. */
function requestOf(message: unknown): { readonly id: RequestId; readonly method: string } | undefined {
  const { jsonrpc, id: given, method } = membersOf(message);
  const isRequest = jsonrpc === "2.0" && isSpecType.RequestId(given) && typeof method === "string";
  return isRequest ? { id: given, method } : undefined;
}

/**
 * The error of an invalid message, or of a request with an unknown method or malformed parameters (JSON-RPC 2.0 §5.1). The SDK
 * would answer most of them with -32603 (internal error) or -32700 (parse error), and would omit the id.
 */
function errorOf(message: unknown): MessageError | undefined {
  const { id = null, method } = requestOf(message) ?? {};
  const error = (code: ErrorCode, text: string): MessageError => ({
    jsonrpc: "2.0",
    id,
    error: { code, message: text },
  });
  if (method !== undefined) {
    const schema = own(requestSchemas, method);
    if (!schema) return error(ErrorCode.MethodNotFound, "Method not found");
    const issue = [specTypeSchemas.Request, schema]
      .map((each) => each["~standard"].validate(message).issues?.[0])
      .find((each) => each !== undefined);
    if (issue) {
      const path = cut((issue.path ?? []).join("."));
      return error(ErrorCode.InvalidParams, `Invalid params: ${path}: ${issue.message}`);
    }
    // the list has one page, so the server never sent a cursor (MCP, Pagination, "Error Handling")
    if (method === "tools/list" && membersOf(membersOf(message).params).cursor !== undefined)
      return error(ErrorCode.InvalidParams, "Invalid params: params.cursor: unknown cursor");
  }
  return isSpecType.JSONRPCMessage(message)
    ? undefined
    : error(ErrorCode.InvalidRequest, "Invalid Request: not a JSON-RPC message of MCP");
}

/** Returns the tool that a message calls; `undefined` for any other message. */
function calledTool(message: unknown, byName: ReadonlyMap<string, Tool>): Tool | undefined {
  const { method, params } = membersOf(message);
  const { name } = membersOf(params);
  return method === "tools/call" && typeof name === "string" ? byName.get(name) : undefined;
}

/** Not an `McpError`: the SDK would prefix its message (MCP, Tools, "Error Handling"). */
const unknownTool = (name: string): Error =>
  Object.assign(new Error(`Unknown tool: ${cut(name)}`), { code: ErrorCode.InvalidParams });

/** Limits the length of a client's text in a response. */
const cut = (text: string): string => text.slice(0, 100).toWellFormed();

/** Whether two requests of a batch have the same id, so that a client could not match the responses (JSON-RPC 2.0 §4, §6). */
function hasEqualIds(batch: readonly unknown[]): boolean {
  const ids = batch.flatMap((each) => requestOf(each)?.id ?? []);
  return new Set(ids).size < ids.length;
}

/** Reads the arguments from the message itself, because the SDK's copy lacks an argument named `__proto__`. */
function argumentsIn(message: unknown, id: RequestId): object {
  const { params } = membersOf([message].flat().find((each) => requestOf(each)?.id === id));
  return membersOf(membersOf(params).arguments);
}

/** GraphQL ignores variables that the operation does not declare, so a misspelt argument would be dropped silently. */
function unknownArgument({ name, inputSchema }: Tool, given: object): GraphQLFormattedError | undefined {
  const unknown = Object.keys(given).find((each) => !Object.hasOwn(inputSchema.properties, each));
  if (unknown === undefined) return undefined;
  const argumentNames = Object.keys(inputSchema.properties).join(", ");
  const shown = JSON.stringify(cut(unknown));
  const message = `the tool ${name} has no argument ${shown}; ${argumentNames ? `it has ${argumentNames}` : "it has none"}`;
  return { message, extensions: { code: "BAD_USER_INPUT" } };
}

/** `JSON.parse` converts a number out of range to `Infinity`, which `JSON.stringify` would write as null. */
function infiniteArgument(given: object): GraphQLFormattedError | undefined {
  if (findNumber(given, (number) => !Number.isFinite(number)) === undefined) return undefined;
  return { message: "the arguments contain a number out of range", extensions: { code: "BAD_USER_INPUT" } };
}

/** A result with errors still contains the partial data. */
function toolResult({ data, errors }: FormattedExecutionResult): CallToolResult {
  const structuredContent = { data: data ?? null, ...(errors && { errors: [...errors] }) };
  const text = JSON.stringify(structuredContent);
  return { content: [{ type: "text", text }], structuredContent, isError: errors !== undefined };
}
