/** The overlay of `restbound init` that declares what clients see of a document's errors. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { declareErrors } from "../../../../src/engine/build/init/error-overlay.ts";
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
function documentOf(errors: Errors, components: object = {}, media?: string, others = errors): object {
  const operation = (operationId: string, own: Errors): object => {
    const found = Object.entries(own).map(([status, schema]) => [
      status,
      schema && "$ref" in schema && String(schema.$ref).includes("/responses/")
        ? schema
        : responseOf(schema, media),
    ]);
    return { operationId, responses: { 200: responseOf(list(text)), ...Object.fromEntries(found) } };
  };
  return {
    ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
    paths: {
      "/ones": { get: operation("listOnes", errors) },
      "/twos": { get: operation("listTwos", others) },
    },
    components,
  };
}

const schema = `type Query {
  ones: [String!] @rest(operation: "listOnes")
  twos: [String!] @rest(operation: "listTwos")
}`;

function written(document: object, hasOverlay = false) {
  const { text: overlay, advice } = declareErrors(restDocument(document), "overlay.yaml", hasOverlay);
  expect(advice.length).toBeLessThan(2);
  return { text: overlay, advice: advice[0] };
}

/** What the two bound operations show by the overlay. The proof accepts it. */
function shownBy(document: object, overlay: string) {
  const files = {
    "schema.graphql": schema,
    "openapi.yaml": JSON.stringify(document),
    "overlay.yaml": overlay,
  };
  const { model, diagnostics } = new Project(textFiles(new Map(Object.entries(files))));
  expect(diagnostics).toEqual([]);
  return [...(model?.calledOperations.values() ?? [])].map(({ errors = [] }) =>
    errors.map(({ media: _, ...members }) => members),
  );
}

const targetsOf = (overlay: string): string[] =>
  (parse(overlay) as { actions: { target: string }[] }).actions.map(({ target }) => target);

/** The targets of an overlay that declares all errors, and what both operations show by it. */
function declared(document: object) {
  const { text: overlay, advice } = written(document);
  expect(advice).toBeUndefined();
  if (overlay === undefined) return undefined;
  const [ofOnes, ofTwos] = shownBy(document, overlay);
  expect(ofTwos).toEqual(ofOnes);
  return { targets: targetsOf(overlay), shown: ofOnes };
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
  [
    "properties of which only some have a type that a declaration accepts",
    object({ message: text, code: list(text), errors: list(object({ msg: text, loc: list(object({})) })) }),
    { message: "message", list: "errors", item: { message: "msg" } },
  ],
])("is written for %s", (_name, error, members) => {
  const document = documentOf(
    { 400: ref("Error"), 404: ref("Error"), 500: object({ other: text }) },
    { schemas: { Error: error } },
  );
  expect(declared(document)).toEqual({
    targets: ["$.components.schemas.Error"],
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
      "$.paths.*.*.responses['409'].content['application/json'].schema",
      "$.components.responses['It\\'s bad'].content['application/json'].schema",
    ],
    shown: [{ statuses: ["409", "default"], message: "message" }],
  });
});

test("is not written for errors that need no declaration", () => {
  const error = object({ message: text });
  expect(declared(documentOf({ 400: undefined, 401: error, 404: {}, 500: error }))).toBeUndefined();
  expect(
    declared(documentOf({ 400: object({ detail: text }) }, {}, "application/problem+json")),
  ).toBeUndefined();
  const own = { ...error, "x-error-mapping": { message: "message" } };
  expect(declared(documentOf({ 400: own }))).toBeUndefined();
  const wrong = { ...error, "x-error-mapping": { message: "other" } };
  expect(declared(documentOf({ 400: wrong }))).toBeUndefined();
});

test("declares the members of each schema by the names of its own properties", () => {
  const schemas = {
    Bad: object({ error: text, error_details: { type: "object", additionalProperties: list(text) } }),
    Gone: object({ error: text, code: text }),
    Busy: object({ error: text, code: text, wait: { type: "integer" } }),
  };
  const errors = { 400: ref("Bad"), 404: ref("Gone"), 409: object({ message: text }), 422: ref("Busy") };
  expect(declared(documentOf(errors, { schemas }))).toEqual({
    targets: [
      "$.components.schemas.Bad",
      "$.components.schemas['Gone','Busy']",
      "$.paths.*.*.responses['409'].content['application/json'].schema",
    ],
    shown: [
      { statuses: ["400"], message: "error", list: "error_details", isMap: true },
      { statuses: ["404", "422"], message: "error", code: "code" },
      { statuses: ["409"], message: "message" },
    ],
  });
});

