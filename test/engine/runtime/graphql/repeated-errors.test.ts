/** One error for one failed call: which nulls it stands for. */
import { expect, test } from "vitest";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { groupErrors, withNullCount } from "../../../../src/engine/runtime/graphql/errors/group-errors.ts";

const failure = new CodedError("UPSTREAM_UNAVAILABLE", "down");
const extensionsOf = (...paths: (string | number)[][]): unknown[] =>
  groupErrors(paths.map((path) => ({ originalError: failure, path }))).map(
    (group) => withNullCount({ message: "", extensions: {} }, group).extensions,
  );

test("the indexes of one list are ranges, in order", () => {
  const at = (index: number) => ["rows", index, "owner"];
  expect(extensionsOf(at(3), at(0), at(1), at(2), at(7))).toEqual([{ places: 5, indexes: ["0-3", "7"] }]);
  expect(extensionsOf(at(3))).toEqual([{}]);
});

test("below another list its index precedes the range, and other fields are other errors", () => {
  const at = (row: number, cell: number) => ["rows", row, "cells", cell, "owner"];
  expect(extensionsOf(at(2, 1), at(2, 0), at(10, 0), ["owner"])).toEqual([
    { places: 3, indexes: ["2.0-1", "10.0"] },
    {},
  ]);
});

test("calls of each parent that fail alike are one error, and others are errors of their own", () => {
  const failures = [
    new CodedError("UPSTREAM_ERROR", "getOwner: it failed", { operation: "getOwner" }),
    new CodedError("UPSTREAM_ERROR", "getOwner: it failed", { operation: "getOwner" }),
    new CodedError("RATE_LIMITED", "getOwner: too many", { operation: "getOwner", retryAfter: 1 }),
    new CodedError("RATE_LIMITED", "getOwner: too many", { operation: "getOwner", retryAfter: 2 }),
    new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer lacks a required key"),
    new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer lacks a required key"),
    new TypeError("a fault of ours"),
    new TypeError("a fault of ours"),
    new CodedError("CALL_LIMIT", "at most 50 calls", { limit: "MAX_CALLS", value: 50 }),
    new CodedError("CALL_LIMIT", "at most 50 calls", { limit: "MAX_CALLS", value: 50 }),
  ];
  const errors = failures.map((originalError, index) => ({ originalError, path: ["rows", index, "owner"] }));
  expect(groupErrors(errors).map((group) => group.map(({ path }) => path[1]))).toEqual([
    [0, 1],
    [2],
    [3],
    [4],
    [5],
    [6],
    [7],
    [8, 9],
  ]);
});

test("many ranges end early, and the number of places stays", () => {
  const paths = Array.from({ length: 150 }, (_, index) => ["rows", 2 * index, "owner"]);
  const [{ places, indexes }] = extensionsOf(...paths) as [{ places: number; indexes: string[] }];
  expect([places, indexes.length, indexes.at(-1)]).toEqual([150, 100, "198"]);
});
