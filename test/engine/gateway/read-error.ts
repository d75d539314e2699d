/** How tests read a refusal: as problem details, or as the GraphQL response that `/v1/graphql` gives. */
import { expect } from "vitest";

export async function problem(response: Response): Promise<{ code: string; status: number }> {
  expect(response.headers.get("content-type")).toMatch("application/problem+json");
  return (await response.json()) as { code: string; status: number };
}

/** The extensions of its only error. */
export async function graphqlError(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get("content-type")).toMatch(
    /^application\/(graphql-response\+)?json; charset=utf-8$/,
  );
  const body = (await response.json()) as { errors: { message: string; extensions: object }[] };
  expect([Object.keys(body), body.errors.length]).toEqual([["errors"], 1]);
  const [{ message, extensions } = { message: "", extensions: {} }] = body.errors;
  expect(message).not.toBe("");
  return { ...extensions };
}
