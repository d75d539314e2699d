/** What an operator finds in the log: by a client's request id, and of REST calls that fail. */
import { hash } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { refusingUrl } from "../../engine/gateway/start.ts";
import { http, rawServer } from "../../engine/runtime/rest/raw-server.ts";
import { get, query, run, runHere, runReady } from "./program.ts";

const { key, tenant } = demoKeys[0] as (typeof demoKeys)[number];

// biome-ignore lint/suspicious/noExplicitAny: a test reads lines of many shapes
type Line = any;
type Program = { readonly output: () => string };

const linesOf = ({ output }: Program): Line[] =>
  output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));

/** Every line, each of which is JSON. */
const printedBy = ({ output }: Program): Line[] =>
  output()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Waits for the lines that `is` chooses: a line is written when the answer has left, which its client may see earlier. */
const linesWhen = (program: Program, is: (line: Line) => boolean, least = 1): Promise<Line[]> =>
  vi.waitFor(
    () => {
      const found = linesOf(program).filter(is);
      expect(found.length).toBeGreaterThanOrEqual(least);
      return found;
    },
    { timeout: 60_000 },
  );

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/** The gateway begins a trace of its own. */
const ownTraceId = expect.stringMatching(/^(?!0af76519)[0-9a-f]{32}$/);
const web = { "graphql-client-name": "web", "graphql-client-version": "2" };
const json = { "content-type": "application/json" };

