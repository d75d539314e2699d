/** The overlay of `restbound init` that declares what clients see of a document's errors. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { errorOverlay, undeclaredErrors } from "../../../../src/engine/build/init/error-overlay.ts";
import { overlayLines } from "../../../../src/engine/build/init/overlay-text.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { restDocument } from "../openapi/rest-document.ts";

const text = { type: "string" };
const object = (properties: object): object => ({ type: "object", properties });
const list = (items: object): object => ({ type: "array", items });

type Errors = Readonly<Record<string, object | undefined>>;

const responseOf = (schema: object | undefined, media = "application/json"): object => ({
  description: "d",
  ...(schema && { content: { [media]: { schema } } }),
});

/** A document whose two operations have these errors, by status. */
function documentOf(errors: Errors, components: object = {}, media?: string): object {
  const found = Object.entries(errors).map(([status, schema]) => [
    status,
    schema && "$ref" in schema && String(schema.$ref).includes("/responses/")
      ? schema
      : responseOf(schema, media),
  ]);
  const operation = (operationId: string): object => ({
    operationId,
    responses: { 200: responseOf(list(text)), ...Object.fromEntries(found) },
  });
  return {
    ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
    paths: { "/ones": { get: operation("listOnes") }, "/twos": { get: operation("listTwos") } },
    components,
  };
}

const schema = `type Query {
  ones: [String!] @rest(operation: "listOnes")
  twos: [String!] @rest(operation: "listTwos")
}`;

/** The declaration, and what the bound operations show by it. The proof accepts it. */
function declared(document: object) {
  const overlay = errorOverlay(restDocument(document));
  if (overlay === undefined) return undefined;
  const files = {
    "schema.graphql": schema,
    "openapi.yaml": JSON.stringify(document),
    "overlay.yaml": overlay,
  };
  const { model, diagnostics } = new Project(textFiles(new Map(Object.entries(files))));
  expect(diagnostics).toEqual([]);
  const shown = [...(model?.calledOperations.values() ?? [])].map(({ errors = [] }) =>
    errors.map(({ media: _, ...members }) => members),
  );
  expect(shown[1]).toEqual(shown[0]);
  const { actions } = parse(overlay) as { actions: { target: string }[] };
  return { targets: actions.map(({ target }) => target), shown: shown[0] };
}

const ref = (name: string, kind = "schemas"): object => ({ $ref: `#/components/${kind}/${name}` });

test.each<[string, object, object]>([
  ["a text", object({ message: text }), { message: "message" }],
  [
    "an object around it, with a code and the name of the value",
    object({ error: object({ type: text, message: text, code: text, param: text, doc_url: text }) }),
    { message: "error.message", code: "error.code", field: "error.param" },
  ],
  [
    "a list of texts",
    object({ error: object({ message: text, errors: list(text) }) }),
    { message: "error.message", list: "error.errors" },
  ],
  [
    "a list of objects",
    object({
      message: text,
      errors: list(object({ resource: text, field: text, code: text, message: text })),
    }),
    { message: "message", list: "errors", item: { message: "message", code: "code", field: "field" } },
  ],
  [
    "a map of names to texts",
    object({ message: text, errors: { type: "object", additionalProperties: list(text) } }),
    { message: "message", list: "errors", isMap: true },
  ],
  [
    "a list alone",
    object({ detail: list(object({ loc: list({ anyOf: [text, { type: "integer" }] }), msg: text })) }),
    { list: "detail", item: { message: "msg", field: "loc" } },
  ],
])("is written for %s", (_name, error, members) => {
  const document = documentOf(
    { 400: ref("Error"), 404: ref("Error"), 500: object({ other: text }) },
    { schemas: { Error: error } },
  );
  expect(declared(document)).toEqual({
    targets: ["$.components.schemas['Error']"],
    shown: [{ statuses: ["400", "404"], ...members }],
  });
});

