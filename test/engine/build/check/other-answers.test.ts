/** An answer with another schema, or in another media type, is one finding, at the line that says so. */
import { expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";

const schema = `type Query {
  box: Box @rest(operation: "box")
}
type Box { width: Int height: Int owner: Owner }
type Owner { id: ID name: String }
`;

type Edits = { readonly box?: string; readonly owner?: string; readonly media?: string };

/** One statement a line. */
function openapi({ box = "Box", owner = "Owner", media = "application/json" }: Edits = {}): string {
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const object = (properties: object): object => ({ type: "object", properties });
  const integer = { type: "integer", format: "int32" };
  const text = { type: "string" };
  const schemas = {
    Box: object({ width: integer, height: integer, owner: ref(owner) }),
    Owner: object({ id: text, name: text }),
    Other: object({ size: integer }),
  };
  const responses = { Box: { description: "ok", content: { [media]: { schema: ref(box) } } } };
  const get = { operationId: "box", responses: { 200: { $ref: "#/components/responses/Box" } } };
  return JSON.stringify(
    {
      ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
      ...{ paths: { "/box": { get } }, components: { responses, schemas } },
    },
    null,
    1,
  );
}

/** Each finding as its rule and its coordinates, and the lines of both documents that it shows. */
const told = (edits: Edits) => {
  const [base, head] = [openapi(), openapi(edits)].map((text) => text.split("\n"));
  return stepFindings(schema, openapi(), openapi(edits)).map(({ rule, coordinates, places }) => ({
    rule,
    coordinates,
    lines: places.flatMap(({ role, line }) => {
      const lines = role === "rest" ? head : base;
      return role === "schema" ? [] : [`${role} ${lines?.[line - 1]?.trim().replaceAll(/[",]/g, "")}`];
    }),
  }));
};

test("the response of an operation has another schema", () => {
  expect(told({ box: "Other" })).toEqual([
    {
      rule: "property-missing",
      coordinates: ["Box.width", "Box.height", "Box.owner"],
      lines: ["rest $ref: #/components/schemas/Other", "base rest $ref: #/components/schemas/Box"],
    },
  ]);
});

test("a property below the answer has another schema", () => {
  expect(told({ owner: "Other" })).toEqual([
    {
      rule: "property-missing",
      coordinates: ["Owner.id", "Owner.name"],
      lines: ["rest $ref: #/components/schemas/Other", "base rest $ref: #/components/schemas/Owner"],
    },
  ]);
});

test("a shared answer has another media type", () => {
  expect(told({ media: "application/xml" })).toEqual([
    {
      rule: "operation-no-json",
      coordinates: ["Query.box"],
      lines: ["rest content: {", "base rest application/json: {"],
    },
  ]);
});