const ask = (url: URL, body: object | string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL("/v1/graphql", url), {
    method: "POST",
    headers: { ...json, "x-api-key": key, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("the log", () => {
  test("has one line for each failed REST call at the default level, without a stack", async () => {
    const rest = await refusingUrl();
    const program = await runReady([], { REST_BASE_URL_CRM: rest.href });
    const document = "{ me { id } contacts { id } conversations { contact { id } } }";
    const answer = await ask(program.url, { query: document }, { traceparent, "x-request-id": "request-1" });
    const { errors } = (await answer.json()) as { errors: { extensions: { requestId: string } }[] };
    expect(errors[0]?.extensions.requestId).toBe("request-1");
    const lines = await linesWhen(program, ({ msg }) => msg === "REST call failed", 4);
    expect(lines.map(({ coordinate, isRetry }) => `${coordinate} ${isRetry}`).sort()).toEqual([
      "Conversation.contact false",
      "Conversation.contact true",
      "Query.contacts false",
      "Query.contacts true",
    ]);
    for (const line of lines)
      expect(line).toMatchObject({
        ...{ level: 40, operation: "listContacts", code: "UPSTREAM_UNAVAILABLE", cause: "ECONNREFUSED" },
        ...{ requestId: "request-1", traceId: ownTraceId, ms: expect.any(Number) },
      });
    const [request] = await linesWhen(program, ({ msg, role }) => msg === "request" && role === "graphql");
    expect(request).toMatchObject({
      ...{ restOperation: "listContacts", cause: "ECONNREFUSED", address: "127.0.0.1" },
      ...{
        document: `sha256:${hash("sha256", document)}`,
        path: expect.stringMatching(/^conversations|^contacts$/),
      },
      ...{ level: 40, route: "/v1/graphql", status: 200, code: "UPSTREAM_UNAVAILABLE", restCalls: 6 },
      ...{
        requestId: "request-1",
        traceId: ownTraceId,
        tenantId: tenant,
        keyId: expect.any(String),
        bytes: expect.any(Number),
      },
    });
    expect(program.output()).not.toContain("stack");
    expect(program.output()).not.toMatch(/"err":/);
  });

  test("logs the status of REST's response; in a flood, the first lines and then counts", async () => {
    const broken = await rawServer(
      (socket) => void socket.write("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
    );
    const wantsTls = await rawServer(
      (socket) =>
        void socket.write(
          http(400, "<html>The plain HTTP request was sent to HTTPS port", { "content-type": "text/html" }),
        ),
    );
    const upstreams = {
      REST_BASE_URL: (await refusingUrl()).href,
      REST_BASE_URL_AI: broken.url.href,
      REST_BASE_URL_CRM: wantsTls.url.href,
    };
    const program = await runReady(["graphql"], upstreams);
    await query(program.url, "{ agents { id } }", key);
    const [line] = await linesWhen(program, ({ msg }) => msg === "REST call failed", 2);
    expect(line).toMatchObject({ operation: "listAgents", code: "UPSTREAM_ERROR", status: 500 });
    await query(program.url, "{ contacts { id } }", key);
    const [foreign] = await linesWhen(program, ({ operation }) => operation === "listContacts");
    expect(foreign).toMatchObject({ level: 40, code: "UPSTREAM_ERROR", status: 400, cause: "HTML" });
    for (let asked = 0; asked < 60; asked++) await query(program.url, "{ me { id } }", key);
    const calls = linesOf(program).filter(
      ({ msg, code }) => msg === "REST call failed" && code === "CIRCUIT_OPEN",
    );
    const requests = await linesWhen(
      program,
      ({ msg, code }) => msg === "request" && code !== "UPSTREAM_ERROR",
      60,
    );
    // a request that failed by REST or by us always has a line
    expect([calls.length, requests.length]).toEqual([20, 60]);
    expect(requests.at(-1)).toMatchObject({
      restOperation: "getMe",
      cause: "CIRCUIT_OPEN",
      code: "UPSTREAM_UNAVAILABLE",
    });
    const [listed] = linesOf(program).filter(
      ({ msg, restOperation }) => msg === "request" && restOperation === "listAgents",
    );
    expect(listed).toMatchObject({ code: "UPSTREAM_ERROR", restStatus: 500 });
    for (let asked = 0; asked < 30; asked++) await query(program.url, "{ nothing }", key);
    const refused = linesOf(program).filter(({ code }) => code === "GRAPHQL_VALIDATION_FAILED");
    expect(refused.length).toBe(20);
  });

  test("has every coded error that a client gets, by its request id", async () => {
    const rest = await refusingUrl();
    const program = await runReady([], { REST_BASE_URL_AI: rest.href, MAX_BODY_BYTES: "1000" });
    const { url } = program;
    const send: Record<string, () => Promise<Response>> = {
      GRAPHQL_PARSE_FAILED: () => ask(url, { query: "{" }),
      GRAPHQL_VALIDATION_FAILED: () => ask(url, { query: "{ nothing }" }),
      BAD_USER_INPUT: () => ask(url, { query: `{ contacts(q: "${"x".repeat(200)}") { id } }` }),
      BAD_REQUEST: () => ask(url, "not JSON"),
      LIMIT_EXCEEDED: () => ask(url, { query: `{ me { id } } # ${"x".repeat(2_000)}` }),
      PERSISTED_QUERY_NOT_FOUND: () => ask(url, { documentId: `sha256:${"0".repeat(64)}` }),
      UPSTREAM_UNAVAILABLE: () => ask(url, { query: "{ agents { id } }" }),
      UNAUTHENTICATED: () => ask(url, { query: "{ me { id } }" }, { "x-api-key": "none", ...web }),
      UNSUPPORTED_MEDIA_TYPE: () => ask(url, "a", { "content-type": "text/plain" }),
    };
    for (const [code, make] of Object.entries(send)) {
      const answer = await make();
      const { errors } = (await answer.json()) as { errors: { extensions: Record<string, string> }[] };
      const { extensions } = errors[0] as (typeof errors)[number];
      expect([code, extensions.code]).toEqual([code, code]);
      const [line] = await linesWhen(program, ({ requestId }) => requestId === extensions.requestId);
      expect([code, line.msg]).toEqual([code, expect.stringMatching(/^(?:request|REST call failed)$/)]);
      expect(line.code).toBe(code);
      if (code === "PERSISTED_QUERY_NOT_FOUND") expect(line.document).toBe(`sha256:${"0".repeat(64)}`);
      if (code === "UNAUTHENTICATED")
        expect(line).toMatchObject({
          role: "gateway",
          route: "/v1/graphql",
          reason: "not_a_key",
          client: "web",
          clientVersion: "2",
        });
    }
    // a flood of one reason hides no other
    for (let asked = 0; asked < 25; asked++) await get(url, "/v1/identity/me", "none");
    await get(url, "/v1/identity/me", "sk_test_DemoHarborOlivia00000000004LRXgd");
    await fetch(new URL("/v1/identity/me", url));
    const reasons = new Set(["no_key", "refused_key"]);
    const others = await linesWhen(program, ({ reason }) => reasons.has(reason), 2);
    expect(others.map(({ code }) => code)).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED"]);
    expect(linesOf(program).filter(({ reason }) => reason === "not_a_key")).toHaveLength(20);
  });

  test("ACCESS_LOG=all has a line a request: a saved operation by name and id, probes left out", async () => {
    const program = await runReady([], { ACCESS_LOG: "all" });
    await get(program.url, "/readyz");
    await get(program.url, "/v1/identity/me", key);
    const { default: manifest } = await import("../../../generated/operations-manifest.json", {
      with: { type: "json" },
    });
    const { id, name } = manifest.operations.find((operation) => operation.name === "FindCustomers") ?? {};
    await ask(program.url, { documentId: id });
    await ask(program.url, { query: "query Mine { me { id } }", operationName: "Mine" });
    const lines = await linesWhen(program, ({ role, restCalls }) => role === "graphql" && restCalls > 0, 2);
    expect(lines[0]).toMatchObject({
      level: 30,
      operation: name,
      operationId: id,
      status: 200,
      restCalls: 2,
    });
    expect(lines[1]).toMatchObject({ operation: "Mine", restCalls: 1 });
    expect(lines[1].operationId).toBeUndefined();
    const [rest] = await linesWhen(program, ({ role, route }) => role === "gateway" && route === "/v1/*");
    expect(rest).toMatchObject({ method: "GET", status: 200, tenantId: tenant });
    await get(program.url, `/v1/graphql?documentId=${id}`, key);
    const [read] = await linesWhen(program, ({ role, method }) => role === "graphql" && method === "GET");
    const isItsGateway = ({ role, requestId }: Line) => role === "gateway" && requestId === read.requestId;
    const [passed] = await linesWhen(program, isItsGateway);
    expect(passed).toMatchObject({ route: "/v1/graphql" });
    expect(program.output()).not.toContain("/readyz");
    for (const text of [key, "me { id }"])
      expect(linesOf(program).some((line) => JSON.stringify(line).includes(text))).toBe(false);
  });

  test.each(["off", "silent"])("is %s when that is asked for", async (way) => {
    const rest = await refusingUrl();
    const quiet = way === "off" ? { ACCESS_LOG: "off" } : { LOG_LEVEL: "silent" };
    const program = await runReady(["graphql"], { REST_BASE_URL: rest.href, ...quiet });
    await query(program.url, "{ me { id } }", key);
    await query(program.url, "{", key);
    const expected = way === "off" ? ["REST call failed", "REST call failed"] : [];
    expect(linesOf(program).map(({ msg }) => msg)).toEqual(expected);
  });

  test("in production, all that is printed is JSON", async () => {
    const program = await runReady([], { NODE_ENV: "production", ACCESS_LOG: "all", METRICS_PORT: "0" });
    await query(program.url, "{ me { id } }", key);
    await linesWhen(program, ({ msg, status }) => msg === "request" && status === 401);
    const printed = printedBy(program);
    expect(printed[0]).toMatchObject({ level: 30, msg: expect.stringMatching(/is ready on/) });
    const [request] = printed.filter(({ msg }) => msg === "request");
    expect(Object.keys(printed[0])).toEqual(
      expect.arrayContaining(["level", "time", "pid", "hostname", "msg"]),
    );
    expect([printed[0].pid, printed[0].hostname]).toEqual([request.pid, request.hostname]);
  });

  test("in production, so are the warnings of a start and what comes of them", async () => {
    const rest = await refusingUrl();
    const program = await runReady([], {
      ...{ NODE_ENV: "production", LOG_LEVEL: "error", MAX_DEPHT: "8" },
      REST_BASE_URL_INBOX: rest.href,
    });
    const server = createServer((_request, response) => response.writeHead(401).end()).listen(
      Number(rest.port),
      "127.0.0.1",
    );
    onTestFinished(() => void server.close());
    await program.prints(/INBOX: reached/);
    expect(printedBy(program)).toMatchObject([
      { level: 40, msg: "MAX_DEPHT: is not a setting and has no effect; did you mean MAX_DEPTH?" },
      { level: 40, msg: expect.stringMatching(/^REST_BASE_URL_INBOX: .* is not usable/) },
      { level: 30, msg: expect.stringMatching(/is ready on/) },
      { level: 30, msg: "REST_BASE_URL_INBOX: reached" },
    ]);
  });

  test("in production, so is the reason why there is no start; --check-config is for people", async () => {
    const unsafe = { NODE_ENV: "production", CORS_ORIGINS: "*" };
    const program = run([], unsafe);
    expect(await program.ended).toBe(2);
    expect(printedBy(program)).toMatchObject([{ level: 60, msg: expect.stringMatching(/^CORS_ORIGINS: /) }]);
    const { exitCode, printed } = await runHere(["--check-config"], unsafe);
    expect([exitCode, printed]).toEqual([2, [expect.stringMatching(/^messaging-graphql: CORS_ORIGINS: /)]]);
  });
});
