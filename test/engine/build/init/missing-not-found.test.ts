/** Operations whose document declares refusals but no 404: what `restbound init` prints about them. */
import { expect, test } from "vitest";
import { missingNotFound } from "../../../../src/engine/build/init/missing-not-found.ts";
import { overlayLines } from "../../../../src/engine/build/init/overlay-text.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { restDocument } from "../openapi/rest-document.ts";

const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const ok = {
  description: "ok",
  content: {
    "application/json": { schema: { type: "object", properties: { name: { type: "string" } } } },
  },
};
const operation = (operationId: string, parameters: object[], ...refusals: string[]): object => ({
  operationId,
  parameters,
  responses: { 200: ok, ...Object.fromEntries(refusals.map((status) => [status, { description: "no" }])) },
});

const documentOf = (...refusals: string[]): object => ({
  ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
  paths: {
    "/things": { get: operation("listThings", [], "409") },
    "/things/{id}": {
      get: operation("getThing", [id], ...refusals),
      delete: operation("dropThing", [id], ...refusals),
    },
    "/own's/{id}": { get: operation("getOwn", [id], ...refusals) },
  },
});

const adviceOn = (document: object) => missingNotFound(readOperations(restDocument(document)).values());

test.each([[["409", "429"]], [["403", "422"]]])("%o: an overlay to paste declares the 404s", (refusals) => {
  const document = documentOf(...refusals);
  const advice = adviceOn(document);
  const [, ...overlay] = overlayLines(advice ? [advice] : [], "overlay.yaml", false);
  expect(advice?.message).toMatch(/^3 operations with a path parameter declare no 404, /);
  expect(overlayLines(advice ? [advice] : [], "overlay.yaml", true).slice(0, 2)).toEqual([
    "mend it:   add to the actions of spec/overlay.yaml, and run npm run codegen:",
    "  - target: $.paths['/things/{id}','/own\\'s/{id}'].*.responses",
  ]);
  const files = {
    "schema.graphql":
      'type Thing { name: String }\ntype Query { thing(id: String!): Thing @rest(operation: "getThing") }',
    "openapi.yaml": JSON.stringify(document),
    "overlay.yaml": overlay.join("\n"),
  };
  const { rest, model, diagnostics } = new Project(textFiles(new Map(Object.entries(files))));
  expect(diagnostics).toEqual([]);
  expect([...(model?.calledOperations.values() ?? [])][0]).toMatchObject({
    refusals: [...refusals, "404"].toSorted(),
  });
  expect(missingNotFound(rest.operations.values())).toBeUndefined();
  const { responses = [] } = rest.operations.get("listThings") ?? {};
  expect(responses.map(({ status }) => status)).toEqual(["200", "409"]);
});

test.each([[[]], [["422"]], [["404"]], [["409", "4XX"]], [["409", "default"]]])(
  "%o: REST's 404 is accepted anyway",
  (refusals) => {
    expect(adviceOn(documentOf(...refusals))).toBeUndefined();
  },
);
