/** The scopes of OAuth that the document requires, in the metadata of operations and in the manifest's tools. */
import { expect, test } from "vitest";
import { emitManifest } from "../../../../src/engine/build/codegen/emit-documents.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";

const text = { "application/json": { schema: { type: "string" } } };
const operation = (operationId: string, security?: object[]) => ({
  ...{ operationId, ...(security && { security }) },
  responses: { "200": { description: "Done.", content: text } },
});
const oauth = { type: "oauth2", flows: {} };
const document = {
  openapi: "3.1.0",
  info: { title: "a", version: "1" },
  security: [{ oauth: ["read"] }],
  components: {
    securitySchemes: {
      ...{ oauth, oidc: { type: "openIdConnect", openIdConnectUrl: "https://a.example" } },
      key: { type: "apiKey", in: "header", name: "X-API-Key" },
      roles: { type: "http", scheme: "bearer" },
    },
  },
  paths: {
    "/inherited": { get: operation("inherited") },
    "/public": { get: operation("public", []) },
    "/roles": { get: operation("roles", [{ roles: ["admin"] }]) },
    "/alternatives": { get: operation("alternatives", [{ key: [] }, { oidc: ["b", "a"], roles: ["c"] }]) },
    "/malformed": { get: operation("malformed", [{ oauth: ["two words", 'quo"te'] }]) },
    "/write": { post: operation("write", [{ oauth: ["write", "write"] }]) },
  },
};
const field = (name: string): string => `${name}: String @rest(operation: "${name}")`;
const reads = ["inherited", "public", "roles", "alternatives", "malformed"];

test("a tool has the scopes of each operation that it calls; others have none", () => {
  const { model, saved, diagnostics } = new Project(
    textFiles(
      new Map([
        ["openapi.yaml", JSON.stringify(document)],
        [
          "schema.graphql",
          `type Query { ${reads.map(field).join(" ")} } type Mutation { ${field("write")} }`,
        ],
        [
          "operations/a.graphql",
          [
            ...reads.map((name) => `# @tool\nquery ${name}Tool { ${name} }`),
            "# @tool\nquery all { ...F } fragment F on Query { a: inherited b: inherited alternatives public }",
            "# @tool writing\nmutation writing { write }",
            "query notATool { inherited }",
          ].join("\n"),
        ],
      ]),
    ),
  );
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (!model) throw new Error("no model");
  const read = [{ headers: ["authorization"], scopes: ["read"] }];
  const alternatives = [
    { headers: ["x-api-key"], scopes: [] },
    { headers: ["authorization"], scopes: ["b", "a"] },
  ];
  const write = [{ headers: ["authorization"], scopes: ["write"] }];
  const { operations } = JSON.parse(emitManifest(model, saved)) as {
    operations: { name: string; scopes?: object }[];
  };
  expect(Object.fromEntries(operations.map(({ name, scopes }) => [name, scopes]))).toEqual({
    inheritedTool: [read],
    publicTool: undefined,
    rolesTool: undefined,
    alternativesTool: [alternatives],
    malformedTool: undefined,
    all: [read, alternatives],
    writing: [write],
    notATool: undefined,
  });
  expect(model.calledOperations.get("GET /alternatives")?.scopes).toEqual(alternatives);
  expect(model.calledOperations.get("GET /public")?.scopes).toBeUndefined();
});
