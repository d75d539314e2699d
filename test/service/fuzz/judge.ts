/**
 * What every answer must be, whatever was asked and whatever REST said: GraphQL's response format (GraphQL spec §7.1) or
 * problem details (RFC 9457), with codes of the closed list, and nobody's fault made ours.
 */
import { expect } from "vitest";
import { statusPhrase } from "../../../src/engine/runtime/coded-error.ts";
import { codes } from "../../../src/engine/shared/error-codes.ts";
import type { RawAnswer } from "../../support/raw-client.ts";

/** Stands in what REST sends and in the caller's credentials, and is never to be seen in a failure. */
export const canary = "CANARY";

const graphqlTypes = /^application\/(graphql-response\+)?json; charset=utf-8$/;
const problemType = /^application\/problem\+json(; charset=utf-8)?$/;
const internal = "INTERNAL_SERVER_ERROR";

/** Fails unless the answer is as it must be; answers with its GraphQL errors. */
export function judge({ status, headers, body }: RawAnswer): readonly unknown[] {
  const type = headers.get("content-type") ?? "";
  expect(status, body).toBeLessThan(status === 503 ? 504 : 500); // 503: the health of this process, never a fault
  expect(headers.get("cache-control"), body).toBe("private, no-store");
  expect([...headers.values()].join()).not.toContain(canary);
  const value: unknown = JSON.parse(body);
  if (!isObject(value)) throw new Error(`no object: ${body}`);
  if (problemType.test(type)) return judgeProblem(value, status);
  expect(type).toMatch(graphqlTypes);
  // GraphQL over HTTP §6.4.2: a request that failed is no success to a client that knows GraphQL's own media type
  if (type.includes("graphql-response") && !("data" in value))
    expect(status, body).toBeGreaterThanOrEqual(400);
  return judgeGraphql(value, status);
}

function judgeProblem(problem: Record<string, unknown>, status: number): [] {
  const { title, detail, code } = problem;
  expect(problem).toMatchObject({ type: "about:blank", title: statusPhrase(status), status });
  expect([typeof title, typeof detail]).toEqual(["string", "string"]);
  expect(Object.keys(codes)).toContain(code);
  expect(code).not.toBe(internal);
  expect(JSON.stringify(problem)).not.toContain(canary);
  return [];
}

function judgeGraphql(result: Record<string, unknown>, status: number): readonly unknown[] {
  expect(Object.keys(result).filter((key) => !["data", "errors", "extensions"].includes(key))).toEqual([]);
  const { data, errors = [] } = result;
  if ("errors" in result) expect(errors).not.toEqual([]);
  if (!("data" in result)) expect("errors" in result).toBe(true);
  else expect([status, data === null || isObject(data)]).toEqual([200, true]);
  if (!Array.isArray(errors)) throw new Error("errors that are no list");
  for (const error of errors) judgeError(error, "data" in result ? data : undefined);
  expect(JSON.stringify(errors)).not.toContain(canary);
  return errors;
}

/** GraphQL spec §7.1.2: a message, and places that exist; a field's error has a path that ends in a null. */
function judgeError(error: unknown, data: unknown): void {
  if (!isObject(error)) throw new Error("an error that is no object");
  const { message, locations = [], path, extensions, ...others } = error;
  expect([typeof message, Object.keys(others)]).toEqual(["string", []]);
  for (const { line, column } of locations as { line: number; column: number }[])
    expect([line, column].every((place) => Number.isInteger(place) && place > 0)).toBe(true);
  const code = isObject(extensions) ? extensions.code : undefined;
  expect(Object.keys(codes)).toContain(code);
  expect(code, JSON.stringify(error)).not.toBe(internal);
  if (path !== undefined) expect(isNullOnTheWay(data, path as (string | number)[]), String(path)).toBe(true);
}

function isNullOnTheWay(data: unknown, path: readonly (string | number)[]): boolean {
  let value = data;
  for (const step of path) {
    if (value === null) return true;
    if (typeof value !== "object" || !Object.hasOwn(value, step)) return false;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value === null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
