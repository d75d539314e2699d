/** The schema coordinates that an operation depends on. */
import { buildSchema, parse } from "graphql";
import { expect, test } from "vitest";
import { selectedCoordinates } from "../../../src/engine/shared/selected-coordinates.ts";

test("a selected field of an interface counts for every object type that implements it, with its arguments", () => {
  const schema = buildSchema(`
    interface Node { owner(limit: Int, by: By, all: Boolean = false): String }
    type Thing implements Node { owner(limit: Int, by: By, all: Boolean = false, own: Int = 1): String }
    input By { name: String }
    type Query { node: Node }
  `);
  const document = parse("query Q($by: By) { node { owner(limit: 1, by: $by) } }");
  expect([...selectedCoordinates(schema, document)].sort()).toEqual([
    "By.name",
    "Node.owner",
    "Node.owner(all:)",
    "Node.owner(by:)",
    "Node.owner(limit:)",
    "Query.node",
    "Thing.owner",
    "Thing.owner(all:)",
    "Thing.owner(by:)",
    "Thing.owner(limit:)",
    "Thing.owner(own:)",
  ]);
});
