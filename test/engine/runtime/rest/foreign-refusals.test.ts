/** A refusal that is none of the API's is an outage: of a wrong path, a server that wants TLS, a balancer. Nobody is blamed. */
import { expect, test } from "vitest";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import { against, failureOf, operations } from "./client.ts";
import { http } from "./raw-server.ts";

const html = "<html>400 The plain HTTP request was sent to HTTPS port</html>";
const problem = '{"detail":"CANARY"}';
const json = "application/problem+json";
const page = "text/html; charset=utf-8";
const text = "text/plain";
const refusals = ["400", "401", "404"];

test.each<
  [code: string, cause: string | undefined, status: number, type: string, body: string, Partial<Operation>]
>([
  ["BAD_USER_INPUT", undefined, 400, json, problem, { refusals }],
  ["UPSTREAM_ERROR", "HTML", 400, page, html, { refusals }],
  ["UPSTREAM_ERROR", "HTML", 400, page, html, {}],
  ["NOT_FOUND", undefined, 404, json, problem, { refusals }],
  ["NOT_FOUND", undefined, 404, json, problem, {}], // the document names no refusal at all
  ["NOT_FOUND", undefined, 404, json, problem, { refusals: ["4XX"] }],
  ["NOT_FOUND", undefined, 404, json, problem, { refusals: ["default"] }],
  ["UPSTREAM_ERROR", "undocumented status", 404, json, problem, { refusals: ["400", "401"] }],
  ["UPSTREAM_ERROR", "undocumented status", 409, json, problem, { refusals }],
  ["UPSTREAM_ERROR", "undocumented status", 404, json, problem, { refusals: ["403", "422"] }],
  ["NOT_FOUND", undefined, 404, json, problem, { refusals: ["422"] }],
  ["UPSTREAM_ERROR", "not JSON", 404, text, "no", { refusals: ["422"] }],
  ["UPSTREAM_ERROR", "empty body", 404, "", "", { refusals }],
  ["UPSTREAM_ERROR", "empty body", 404, "", "", {}],
  ["UPSTREAM_ERROR", "not JSON", 404, text, "no", { refusals }],
  ["UPSTREAM_ERROR", "HTML", 401, page, html, { refusals }],
  ["UPSTREAM_ERROR", "HTML", 404, page, html, { refusals, bareRefusals: ["404"] }],
  ["NOT_FOUND", undefined, 404, "", "", { refusals, bareRefusals: ["404"] }],
  ["NOT_FOUND", undefined, 404, text, "no", { refusals: ["default"], bareRefusals: ["default"] }],
  ["UPSTREAM_ERROR", "empty body", 404, "", "", { refusals: ["404", "default"], bareRefusals: ["default"] }],
  ["UNAUTHENTICATED", undefined, 401, "", "", { refusals: ["404"] }],
  ["UNAUTHENTICATED", undefined, 401, json, problem, { refusals: ["404"] }],
  ["FORBIDDEN", undefined, 403, json, problem, { refusals: ["404"], credentials: [["x-api-key"]] }],
  ["UPSTREAM_ERROR", "undocumented status", 403, json, problem, { refusals: ["404"] }],
  ["RATE_LIMITED", undefined, 429, page, html, { refusals: ["404"] }],
])("%s (%s): %i with %s %s, documented %o", async (code, cause, status, type, body, documented) => {
  const name = "GET /others";
  const table = { ...operations, [name]: { ...(operations[name] as Operation), ...documented } };
  const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
  const { rest, server } = await against(
    (socket) => socket.write(http(status, body, headers)),
    {},
    "",
    table,
  );
  const failure = await failureOf(rest.get("/others"));
  expect([failure.code, causeOf(failure)]).toEqual([code, cause]);
  if (cause !== undefined)
    expect(failure.message).toContain(
      cause === "undocumented status"
        ? `it answered ${status}, which its OpenAPI document does not declare`
        : `it answered ${status}, but not as the API does`,
    );
  expect(server.requests).toHaveLength(1); // such an answer would come again
});

const causeOf = ({ cause }: Error): unknown =>
  cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : undefined;