test("never selects another schema of the same status", () => {
  const error = object({ message: text });
  const odd = object({ reason: text });
  const responses = { 400: error, 404: error };
  const document = documentOf(responses, {}, undefined, { 400: error, 404: odd, 409: odd });
  const { text: overlay = "", advice } = written(document);
  expect(advice).toBeUndefined();
  expect(overlay).not.toMatch(/[&*]a1\b/); // no YAML aliases, because people edit the file
  expect(targetsOf(overlay)).toEqual([
    "$.paths.*.*.responses['400'].content['application/json'].schema",
    "$.paths['/ones'].get.responses['404'].content['application/json'].schema",
    "$.paths['/twos'].get.responses['404'].content['application/json'].schema",
    "$.paths.*.*.responses['409'].content['application/json'].schema",
  ]);
  expect(shownBy(document, overlay)).toEqual([
    [{ statuses: ["400", "404"], message: "message" }],
    [
      { statuses: ["400"], message: "message" },
      { statuses: ["404", "409"], message: "reason" },
    ],
  ]);
});

test.each<[string, object, string]>([
  [
    "a declaration",
    { ...object({ reason: text, message: text }), "x-error-mapping": { message: "reason" } },
    "reason",
  ],
  ["a reference", ref("Declared"), "reason"],
  ["a member with a declaration", { oneOf: [ref("Declared"), object({ id: text })] }, "reason"],
])("does not change the members of %s", (_name, own, message) => {
  const schemas = {
    Declared: { ...object({ reason: text, message: text }), "x-error-mapping": { message: "reason" } },
  };
  const document = documentOf({ 404: object({ message: text }) }, { schemas }, undefined, { 404: own });
  const { text: overlay = "", advice } = written(document);
  expect(advice).toBeUndefined();
  expect(shownBy(document, overlay)).toEqual([
    [{ statuses: ["404"], message: "message" }],
    [{ statuses: ["404"], message }],
  ]);
});

test("problem details keep their members, also if another response has the same schema", () => {
  const error = object({ title: text, detail: text, message: text });
  const content = (schema: object) => ({
    "application/json": { schema },
    "application/problem+json": { schema },
  });
  const errorsOf = (schema: object) => ({
    responses: { Bad: { description: "d", content: content(schema) } },
    schemas: { Error: error },
  });
  const inline = documentOf({ 400: ref("Bad", "responses") }, errorsOf(error));
  const { text: overlay = "" } = written(inline);
  expect(targetsOf(overlay)).toEqual(["$.components.responses.Bad.content['application/json'].schema"]);
  const problem = { statuses: ["400"], title: "title", message: "detail" };
  expect(shownBy(inline, overlay)[0]).toEqual([{ statuses: ["400"], message: "message" }, problem]);
  const shared = written(documentOf({ 400: ref("Bad", "responses") }, errorsOf(ref("Error"))));
  expect(shared.text).toBeUndefined();
  expect(shared.advice?.message).toMatch(/^clients see no text of the error schema of listOnes 400: /);
});

test("a schema that other statuses have too is shown for 4xx without a credential only", () => {
  const error = ref("Error");
  const statuses = [400, 401, 403, 407, 429, 500, 503, "5XX"].map((status) => [status, error]);
  const schemas = { Error: object({ message: text }) };
  expect(declared(documentOf(Object.fromEntries(statuses), { schemas }))?.shown).toEqual([
    { statuses: ["400", "429"], message: "message" },
  ]);
});

