/** The examples of docs/reference/directives.md are valid, and each argument has one. */
import { Kind, parse } from "graphql";
import { expect, test } from "vitest";
import { startProject } from "../../../src/engine/build/init/start-project.ts";
import { bindingDefinitions } from "../../../src/engine/build/schema/directives.ts";
import { restDocument } from "../../engine/build/openapi/rest-document.ts";
import { blocksOf, read, tableOf } from "./page.ts";

const page = read("docs/reference/directives.md");

const books = `openapi: 3.1.0
info: { title: Library, version: "1" }
security: []
paths:
  /books:
    get:
      operationId: listBooks
      parameters:
        - { name: marker, in: query, schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer, format: int32, maximum: 100, default: 20 } }
      responses:
        "200":
          description: A page.
          content:
            application/json:
              schema:
                type: object
                required: [entries]
                properties:
                  entries: { type: array, items: { $ref: "#/components/schemas/Book" } }
                  next_marker: { type: [string, "null"] }
                  total_count: { type: integer, format: int32 }
components:
  schemas:
    Book: { type: object, required: [id], properties: { id: { type: string } } }
`;

test("the connection of docs/reference/mapping.md is what propose prints for its document", () => {
  const [, section = ""] = read("docs/reference/mapping.md").split("\n### Connections\n");
  const { schema: printed } = startProject(restDocument(books), { tag: [], operation: [], query: [] });
  expect(blocksOf(section, "graphql")[0]?.trim()).toBe(printed.trim());
});

/** `@rest(operation:)`, `@restEntries`, `RestParam.from`: what the definitions of the directives let a schema say. */
const sayable = bindingDefinitions.definitions.flatMap((node) => {
  if (node.kind === Kind.DIRECTIVE_DEFINITION)
    return node.arguments?.length
      ? node.arguments.map(({ name }) => `@${node.name.value}(${name.value}:)`)
      : [`@${node.name.value}`];
  return node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
    ? (node.fields ?? []).map(({ name }) => `${node.name.value}.${name.value}`)
    : [];
});

test("directive arguments", () => {
  const rows = tableOf(page, "argument").map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
  expect(rows.map(([name]) => name)).toEqual(sayable);
  for (const [name = "", example = ""] of rows) {
    const argument = /(\w+):?\)?$/.exec(name)?.[1];
    expect(example).toMatch(
      name.startsWith("@") && !name.includes("(") ? name : new RegExp(`\\b${argument}: `),
    );
    expect(() => parse(`type T { field: Int ${example} }`)).not.toThrow();
  }
});
