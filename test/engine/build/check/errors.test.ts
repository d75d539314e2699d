/** Edits of the errors of REST, and the fields whose messages they change. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";
import { edited } from "./run.ts";

const folder = join(import.meta.dirname, "../codegen/cases/refusals");
const openapi = readFileSync(join(folder, "openapi.yaml"), "utf8");
const schema = readFileSync(join(folder, "schema.graphql"), "utf8");

/** The findings of an edit: the rule, what it says, the fields, and the line of the document that it points at. */
const findingsOf = (...edits: readonly (readonly [from: string, to: string])[]) => {
  const is = edits.reduce((text, [from, to]) => edited(text, from, to), openapi);
  return stepFindings(schema, openapi, is).map(({ rule, message, coordinates }) => [
    rule,
    message,
    coordinates,
  ]);
};

test("an edit of an error's schema names the fields whose messages it changes", () => {
  const article = ["Mutation.createArticle"];
  const schemaOf = (is: string) => [
    [
      "rest-error-changed",
      `schema Problem tells clients ${is} now, it was title, detail, errors (detail, pointer)`,
      article,
    ],
  ];
  expect(findingsOf(["        detail: { type: string }\n", ""])).toEqual(
    schemaOf("title, errors (detail, pointer)"),
  );
  expect(findingsOf(["        detail: { type: string }\n", "        detail: { type: object }\n"])).toEqual(
    schemaOf("title, errors (detail, pointer)"),
  );
  expect(findingsOf(["pointer: { type: string }", "place: { type: string }"])).toEqual(
    schemaOf("title, detail, errors (detail)"),
  );
  const json = 'content: { application/json: { schema: { $ref: "#/components/schemas/Problem" } } }';
  expect(findingsOf([json.replace("json", "problem+json"), json])).toEqual(schemaOf("nothing"));
  expect(findingsOf(['        "409": { $ref: "#/components/responses/Problem" }\n', ""])).toEqual([
    [
      "rest-error-changed",
      "POST /articles documents no body of 409 any more, whose text clients see",
      article,
    ],
  ]);
});

const note = "                      message: { type: string }\n                      errors";

test("a removed member that a declaration names is one finding, an error of the proof", () => {
  expect(findingsOf([note, note.replace("message", "text")])).toEqual([
    [
      "error-mapping",
      'x-error-mapping of the errors of createNote names "error.message", but "error" has no property "message"',
      ["Mutation.createNote"],
    ],
  ]);
});

test("an edit of a declaration changes messages too", () => {
  expect(
    findingsOf(
      [note, note.replace("message", "text")],
      ["{ message: error.message, list", "{ message: error.text, list"],
    ),
  ).toEqual([
    [
      "rest-error-changed",
      "POST /notes answer tells clients error.text, error.errors now, it was error.message, error.errors",
      ["Mutation.createNote"],
    ],
  ]);
  expect(findingsOf(["x-error-mapping: { message: message, list: errors }", "description: None."])).toEqual([
    [
      "rest-error-changed",
      "POST /people answer tells clients nothing now, it was message, errors",
      ["Mutation.createPerson"],
    ],
  ]);
});

test("a 404 that is no longer documented is one finding, although clients saw its text", () => {
  const problem = { type: "object", properties: { detail: { type: "string" } } };
  const thing = { type: "object", properties: { id: { type: "string" } } };
  const document = (responses: object): string =>
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      servers: [{ url: "https://one.example" }],
      paths: {
        "/things/{id}": {
          get: {
            operationId: "getThing",
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
            responses: {
              200: { description: "ok", content: { "application/json": { schema: thing } } },
              ...responses,
            },
          },
        },
      },
    });
  const none = { description: "none", content: { "application/problem+json": { schema: problem } } };
  const sdl = `type Query { thing(id: ID!): Thing @rest(operation: "getThing") }\ntype Thing { id: ID }`;
  const rulesOf = (status: string): string[] =>
    stepFindings(sdl, document({ [status]: none }), document({})).map(({ rule }) => rule);
  expect(rulesOf("404")).toEqual(["rest-not-found-changed"]);
  expect(rulesOf("409")).toEqual(["rest-error-changed"]);
});
