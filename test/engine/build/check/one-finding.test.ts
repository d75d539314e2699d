/** One cause is one finding, also where saved operations feel it; what the base has already is no effect of an edit. */
import { expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { formatText } from "../../../../src/engine/build/check/format/text.ts";
import type { Report } from "../../../../src/engine/build/check/report.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { validProject } from "./mutations/pair.ts";

const answer = (schema: object): object => ({
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});
const user = (...more: string[]): object => ({
  ...{ type: "object", required: ["id", "boss"] },
  properties: Object.fromEntries(["id", "boss", "name", ...more].map((name) => [name, { type: "string" }])),
});
const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const size = { name: "size", in: "query", schema: { type: "integer", format: "int32" } };

const openapi = (...more: string[]): string =>
  JSON.stringify({
    ...{ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [] },
    paths: {
      "/users": {
        get: { operationId: "users", parameters: [size], ...answer({ type: "array", items: user(...more) }) },
      },
      "/users/{id}": { get: { operationId: "user", parameters: [id], ...answer(user(...more)) } },
    },
  });

const schema = `type Query {
  users(size: Int): [User!] @rest(operation: "users")
}
type User {
  id: ID!
  name: String
  boss: User @rest(operation: "user", params: [{ name: "id", from: "parent.boss" }])
}
`;

const operations = `query Names { users { id name boss { name } } all: users(size: 3) { name } }
query Ids { users(size: 2) { id boss { id } } }
`;

const files = (given: Readonly<Record<string, string>> = {}) =>
  new Map(
    Object.entries({
      "openapi.yaml": openapi(),
      "schema.graphql": schema,
      "operations/users.graphql": operations,
      ...given,
    }),
  );

const step = (given: Readonly<Record<string, string>>): Report =>
  examine(new Project(textFiles(files(given))), validProject(files()), "2026-01-01");

/** Each finding with the operations that it names. */
const told = ({ findings }: Report): string[] =>
  findings.map(({ rule, coordinate, operations: named }) =>
    [rule, coordinate, ...named.map(({ name, verdict }) => `${name} ${verdict}`)].join(", "),
  );

const old = "n-plus-one, User.boss";

test.each([
  ["a field that is gone", "  name: String\n", "", "sdl-field-removed, User.name, Names broken"],
  ["a field under another name", "  name:", "  label:", "sdl-field-removed, User.name, Names broken"],
  [
    "an argument that is gone",
    "(size: Int)",
    "",
    "sdl-arg-removed, Query.users(size:), Names broken, Ids broken",
  ],
])("%s is one finding, whatever number of places selects it", (_, from, to, expected) => {
  const report = step({ "schema.graphql": schema.replace(from, to) });
  expect(
    told(report).filter((each) => !/^(?:n-plus-one|binding-changed|property-missing)/.test(each)),
  ).toEqual([expected]);
});

test("a newly required argument breaks the operations that omit it, and no others", () => {
  const needed = schema.replace("users(size: Int)", "users(size: Int, page: Int!)");
  const document = openapi().replace(
    '"parameters":[',
    `"parameters":[${JSON.stringify({ ...size, name: "page" })},`,
  );
  const given = `${operations}query Given { users(page: 1) { id } }`;
  const report = step({
    "schema.graphql": needed,
    "openapi.yaml": document,
    "operations/users.graphql": given,
  });
  expect(told(report).filter((each) => each !== old && !each.startsWith("binding-changed"))).toEqual([
    "sdl-required-arg-added, Query.users(page:), Names broken, Ids broken",
  ]);
});

test("an operation that an approved change breaks has a finding again, with each error once", () => {
  const without = schema.replace("  name: String\n", "");
  const fingerprint = step({ "schema.graphql": without }).findings.find(({ change }) => change)?.fingerprint;
  const entry = {
    fingerprint,
    rule: "sdl-field-removed",
    coordinate: "User.name",
    reason: "r",
    author: "a",
    expires: "2026-02-01",
  };
  const report = step({ "schema.graphql": without, "approvals.yaml": JSON.stringify([entry]) });
  expect(told(report)).toEqual([
    old,
    "saved-operation-invalid, Names, Names broken",
    "sdl-field-removed, User.name, Names broken",
  ]);
});

test("an operation that is wrong by itself has a finding for each error, whatever else changes", () => {
  const wrong = `${operations}query Wrong { users { name colour } }`;
  const report = step({
    "schema.graphql": schema.replace("  name: String\n", ""),
    "operations/users.graphql": wrong,
  });
  expect(report.findings.filter(({ rule }) => rule === "saved-operation-invalid")).toMatchObject([
    { coordinate: "Wrong", message: expect.stringContaining('"colour"') },
  ]);
});

test("a warning that the base has too remains a warning, and affects no operation", () => {
  const report = step({ "openapi.yaml": openapi("email") });
  expect(told(report)).toEqual([old]);
  expect(report.operations.map(({ verdict }) => verdict)).toEqual(["untouched", "untouched"]);
  expect(formatText(report)).toMatch(
    /once per parent: up to \d+ calls below a list; the base has this finding too\n/,
  );
});
