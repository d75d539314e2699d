/** The `Accept` header of a bound operation. */
import { expect, test } from "vitest";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";

const text = { type: "string" };
const count = { type: "integer" };

/** The header where the success response has these media types; undefined is plain JSON. */
function acceptWith(content: Readonly<Record<string, object>>): string | undefined {
  const media = Object.entries(content).map(([name, schema]) => [name, { schema }]);
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/thing": {
        get: {
          operationId: "getThing",
          responses: { 200: { description: "d", content: Object.fromEntries(media) } },
        },
      },
    },
  };
  const files = {
    "schema.graphql": 'type Query { thing: String @rest(operation: "getThing") }',
    "openapi.yaml": JSON.stringify(document),
  };
  const { model, diagnostics } = new Project(textFiles(new Map(Object.entries(files))));
  expect(diagnostics).toEqual([]);
  const called = model?.calledOperations.get("GET /thing");
  expect(called?.id).toBe("getThing");
  return called?.accept;
}

const one = "application/vnd.x+json;version=1";
const two = "application/vnd.x+json;version=2";

test.each<[string, Record<string, object>, string | undefined]>([
  ["one", { "application/json": text }, undefined],
  ["a vendor's version", { [two]: text }, "application/vnd.x+json;version=2, application/json;q=0.5"],
  [
    "two versions with one schema",
    { [two]: text, [one]: text },
    "application/vnd.x+json;version=2, application/vnd.x+json;version=1;q=0.9, application/json;q=0.5",
  ],
  [
    "JSON and a vendor's, in any order",
    { [one]: text, "application/json": text },
    "application/json, application/vnd.x+json;version=1;q=0.9",
  ],
  [
    "JSON with a parameter, and without",
    { "application/json;charset=utf-8": text, "application/json": text },
    "application/json;charset=utf-8, application/json;q=0.9",
  ],
  ["text/json alone", { "text/json": text }, "text/json, application/json;q=0.5"],
  [
    "what .NET lists",
    { "text/plain": text, "application/json": text, "text/json": text },
    "application/json, text/json;q=0.9",
  ],
  ["another schema is not bound", { "application/json": text, [two]: count }, undefined],
  ["no JSON", { "application/json": text, "text/csv": text, "image/png": text }, undefined],
  ["what is not a header", { "application/json": text, "application/x+json;\r\nx: 1": text }, undefined],
])("offers the JSON media types with the schema that is bound: %s", (_, content, accept) => {
  expect(acceptWith(content)).toBe(accept);
});
