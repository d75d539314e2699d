/** What OpenAPI 3.2 adds around operations: tags with parents and kinds, and references below `$self`. */
import { expect, test } from "vitest";
import { documentFaults } from "../../../../src/engine/build/openapi/document-faults.ts";
import { operationsOf } from "../../../../src/engine/build/openapi/operation-pattern.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { restDocument } from "./rest-document.ts";

const answer = (schema: object) => ({
  responses: { 200: { content: { "application/json": { schema } } } },
});
const info = { title: "t", version: "1" };

test("a tag selects the operations of the tags below it, and a badge names no product", () => {
  const operations = readOperations(
    restDocument({
      openapi: "3.2.0",
      info,
      tags: [
        { name: "beta", kind: "badge" },
        { name: "partner", parent: "external" },
        { name: "external", parent: "all" },
        { name: "all", parent: "partner" },
      ],
      paths: {
        "/a": { get: { operationId: "a", tags: ["beta", "partner"], ...answer({}) } },
        "/b": { get: { operationId: "b", tags: ["beta"], ...answer({}) } },
      },
    }),
  );
  const selected = (key: string) => operationsOf(operations, key).map(({ id }) => id);
  expect(selected("tag:external")).toEqual(["a"]);
  expect(selected("tag:beta")).toEqual(["a", "b"]);
  expect([...operations.values()].map(({ product }) => product)).toEqual(["PARTNER", ""]);
});

test.each([
  ["https://api.example.com/v1/openapi.yaml#/components/schemas/Own", "boolean"],
  ["https://api.example.com/v1/parts/thing.yaml", "integer"],
  ["parts/thing.yaml", "integer"],
])("%s is resolved below $self", ($ref, type) => {
  const document = restDocument(
    {
      openapi: "3.2.0",
      $self: "https://api.example.com/v1/openapi.yaml",
      info,
      paths: { "/a": { get: { operationId: "a", ...answer({ $ref }) } } },
      components: { schemas: { Own: { type: "boolean" } } },
    },
    { "parts/thing.yaml": "type: integer" },
  );
  const [success] = readOperations(document).get("a")?.successes ?? [];
  expect([...(success?.shape?.types ?? [])]).toEqual([type]);
});

test("an additional operation is found by its method, and POST among them is the field `post`", () => {
  const operations = readOperations(
    restDocument({
      openapi: "3.2.0",
      info,
      paths: { "/a": { additionalOperations: { COPY: answer({}), POST: answer({}), link: answer({}) } } },
    }),
  );
  expect([...operations.values()].map(({ method }) => method)).toEqual(["COPY", "post", "link"]);
  expect(operations.named("COPY /a")?.method).toBe("COPY");
  expect(operations.named("POST /a")?.method).toBe("post");
});

test.each(["POST", "post"])(
  "an additional operation %s beside the field `post` is ignored, and a finding",
  (method) => {
    const document = restDocument({
      openapi: "3.2.0",
      info,
      paths: {
        "/a": {
          post: { operationId: "field", ...answer({}) },
          additionalOperations: { COPY: answer({}), [method]: { operationId: "additional", ...answer({}) } },
        },
        "/b": { additionalOperations: { [method]: answer({}) } },
      },
    });
    const operations = readOperations(document);
    expect([...operations.keys()]).toEqual(["field", "COPY /a", "POST /b"]);
    const faults = documentFaults(document, operations.values());
    expect(faults.map(({ rule, message }) => [rule, message])).toEqual([
      [
        "document-faulty",
        `1 fault in parts of the document that no field reaches: 1 × an additional operation whose method has a field. Here: POST /a is the field "post" of its path and one of additionalOperations, which is ignored`,
      ],
    ]);
  },
);