test("finds the schema in shared responses, and in those of each operation", () => {
  const error = object({ message: text });
  expect(declared(documentOf({ 400: error, 401: object({ token: text }), 422: error }))).toEqual({
    targets: ["$.paths.*.*.responses['400','422'].content['application/json'].schema"],
    shown: [{ statuses: ["400", "422"], message: "message" }],
  });
  const shared = { responses: { "It's bad": responseOf(error) } };
  expect(declared(documentOf({ default: ref("It's bad", "responses"), 409: error }, shared))).toEqual({
    targets: [
      "$.components.responses['It\\'s bad'].content['application/json'].schema",
      "$.paths.*.*.responses['409'].content['application/json'].schema",
    ],
    shown: [{ statuses: ["409", "default"], message: "message" }],
  });
});

test("is not written for errors that differ, that no name explains, or that need no declaration", () => {
  const error = object({ message: text });
  expect(declared(documentOf({ 400: error, 404: object({ reason: text }) }))).toBeUndefined();
  expect(declared(documentOf({ 400: object({ number: { type: "integer" } }) }))).toBeUndefined();
  expect(declared(documentOf({ 400: undefined, 401: error, 500: error }))).toBeUndefined();
  expect(
    declared(documentOf({ 400: object({ detail: text }) }, {}, "application/problem+json")),
  ).toBeUndefined();
  const own = { ...error, "x-error-mapping": { message: "message" } };
  expect(declared(documentOf({ 400: own }))).toBeUndefined();
});

test("errors without a declaration are reported, with the first of them and the actions of an overlay", () => {
  const advice = (errors: Errors, media?: string) =>
    undeclaredErrors(restDocument(documentOf(errors, {}, media)), "overlay.yaml")?.message;
  const error = object({ message: text });
  const other = object({ reason: text });
  expect(advice({ 401: error, 422: error, 500: other })).toMatch(
    /^clients see no text of the error schema of listOnes 422: declare .* in spec\/overlay\.yaml \(.*requests\.md#errors-of-rest\)$/,
  );
  expect(advice({ 400: error, 404: other })).toMatch(
    /^clients see no text of 2 error schemas, such as that of listOnes 400: /,
  );
  expect(advice({ 400: { ...error, "x-error-mapping": { message: "message" } } })).toBeUndefined();
  expect(advice({ 400: object({ detail: text }) }, "application/problem+json")).toBeUndefined();
  expect(advice({ 400: undefined, 401: error, 404: {} })).toBeUndefined();
});

test("the advice names the components of several error schemas, and its actions declare their members", () => {
  const document = documentOf(
    { 400: ref("Bad"), 404: ref("Gone"), 409: object({ message: text }), 422: ref("Odd") },
    {
      schemas: {
        Bad: object({ error: text, error_details: { type: "object", additionalProperties: list(text) } }),
        Gone: object({ error: text, code: text }),
        Odd: object({ number: { type: "integer" } }),
      },
    },
  );
  const advice = undeclaredErrors(restDocument(document), "overlay.yaml");
  expect(advice?.message).toMatch(
    /^clients see no text of 4 error schemas \(Bad, Gone, Odd\), such as that of listOnes 400: /,
  );
  expect(advice?.actions).toEqual([
    {
      target: "$.components.schemas['Bad']",
      update: { "x-error-mapping": { message: "error", list: "error_details" } },
    },
    {
      target: "$.components.schemas['Gone']",
      update: { "x-error-mapping": { message: "error", code: "code" } },
    },
    {
      target: "$.paths.*.*.responses['409'].content['application/json'].schema",
      update: { "x-error-mapping": { message: "message" } },
    },
  ]);
  const [_line, ...overlay] = overlayLines(advice ? [advice] : [], "overlay.yaml", false);
  const files = {
    "schema.graphql": schema,
    "openapi.yaml": JSON.stringify(document),
    "overlay.yaml": overlay.join("\n"),
  };
  const { model, diagnostics } = new Project(textFiles(new Map(Object.entries(files))));
  expect(diagnostics).toEqual([]);
  expect([...(model?.calledOperations.values() ?? [])][0]?.errors).toHaveLength(3);
});
