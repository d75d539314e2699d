/**
 * The most expensive documents within the limits. None costs much more than the parsing of a body of MAX_BODY_BYTES. A
 * refused document costs next to nothing the second time. The bounds are ten times what was seen on a busy machine.
 */

import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { processorMs } from "../../../support/cost.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");

let server: FastifyInstance;
/** The milliseconds of JSON.parse for a body of 1 MiB. */
let parsing = 0;
beforeAll(async () => {
  server = await createGraphql(configure({ NODE_ENV: "production" }), api);
  const body = `{${Array.from({ length: 90_000 }, (_, index) => `"k${index}":0`).join()}}`;
  parsing = await processorMs(() => JSON.parse(body), 5);
});
afterAll(() => server.close());
/** The milliseconds that each refused document took. */
const costs: { first: number; again: number }[] = [];

const post = (query: string) => server.inject({ method: "POST", url: "/v1/graphql", payload: { query } });

test.each<[name: string, query: string]>([
  ["ids", `{ me { ${times(4900, () => "id")} } }`],
  ["authors", `{ message(id: "1") { ${times(700, () => "author { __typename }")} } }`],
  [
    "authors inline",
    `{ message(id: "1") { ${times(500, () => "... on Message { author { __typename } }")} } }`,
  ],
  ["nested", `{ ${times(20, () => `conversation(id: "1") { ${times(40, () => "contact { id name }")} }`)} }`],
  [
    "contacts100",
    `{ message(id: "1") { ${times(100, () => "author { __typename ... on Contact { id } }")} } }`,
  ],
  [
    "inline iface",
    `{ message(id: "1") { author { ${times(600, (i) => `... on ${["Agent", "Contact", "AgentAuthor", "ContactAuthor"][i % 4]} { __typename }`)} } } }`,
  ],
  [
    "fragments spread",
    `{ me { ${times(99, (i) => `...F${i}`)} } } ${times(99, (i) => `fragment F${i} on IdentityProfile { id email tenantId roles ...F${(i + 1) % 99 > i ? i + 1 : 98} }`)}`,
  ],
  [
    "fragments wide",
    `{ me { ${times(99, (i) => `...F${i}`)} } } ${times(99, (i) => `fragment F${i} on IdentityProfile { ${times(40, () => "id")} }`)}`,
  ],
  ["big list literal", `{ contacts(q: [${times(4900, () => "1")}]) { id } }`],
  ["big obj literal", `{ contacts(q: {${times(1600, (i) => `a${i}: 1`)}}) { id } }`],
  ["deep list literal", `{ contacts(q: ${"[".repeat(2400)}${"]".repeat(2400)}) { id } }`],
  ["deep obj literal", `{ contacts(q: ${"{a:".repeat(1200)}1${"}".repeat(1200)}) { id } }`],
  ["vars unused", `query (${times(1200, (i) => `$v${i}: Int`)}) { __typename }`],
  ["vars bad type", `query (${times(1200, (i) => `$v${i}: Nope${i}`)}) { __typename }`],
  ["vars same", `query (${times(1200, () => `$v: Int`)}) { __typename }`],
  ["vars undefined", `{ contacts(q: [${times(2400, (i) => `$v${i}`)}]) { id } }`],
  ["vars directives", `query (${times(700, (i) => `$v${i}: Int @skip(if: true)`)}) { __typename }`],
  ["comments", `{ __typename ${times(4000, () => `#${"c".repeat(15)}\n`)} }`],
  ["block string", `{ contacts(q: """${"\n  a".repeat(4990)}""") { id } }`],
  ["block string2", `{ contacts(q: 1 ${times(300, () => `q: """${"a\n".repeat(16)}"""`)}) { id } }`],
  [
    "long string wrong",
    `{ metrics(from: ${JSON.stringify("x".repeat(95000))}, to: 1, key: 2) { __typename } }`,
  ],
  ["did you mean", `{ agentsConnection(kind: "${"Did you mean ".repeat(7000)}") { __typename } }`],
  ["dup args", `{ contacts(${times(1600, () => "q: 1")}) { id } }`],
  ["unknown args", `{ contacts(${times(1600, (i) => `a${i}: 1`)}) { id } }`],
  ["unknown fields", `{ me { ${times(1200, (i) => `emali${i}`)} } }`],
  [
    "args differ",
    `{ conversation(id: "1") { ${times(49, (i) => `contact { conversations(first: ${i}) { id } }`)} } }`,
  ],
  ["same arg lists", `{ ${times(20, () => `contacts(q: [${times(200, () => "1")}]) { id }`)} }`],
  ["same arg objs", `{ ${times(20, () => `contacts(q: {${times(70, (i) => `b${i}: 1`)}}) { id }`)} }`],
  ["inline nested", `{ me { ${"... { ".repeat(110)} id ${"} ".repeat(110)} } }`],
  ["inline empty", `{ me { ${times(1200, () => "... { id }")} } }`],
  ["unknown directives", `{ me { id ${times(49, (i) => `@a${i}`)} } }`],
  ["unknown fragments", `{ me { ${times(2_000, (i) => `...F${i}`)} } }`],
  ["unknown fragments, few", `{ me { ${times(600, (i) => `...F${i}`)} } }`],
  [
    "frag types unknown",
    `{ me { id } } ${times(99, (i) => `fragment F${i} on Nope${i} { ${times(10, () => "id")} }`)}`,
  ],
  [
    "frag vs frag",
    `{ me { ${times(60, (i) => `...F${i}`)} } } ${times(60, (i) => `fragment F${i} on IdentityProfile { ${times(30, (j) => ["id", "email", "tenantId", "roles", "permissions", "features"][j % 6] as string)} }`)}`,
  ],
  [
    "nested frags",
    `{ conversation(id: "1") { ${times(40, (i) => `...F${i}`)} } } ${times(40, (i) => `fragment F${i} on Conversation { status priority subject ... on Conversation { status ... on Conversation { priority } } }`)}`,
  ],
  ["50 ops", times(99, (i) => `query Q${i} { me { ${times(40, () => "id")} } }`)],
  [
    "50 ops frags",
    `${times(50, (i) => `query Q${i} { me { ...F0 } }`)} ${times(49, (i) => `fragment F${i} on IdentityProfile { id ...F${i + 1} ...F${i + 1} ...F${i + 1} }`)} fragment F49 on IdentityProfile { id }`,
  ],
  ["syntax err", `{ me { ${times(4900, () => "id")} `],
  ["punct", "{".repeat(4990)],
  ["100 x id", `{ me { ${times(100, () => "id")} } }`],
])("%s", async (_name, query) => {
  let spaces = 0;
  const first = await processorMs(() => post(query + " ".repeat(spaces++)), 3);
  expect(first / parsing, "the first time, in parsings of a body").toBeLessThan(3);
  const { statusCode, body } = await post(query);
  expect(body.length).toBeLessThan(50_000);
  expect(body).not.toMatch(/Did you mean \S+ "/);
  if (statusCode === 200) return;
  costs.push({ first, again: await processorMs(() => post(query), 3) });
  const withoutId = (text: string): string => text.replaceAll(/"requestId":"[^"]*"/g, "");
  expect(withoutId((await post(query)).body)).toBe(withoutId(body));
});

test("the same documents, refused once more, cost a fraction of it", () => {
  const sum = (times: number[]): number => times.reduce((all, one) => all + one, 0);
  expect(costs.length).toBeGreaterThan(20);
  expect(sum(costs.map(({ again }) => again))).toBeLessThan(sum(costs.map(({ first }) => first)) / 2);
});

test.each([
  "{ agentsConnection(kind: HUMA) { nodes { id } } }",
  '{ agentsConnection(kind: "HUMAN") { nodes { id } } }',
  "{ me }",
  "{ me { emal } }",
])("production makes no suggestion: %s", async (query) => {
  expect((await post(query)).body).not.toContain("Did you mean");
});

test("production makes no suggestion for a variable", async () => {
  const query = "query ($kind: AgentKind) { agentsConnection(kind: $kind) { nodes { id } } }";
  const payload = { query, variables: { kind: "HUMA" } };
  const { body } = await server.inject({ method: "POST", url: "/v1/graphql", payload });
  expect(body).toContain("does not exist in");
  expect(body).not.toContain("Did you mean");
});