test("reports errors that no name explains, with the first of them, beside the overlay of the others", () => {
  const odd = object({ number: { type: "integer" } });
  const { advice } = written(documentOf({ 401: object({ message: text }), 422: odd, 500: odd }));
  expect(advice?.message).toMatch(
    /^clients see no text of the error schema of listOnes 422: declare .* in spec\/overlay\.yaml \(.*requests\.md#errors-of-rest\)$/,
  );
  const schemas = { Bad: object({ message: text }), Odd: odd };
  const document = documentOf({ 400: ref("Bad"), 404: ref("Odd"), 422: object({ id: text }) }, { schemas });
  const { text: overlay = "", advice: ofOthers } = written(document);
  expect(targetsOf(overlay)).toEqual(["$.components.schemas.Bad"]);
  expect(shownBy(document, overlay)[0]).toEqual([{ statuses: ["400"], message: "message" }]);
  expect(ofOthers?.message).toMatch(
    /^clients see no text of 2 error schemas \(Odd\), such as that of listOnes 404: /,
  );
  expect(ofOthers?.actions).toEqual([]);
});

test("does not report a schema of which a part is declared", () => {
  const either = { oneOf: [ref("Bad"), ref("Odd")], properties: { id: text } };
  const schemas = { Bad: object({ message: text }), Odd: object({ number: { type: "integer" } }) };
  expect(declared(documentOf({ 400: ref("Bad"), 409: either }, { schemas }))).toEqual({
    targets: ["$.components.schemas.Bad"],
    shown: [{ statuses: ["400", "409"], message: "message" }],
  });
});

test("reports schemas at a path that JSONPath cannot express", () => {
  const document = documentOf({ 400: object({ message: text }) });
  const responses = { 200: responseOf(list(text)), 400: responseOf(object({ reason: text })) };
  const paths = { "/bell\u0007": { get: { operationId: "ring", responses } } };
  const { text: overlay = "", advice } = written({
    ...document,
    paths: { ...paths, ...(document as { paths: object }).paths },
  });
  expect(targetsOf(overlay)).toEqual([
    "$.paths['/ones','/twos'].get.responses['400'].content['application/json'].schema",
  ]);
  expect(advice?.message).toMatch(/^clients see no text of the error schema of ring 400: /);
});

test("reports schemas that no target of the overlay reaches", () => {
  const error = object({ message: text });
  const document = documentOf({ 400: error }, {}, undefined, { 400: { $ref: "errors.yaml#/Error" } });
  const files = { "errors.yaml": JSON.stringify({ Error: error }) };
  const found = declareErrors(restDocument(document, files), "overlay.yaml", false);
  expect(targetsOf(found.text ?? "")).toEqual([
    "$.paths['/ones'].get.responses['400'].content['application/json'].schema",
  ]);
  expect(found.advice[0]?.message).toMatch(/^clients see no text of the error schema of listTwos 400: /);
});

test("advises on the actions if the document has an overlay", () => {
  const schemas = { Gone: object({ error: text }), Odd: object({ id: text }) };
  const document = documentOf(
    { 404: ref("Gone"), 409: object({ message: text }), 422: ref("Odd") },
    { schemas },
  );
  const { text: overlay, advice } = written(document, true);
  expect(overlay).toBeUndefined();
  expect(advice?.message).toMatch(
    /^clients see no text of 3 error schemas \(Gone, Odd\), such as that of listOnes 404: /,
  );
  const [line, ...lines] = overlayLines(advice ? [advice] : [], "overlay.yaml", true);
  expect(line).toMatch(/^mend it: {3}add to the actions of spec\/overlay\.yaml/);
  const actions = parse(lines.join("\n"));
  const whole = JSON.stringify({ overlay: "1.0.0", info: { title: "t", version: "1" }, actions });
  expect(shownBy(document, whole)[0]).toEqual([
    { statuses: ["404"], message: "error" },
    { statuses: ["409"], message: "message" },
  ]);
});

test.each([
  ["errors", object({ error: text, errors: { type: "object" } }), { message: "error", list: "errors" }],
  [
    "error.details",
    object({ error: object({ message: text, details: { type: "object" } }) }),
    { message: "error.message", list: "error.details" },
  ],
  ["errors", object({ errors: { type: "object" } }), { list: "errors" }],
])(
  "the advice for %s, an object without properties, declares lists of texts by field",
  (list, error, shown) => {
    const document = documentOf({ 422: ref("Refusal") }, { schemas: { Refusal: error } });
    const { text: overlay, advice } = declareErrors(restDocument(document), "overlay.yaml", false);
    const [line, ...lines] = overlayLines(advice, "overlay.yaml", true);
    expect(line).toMatch(/^mend it: {3}add to the actions of spec\/overlay\.yaml/);
    expect(advice.at(-1)?.message).toMatch(`clients see no text of "${list}" of listOnes 422, because`);
    const given = overlay === undefined ? [] : parse(overlay).actions;
    const actions = [...given, ...parse(lines.join("\n"))];
    const whole = JSON.stringify({ overlay: "1.0.0", info: { title: "t", version: "1" }, actions });
    expect(shownBy(document, whole)[0]).toEqual([{ statuses: ["422"], ...shown, isMap: true }]);
  },
);

test.each([
  ["declared properties", { type: "object", properties: { name: text } }],
  ["declared texts", { type: "object", additionalProperties: list(text) }],
  ["another type", text],
])("no advice is given for errors with %s", (_what, errors) => {
  expect(written(documentOf({ 422: object({ message: text, errors }) })).advice).toBeUndefined();
});
