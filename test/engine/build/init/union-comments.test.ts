/** What `restbound init` says of unions whose members cannot be queried together. */
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, validate } from "graphql";
import { expect, test } from "vitest";
import { startProject } from "../../../../src/engine/build/init/start-project.ts";
import { withUnionComments } from "../../../../src/engine/build/init/union-comments.ts";
import { restDocument } from "../openapi/rest-document.ts";

const comment = (...lines: string[]): string =>
  [
    "# One query can select these fields of several members only with aliases. To fix this, give them the same type:",
    "# where only ! differs, remove it, or require the property in the overlay.",
    ...lines,
    "union Either = ",
  ].join("\n");

test.each<[string, string, string, string, string[]]>([
  ["! differs", "id: ID!", "id: ID", "id", ["#   id: ID! (A), ID (B)"]],
  ["a list", "tags: [String!]", "tags: [String]", "tags", ["#   tags: [String!] (A), [String] (B)"]],
  ["a list and an object", "to: [To]", "to: To", "to { id }", ["#   to: [To] (A), To (B)"]],
  ["another scalar", "size: Int", "size: Float", "size", ["#   size: Int (A), Float (B)"]],
  ["an object below", "to: To", "to: Other", "to { id }", ["#   to.id: ID! (A), ID (B)"]],
  [
    "objects that include each other",
    "of: A to: To",
    "of: B to: Other",
    "to { id }",
    ["#   to.id: ID! (A), ID (B)"],
  ],
  ["one type", "id: ID!", "id: ID!", "id", []],
  ["objects without a field in common", "to: To", "to: Third", "to { __typename }", []],
])("a comment names the fields that graphql refuses: %s", (_, a, b, selection, lines) => {
  const sdl = `type Query { either: Either }
union Either = A | B
type A { ${a} }
type B { ${b} }
type To { id: ID! }
type Other { id: ID }
type Third { name: String! }
`;
  const schema = buildSchema(sdl);
  const query = parse(`{ either { ... on A { ${selection} } ... on B { ${selection} } } }`);
  expect(validate(schema, query, [OverlappingFieldsCanBeMergedRule]).length).toBe(lines.length);
  const written = withUnionComments(sdl, schema);
  expect(written).toBe(lines.length === 0 ? sdl : sdl.replace("union Either = ", () => comment(...lines)));
  expect(() => buildSchema(written)).not.toThrow();
});

test("three members are one line", () => {
  const sdl = `type Query { either: Either }
"""Described."""
union Either = A | B | C
type A { id: ID! }
type B { id: ID }
type C { id: ID! }
`;
  expect(withUnionComments(sdl, buildSchema(sdl))).toContain(
    `"""Described."""\n${comment("#   id: ID! (A, C), ID (B)")}`,
  );
});

test("init writes the comment", () => {
  const member = (kind: string, required: string[]) => ({
    type: "object",
    required: ["kind", ...required],
    properties: { kind: { type: "string", enum: [kind] }, id: { type: "string" }, name: { type: "string" } },
  });
  const schema = { oneOf: ["Cat", "Dog"].map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  const { schema: written } = startProject(
    restDocument({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      security: [],
      paths: {
        "/pet": {
          get: {
            operationId: "getPet",
            responses: { 200: { description: "d", content: { "application/json": { schema } } } },
          },
        },
      },
      components: { schemas: { Cat: member("cat", ["id"]), Dog: member("dog", []) } },
    }),
    { tag: [], operation: [], query: [] },
  );
  expect(written).toMatch(/^# {3}id: ID! \(Cat\), ID \(Dog\)\nunion \w+ = Cat \| Dog$/m);
});
