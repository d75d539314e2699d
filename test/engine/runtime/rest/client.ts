/** REST clients of requests to one raw upstream, and the responses that it gives. */
import { expect, onTestFinished } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { CallerHeaders, CallerProfile } from "../../../../src/engine/runtime/rest/caller-headers.ts";
import { RestClient, Upstreams } from "../../../../src/engine/runtime/rest/client.ts";
import { RequestScope } from "../../../../src/engine/runtime/rest/request-scope.ts";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import { configure } from "../graphql/configure.ts";
import { type Answer, http, rawServer } from "./raw-server.ts";

export const operations: Record<string, Operation> = {
  "GET /things": {
    id: "listThings",
    product: "A",
    style: {
      "query:ids": { style: "form", explode: false },
      "query:tags": { style: "pipeDelimited", explode: false },
      "query:filter": { style: "deepObject", explode: true },
      "query:form": { style: "form", explode: true },
      "query:flat": { style: "form", explode: false },
      "query:page": { style: "form", explode: false },
      "query:where": { style: "json", explode: false },
      "header:X-Trace": { style: "simple", explode: true },
    },
  },
  "GET /things/{thingId}": { id: "getThing", product: "A" },
  "POST /forms": {
    id: "sendForm",
    product: "A",
    media: "application/x-www-form-urlencoded",
    style: {
      "body:meta": { style: "deepObject", explode: true },
      "body:note": { style: "json", explode: false },
      "body:few": { style: "form", explode: false },
    },
  },
  "GET /motto": { id: "getMotto", product: "A", accept: "text/plain, application/json;q=0.5", text: true },
  "PUT /motto": { id: "setMotto", product: "A", media: "text/plain", text: true },
  "GET /others": { id: "listOthers", product: "B" },
  "POST /things": { id: "makeThing", product: "A" },
  "DELETE /things/{thingId}": { id: "dropThing", product: "A", empty: true },
  "POST /things/{thingId}/reset": { id: "resetThing", product: "A", empty: true, unread: true },
};

/** `GET /things` needs no credential. */
export const withPublicThings: Record<string, Operation> = {
  ...operations,
  "GET /things": { id: "listThings", product: "A", public: true },
};

/** The headers without those that differ in each request of a caller. */
const ofCaller = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !/^(?:x-request-id|traceparent|tracestate|accept-language)$/.test(name),
    ),
  );

/** REST clients of one upstream, which responds as the test tells. `prefix` is the path of its base URL. */
export async function against(
  answer: Answer,
  environment: NodeJS.ProcessEnv = {},
  prefix = "",
  table = operations,
) {
  const server = await rawServer(answer);
  const base = new URL(prefix, server.url).href;
  const config = configure({ CALL_TIMEOUT_MS: "2000", REST_BASE_URL: base, ...environment });
  const upstreams = new Upstreams(config, table);
  onTestFinished(() => upstreams.close());
  const request = (caller = "key", others: Record<string, string> = {}) => {
    const headers = { "x-api-key": caller, "x-request-id": "id", ...others };
    const scope = new RequestScope(
      config,
      upstreams.shares,
      new CallerHeaders(new CallerProfile(ofCaller(headers), {}, [{ name: caller, headers: [] }]), headers),
    );
    return Object.assign(new RestClient(upstreams, scope), {
      turn: () => scope.turn(),
      leave: () => scope.leave(),
      close: () => scope.close(),
      freshUntil: () => scope.freshUntil,
    });
  };
  return { server, request, upstreams, rest: request() };
}

export const ok =
  (value: unknown): Answer =>
  (socket) =>
    void socket.write(http(200, JSON.stringify(value)));
export const status =
  (code: number, headers: Record<string, string> = {}, body = '{"detail":"CANARY"}'): Answer =>
  (socket) =>
    void socket.write(http(code, body, { "content-type": "application/problem+json", ...headers }));
export const failureOf = (call: Promise<unknown>): Promise<CodedError> =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(CodedError);
      expect((error as CodedError).message).not.toMatch(/CANARY|127\.0\.0\.1/);
      return error as CodedError;
    },
  );
export const pathsOf = (requests: string[]): string[] => requests.map((text) => text.split(" ")[1] ?? "");
