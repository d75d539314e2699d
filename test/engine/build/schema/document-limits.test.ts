/** Saved operations that are refused before anything works on them. */
import { buildSchema } from "graphql";
import { expect, test } from "vitest";
import { readSavedOperations } from "../../../../src/engine/build/schema/saved-operations.ts";

const schema = buildSchema("type Query { a: String, b: Query }");
const messagesOf = (text: string): string[] =>
  readSavedOperations(schema, new Map([["operations/a.graphql", text]])).diagnostics.map(
    ({ message }) => message,
  );

/** Fragments of which each spreads the next one twice: they unfold to 2 to the power of `count` fields. */
const doubling = (count: number): string =>
  Array.from({ length: count }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`)
    .concat(`fragment F${count} on Query { a }`)
    .join("\n");

test("fragments that unfold to too many fields are a finding", () => {
  expect(messagesOf(`query Q { ...F0 } ${doubling(60)}`)).toEqual([
    "an operation may have at most 10000 fields, with fragments expanded",
  ]);
  expect(messagesOf(`query Q { b { b { ...F0 } } } ${doubling(12)}`)).toEqual([]);
});

test("so are many operations that share a large fragment", () => {
  const many = Array.from({ length: 100 }, (_, at) => `query Q${at} { ...F0 }`).join("\n");
  expect(messagesOf(`${many} ${doubling(12)}`)).toEqual([
    "the operations of a file may have at most 100000 fields, with fragments expanded",
  ]);
});

test("a fragment that spreads itself is a validation error", () => {
  expect(messagesOf("query Q { ...F } fragment F on Query { a ...F }")).toEqual([
    'Cannot spread fragment "F" within itself.',
  ]);
});
