/** The names that `npm run propose` gives where names of REST are alike, in any schema. */
import { expect, test } from "vitest";
import { proposed } from "./proposed.ts";

/** A document whose names are one name in GraphQL: reactions, cases of one word, a parameter in two places. */
const alike = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/reactions/{id}": {
      get: {
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "id", in: "query", schema: { type: "string" } },
          { name: "input", in: "query", schema: { type: "string" } },
        ],
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Reactions" } } },
          },
        },
      },
      put: {
        operationId: "get_reactions",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "input", in: "query", schema: { type: "string" } },
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Reactions" } } },
        },
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/reactions" } } },
          },
        },
      },
    },
    "/Reactions": { put: { operationId: "getReactions", responses: { 204: { description: "ok" } } } },
  },
  components: {
    schemas: {
      Reactions: {
        type: "object",
        properties: {
          "+1": { type: "integer", format: "int32" },
          "-1": { type: "integer", format: "int32" },
          user_id: { type: "string" },
          userId: { type: "string" },
          $: { type: "string" },
          "": { type: "string" },
          kind: { type: "string", enum: ["+1", "-1", "a-b", "a_b", "", "?"] },
        },
      },
      reactions: { type: "object", properties: { a: { type: "string" } } },
    },
  },
});

test("propose needs no field, and makes no name twice; what it prints is a schema that passes check", async () => {
  const operations = ["GET /reactions/{id}", "get_reactions", "getReactions"];
  for (const schema of ["", "# nothing yet\n", "type Query", "type Query {\n}\n"]) {
    const out = await proposed(alike, operations, schema);
    expect(out).toContain("  reactionsId(\n");
    expect(out).toMatch(/plus1: Int\n {2}minus1: Int\n {2}userId: ID @restName\(name: "user_id"\)/);
  }
});
