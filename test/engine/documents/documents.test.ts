/**
 * A small real document: every operation is proposed, and binds alone and together. `test/engine/build/codegen/type-check.test.ts`
 * type-checks its proposals.
 */
import assert from "node:assert/strict";
import { buildSchema } from "graphql";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { AnswerCheck } from "./answer-check.ts";
import { compareValues } from "./compare-values.ts";
import { galaxyProposals, galaxy as text } from "./galaxy.ts";
import { Oracle } from "./oracle/oracle.ts";
import { proposalsOf } from "./proposals.ts";
import { Reasons } from "./reasons.ts";

const { groups, ...counts } = galaxyProposals();
const [group] = groups;

test("every operation of Scalar Galaxy is proposed, and all proposals bind together", () => {
  expect(counts).toMatchObject({ operations: 9, proposed: 9, alone: 9, together: 9, failures: [] });
});

test("a sample of mutations alone takes a read, because a schema needs a query", () => {
  const { paths, ...others } = parse(text);
  const post = paths["/user/signup"] ?? {};
  const get = paths["/planets"];
  const mixed = stringify({ ...others, paths: { "/user/signup": post, "/planets": { get: get.get } } });
  const found = proposalsOf((name) => (name === "openapi.yaml" ? mixed : undefined), 1);
  expect(found).toMatchObject({ operations: 2, together: 2, failures: [] });
  expect(found.groups[0]?.schema).toMatch(/^type Query /m);
});

test("an answer that the document does not allow is one, and one that it allows is not", () => {
  const check = new AnswerCheck(parse(text));
  const planet = { id: 1, name: "Mars", type: "terrestrial" };
  expect(check.breach("getPlanet", 200, planet)).toBeUndefined();
  expect(check.breach("getPlanet", 200, { ...planet, name: null })).toBe("body/name must be string");
  const owner = { type: "object", properties: { name: { type: "string" } } };
  const schema = { nullable: true, allOf: [{ $ref: "#/components/schemas/Owner", enum: [1] }] };
  const content = { "application/json": { schema } };
  const older = new AnswerCheck({
    openapi: "3.0.3",
    paths: { "/a": { get: { responses: { "2XX": { content } } } } },
    components: { schemas: { Owner: owner } },
  });
  expect(older.success("GET /a")).toBeUndefined();
  expect(check.success("getPlanet")).toBe("200");
  for (const value of [null, { name: "a" }]) expect(older.breach("GET /a", 200, value)).toBeUndefined();
  expect(older.breach("GET /a", 200, { name: null })).toMatch(/body\/name must be string/);
});

test("a request is a call of the operation whose path fits with the fewest parameters", () => {
  const operation = { get: { responses: {} } };
  const check = new AnswerCheck({
    openapi: "3.0.3",
    paths: { "/a/{id}": operation, "/a/me": operation, "/a/{id}/b": { post: { responses: {} } } },
  });
  const called = (request: string) =>
    ["GET /a/{id}", "GET /a/me", "POST /a/{id}/b"].filter((each) => check.isCall(each, request));
  expect(called("GET /a/1?b=2")).toEqual(["GET /a/{id}"]);
  expect(called("GET /a/me")).toEqual(["GET /a/me"]);
  expect(called("POST /a/me/b")).toEqual(["POST /a/{id}/b"]);
  expect(called("GET /a/1/b")).toEqual([]);
});

test("a value below a link is held against the response of the link's operation", () => {
  const schema = buildSchema(`
    directive @rest(operation: String!, result: String) on FIELD_DEFINITION
    type Query { planet: Planet @rest(operation: "planet", result: "data") }
    type Planet { name: String moons: [Moon!] @rest(operation: "moons") }
    type Moon { name: String }
  `);
  const field = schema.getQueryType()?.getFields().planet;
  assert(field);
  const bodies: Record<string, unknown> = {
    planet: { data: { name: "Mars", moons: "none" } },
    moons: [{ name: "Phobos" }],
  };
  const wrong = (shown: unknown) =>
    compareValues({ schema, calls: { body: (operation) => bodies[operation] } }, field, { shown }, 5)
      .filter(({ isRight }) => !isRight)
      .map(({ operation, path }) => `${operation}: ${path}`);
  expect(wrong({ name: "Mars", moons: [{ name: "Phobos" }] })).toEqual([]);
  expect(wrong({ name: "Phobos", moons: [{ name: "Mars" }] })).toEqual([
    "planet: planet.name",
    "moons: planet.moons.0.name",
  ]);
  expect(wrong({ name: "Mars", moons: [] })).toContain("moons: planet.moons.length");
});

test("reasons of one kind are one row, and what no field can show is counted", () => {
  const reasons = new Reasons();
  const failures = [
    { operation: "a", reason: "it answers with a redirect, so no field can show it" },
    { operation: "b", reason: "alone: output-type: Query.b is a|b" },
    { operation: "c", reason: "together: output-type: Query.c is c" },
  ];
  const differing = { operation: "d", kind: "the values differ", text: "d is 1 and not 2", values: 2 };
  const served = { served: 2, generated: 0, values: 9, right: 5, reasons: [differing, differing] };
  reasons.add("One", { failures, typeErrors: [], served });
  reasons.add("Two", {
    failures: [],
    typeErrors: ["x.ts: wrong"],
    served: { ...served, reasons: [differing] },
  });
  expect(reasons.unshowable).toBe(1);
  expect(reasons.rows).toEqual([
    [`not proposed: ${failures[0]?.reason}`, "1", "0", "One", `a: ${failures[0]?.reason}`],
    ["not bound alone: output-type", "1", "0", "One", "b: alone: output-type: Query.b is a\\|b"],
    ["not bound together: output-type", "1", "0", "One", "c: together: output-type: Query.c is c"],
    ["the values differ", "3", "6", "One, Two", "d: d is 1 and not 2"],
    ["does not type-check", "1", "0", "Two", "x.ts: wrong"],
  ]);
});

test("the oracle of the histories reports a change, and nothing where nothing changed", () => {
  const document = parse(text);
  const changed = parse(text);
  changed.components.schemas.Planet.properties.name = { type: ["string", "null"] };
  expect([...new Oracle(group?.schema ?? "", document, parse(stringify(document))).changed]).toEqual([]);
  expect([...new Oracle(group?.schema ?? "", document, changed).changed]).toContain("Planet.name");
});
