/** The proof names each header in which the run time takes no credential. */
import { expect, test } from "vitest";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { neverCredentials } from "../../../../src/engine/shared/never-credentials.ts";

const spec = (scheme: object) => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [{ key: [] }],
  paths: {
    "/me": {
      get: {
        operationId: "getMe",
        responses: {
          200: { description: "ok", content: { "application/json": { schema: { type: "string" } } } },
        },
      },
    },
  },
  components: { securitySchemes: { key: scheme } },
});

function findingsOf(scheme: object): string[] {
  const files = new Map([
    ["openapi.yaml", JSON.stringify(spec(scheme))],
    ["schema.graphql", 'type Query { me: String @rest(operation: "getMe") }'],
  ]);
  return new Project(textFiles(files)).diagnostics.map(({ rule, message }) => `${rule}: ${message}`);
}

const spellings = ["COOKIE", "X_Service_Tenant_Id", "x.gateway_proof", "Content_Type", "proxy_authorization"];

test.each([...neverCredentials, "X-Service-Tenant-Id", ...spellings])("%s", (header) => {
  const finding = (where: string) => [
    `credential-unsent: a bound operation needs the credential "key", ${where}: that header never travels to REST as a credential`,
  ];
  const brought = finding(`which comes in the header ${header.toLowerCase()}`);
  expect(findingsOf({ type: "apiKey", in: "query", name: "key", "x-from-header": header })).toEqual(brought);
  expect(findingsOf({ type: "http", scheme: "bearer", "x-from-header": header })).toEqual(brought);
  const taken = finding(`which goes in the header as ${header}`);
  expect(findingsOf({ type: "apiKey", in: "header", name: header })).toEqual(taken);
  expect(findingsOf({ type: "apiKey", in: "header", name: header, "x-from-header": "X-Key" })).toEqual(taken);
});

test("another header", () => {
  expect(findingsOf({ type: "apiKey", in: "query", name: "key", "x-from-header": "X-Key" })).toEqual([]);
  expect(findingsOf({ type: "apiKey", in: "header", name: "X-Key" })).toEqual([]);
});
