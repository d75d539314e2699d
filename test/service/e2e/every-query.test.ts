/** Each query calls its own REST operation, and no other. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type GraphQLField, getNamedType, isLeafType, isRequiredArgument } from "graphql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../../generated/index.ts";
import { projectAt } from "../../../src/engine/build/project/project.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { createGraphql } from "../../../src/engine/server/graphql-role.ts";

const root = join(import.meta.dirname, "../../..");
const { model } = projectAt(root).proved();

/** A REST platform that lets nobody in, and the graphql role in front of it. */
const called: string[] = [];
const rest = createServer(({ method, url = "" }, response) => {
  called.push(`${method} ${url.split("?")[0]}`);
  response.writeHead(401).end();
}).listen(0, "127.0.0.1");
let server: Awaited<ReturnType<typeof createGraphql>>;
let url: URL;
beforeAll(async () => {
  const REST_BASE_URL = `http://127.0.0.1:${(rest.address() as AddressInfo).port}`;
  server = await createGraphql(
    readConfig({ REST_BASE_URL, LOG_LEVEL: "silent", OPERATIONS: "all" }, ["graphql"]),
    api,
  );
  url = new URL("/v1/graphql", await server.listen({ port: 0, host: "127.0.0.1" }));
});
afterAll(async () => {
  rest.closeAllConnections();
  rest.close();
  await server.close();
});

async function ask(
  query: string,
): Promise<{ status: number; data?: unknown; errors?: { extensions: object }[] }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
  return { status: answer.status, ...((await answer.json()) as object) };
}

const query = model.schema.getQueryType();
const callable = Object.values(query?.getFields() ?? {}).filter(({ args }) => !args.some(isRequiredArgument));

const selection = ({ name, type }: GraphQLField<unknown, unknown>): string =>
  isLeafType(getNamedType(type)) ? `{ ${name} }` : `{ ${name} { __typename } }`;

/** Whether a call is one of this method and path template. */
function fits(template: string, call: string): boolean {
  const steps = call.split("/");
  const wanted = template.split("/");
  return (
    wanted.length === steps.length && wanted.every((step, at) => step.includes("{") || step === steps[at])
  );
}

test("each query without required arguments calls its REST operation, and REST's refusal is a 401", async () => {
  for (const field of callable) {
    called.length = 0;
    const bound = model.fields.get(`${query?.name}.${field.name}`);
    if (bound?.kind !== "bound") throw new Error(`${field.name} is not bound`);
    const { status, errors } = await ask(selection(field));
    expect({ field: field.name, status, code: errors?.[0]?.extensions }).toMatchObject({
      status: 401,
      code: { code: "UNAUTHENTICATED" },
    });
    const { method, path } = bound.operation;
    const [only = "", ...others] = new Set(called);
    expect({
      field: field.name,
      only,
      others,
      fits: fits(`${method.toUpperCase()} ${path}`, only),
    }).toMatchObject({
      others: [],
      fits: true,
    });
  }
});
