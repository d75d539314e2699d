/** The ledger: operations by name and by pattern, and entries that stand for nothing. */
import { expect, test } from "vitest";
import type { Finding } from "../../../../src/engine/build/check/report.ts";
import { restOnlyFindings } from "../../../../src/engine/build/check/rest-only.ts";
import { validProject } from "./mutations/pair.ts";

const operation = (tag: string, id?: string): object => ({
  tags: [tag],
  ...(id !== undefined && { operationId: id }),
  responses: { 200: { description: "ok", content: { "application/json": { schema: { type: "string" } } } } },
});

const openapi = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/pets": { get: operation("pets", "listPets"), post: operation("pets", "addPet") },
    "/admin/users": { get: operation("users", "listUsers"), delete: operation("users") },
    "/admin/keys": { get: operation("keys", "list*keys") },
  },
});
const schema = 'type Query { pets: String @rest(operation: "listPets") }';

/** The findings of a ledger, and the operations that it leaves undecided. */
const judged = (ledger: Record<string, string>): string[] =>
  findingsOf(ledger).map(({ rule, coordinate }) => `${rule} ${coordinate}`);

function findingsOf(ledger: Record<string, string> | undefined, document = openapi): Finding[] {
  const files = {
    "openapi.yaml": document,
    "schema.graphql": schema,
    ...(ledger && { "rest-only.yaml": JSON.stringify(ledger) }),
  };
  return restOnlyFindings(validProject(new Map(Object.entries(files))));
}

const undecided = (...ids: string[]): string[] => ids.map((id) => `operation-undecided ${id}`);

test("without the file there is no ledger, and no operation needs a field", () => {
  expect(findingsOf(undefined)).toEqual([]);
  expect(findingsOf({})).not.toEqual([]);
});

test("a hint's command line takes each operation as one word", () => {
  const commands = findingsOf({}).map(({ hint }) => /npm run propose -- (.*?)\)/.exec(hint)?.[1]);
  expect(commands).toEqual(["addPet", "listUsers", "'DELETE /admin/users'", "'list*keys'"]);
});

test("without entries, every operation without a field is undecided", () => {
  expect(judged({})).toEqual(undecided("addPet", "listUsers", "DELETE /admin/users", "list*keys"));
});

test.each<[string, string[]]>([
  ["addPet", ["listUsers", "DELETE /admin/users", "list*keys"]],
  ["DELETE /admin/users", ["addPet", "listUsers", "list*keys"]],
  ["GET /admin/users", ["addPet", "DELETE /admin/users", "list*keys"]],
  ["tag:users", ["addPet", "list*keys"]],
  ["/admin/*", ["addPet"]],
  ["add*", ["listUsers", "DELETE /admin/users", "list*keys"]],
  ["DELETE *", ["addPet", "listUsers", "list*keys"]],
  ["*", []],
  // a pattern may take operations that have a field beside others
  ["tag:pets", ["listUsers", "DELETE /admin/users", "list*keys"]],
  // an operation of that very name comes before the pattern
  ["list*keys", ["addPet", "listUsers", "DELETE /admin/users"]],
])("%s decides on its operations and no others", (key, left) => {
  expect(judged({ [key]: "why" })).toEqual(undecided(...left));
});

test("more than five undecided operations are one finding, which offers entries that settle exactly these", () => {
  const document = JSON.parse(openapi);
  for (const name of ["a", "b"]) document.paths[`/${name}`] = { get: operation(name, name) };
  const findings = findingsOf({}, JSON.stringify(document));
  expect(findings).toMatchObject([
    {
      rule: "operation-undecided",
      coordinate: "addPet",
      message:
        "6 REST operations have no GraphQL field, and no entry in spec/rest-only.yaml: addPet, listUsers, DELETE /admin/users, list*keys, a, b",
      hint: 'add fields (npm run propose), or entries to spec/rest-only.yaml: "/admin/*": <reason>, "addPet": <reason>, "a": <reason>, "b": <reason>',
    },
  ]);
  const entries = { "/admin/*": "why", addPet: "why", a: "why", b: "why" };
  expect(findingsOf(entries, JSON.stringify(document))).toEqual([]);
});

test("a vendor's 83 new operations are settled by the one pattern that the finding offers", () => {
  const document = JSON.parse(openapi);
  for (let number = 0; number < 83; number++)
    document.paths[`/v2/new/${number}`] = { get: operation("new", `new${number}`) };
  const rest = { "tag:users": "why", addPet: "why", "tag:keys": "why" };
  const [finding, ...others] = findingsOf(rest, JSON.stringify(document));
  expect(others).toEqual([]);
  expect(finding?.hint).toMatch(/rest-only\.yaml: "tag:new": <reason>$/);
  expect(findingsOf({ ...rest, "tag:new": "why" }, JSON.stringify(document))).toEqual([]);
});

test("an entry without a reason, for nothing, or for what has a field by now is a finding", () => {
  const rest = { "tag:users": "why", addPet: "why", "/admin/keys": "why" };
  expect(judged({ "*": "" })).toEqual(["ledger-reason *"]);
  expect(
    judged({ ...rest, "tag:Users": "why", "/v2/*": "why", nothing: "why", listPets: "why", "*Pets": "why" }),
  ).toEqual([
    ...undecided("list*keys"),
    "ledger-unknown /admin/keys",
    "ledger-unknown tag:Users",
    "ledger-unknown /v2/*",
    "ledger-unknown nothing",
    "ledger-bound listPets",
    "ledger-bound *Pets",
  ]);
});
