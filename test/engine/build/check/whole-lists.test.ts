/** What `check`, the call costs and `explain` say of links that are looked up in a whole list. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callCost, listCalls } from "../../../../src/engine/build/bind/call-cost.ts";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { explain } from "../../../../src/engine/build/explain/explain.ts";
import { validProject } from "./mutations/pair.ts";
import { edited } from "./run.ts";

const folder = join(import.meta.dirname, "../codegen/cases/whole-lists");
const [schema, openapi] = ["schema.graphql", "openapi.yaml"].map((name) =>
  readFileSync(join(folder, name), "utf8"),
) as [string, string];
const saved = `query Tickets { tickets { id agent { id mates { id } } watchers { id } } agents { id } }
query Labels { accounts { tickets { label { color } } } }
`;

function snapshot(ofDocument = openapi, ofSchema = schema) {
  const files = { "schema.graphql": ofSchema, "openapi.yaml": ofDocument, "operations/saved.graphql": saved };
  return validProject(new Map(Object.entries(files)));
}

const team = "{ name: team, in: query, schema: { type: string } }";
const links = ["Ticket.agent", "Ticket.watchers", "Agent.mates", "Query.agents"];

test.each([
  [
    "gets pages",
    team,
    `${team}, { name: limit, in: query, schema: { type: integer } }`,
    "batch-paged",
    links,
  ],
  [
    "gets pages that have a default length",
    team,
    `${team}, { name: n, in: query, schema: { type: integer, default: 9 } }`,
    "batch-paged",
    links,
  ],
  [
    "says that there is more",
    "required: [data]\n                properties:",
    "properties:\n                  has_more: { type: boolean }",
    "batch-paged",
    links,
  ],
  [
    "may leave the key out",
    "required: [id, team]",
    "required: [team]",
    "batch-match",
    ["Ticket.agent", "Ticket.watchers", "Agent.id"],
  ],
  [
    "has the key as another type",
    "{ id: { type: string }, team",
    "{ id: { type: boolean }, team",
    "batch-match",
    ["Ticket.agent", "Ticket.watchers", "Agent.id"],
  ],
])(
  "a list that %s is told once, with all links and saved operations that it breaks",
  (_, from, to, rule, broken) => {
    const { changes } = examine(snapshot(edited(openapi, from, to)), snapshot(), "2026-01-01");
    expect(changes).toMatchObject([
      { rule, class: "breaking", coordinates: broken, operations: [{ name: "Tickets" }] },
    ]);
  },
);

test.each([
  ["page", [{ rule: "rest-list-paged", class: "dangerous", coordinates: ["Query.tickets"] }]],
  ["colour", []],
])("a list that a field shows whole, and that gets the parameter %s", (name, told) => {
  const at = "operationId: listTickets\n";
  const parameters = `      parameters: [{ name: ${name}, in: query, schema: { type: integer } }]\n`;
  const head = snapshot(edited(openapi, at, at + parameters));
  const { changes } = examine(head, snapshot(), "2026-01-01");
  expect(changes).toMatchObject(told);
  expect(changes.map(({ message }) => message)).toEqual(
    told.map(
      () =>
        `GET /tickets may return a page now instead of the whole list: it has the query parameter "${name}"`,
    ),
  );
});

test("another key of the parent is a change of the binding", () => {
  const other = edited(schema, 'from: "parent.agent_id"', 'from: "parent.id"');
  const { changes } = examine(snapshot(openapi, other), snapshot(), "2026-01-01");
  expect(changes).toMatchObject([
    {
      rule: "binding-changed",
      message: expect.stringContaining("listAgents.data(id: parent.id, …), it was"),
    },
  ]);
});

test("a list is one call, whatever the number of parents and of links that are looked up in it", () => {
  const { model, saved: operations } = snapshot();
  const [tickets, labels] = operations;
  if (!tickets || !labels) throw new Error("no operations");
  expect(callCost(model, tickets)).toEqual({ typical: 3, worst: 3 });
  const calls = listCalls(model, labels).map(({ path, calls: { typical, worst } }) => [path, typical, worst]);
  expect(calls).toEqual([
    ["accounts", 1, 1],
    ["accounts[].tickets[].label", 10, 100],
  ]);
  const lines = explain(model, operations, "Tickets").filter((line) =>
    /^\w|all keys|call\b.*parents|the call/.test(line),
  );
  expect(lines).toEqual([
    "query Tickets (spec/operations/saved.graphql:1)",
    "3 REST calls",
    "tickets  (Query.tickets)",
    "tickets[].agent  (Ticket.agent)",
    "  looked up by id: all keys in one call, one object per key",
    "  1 REST call, for 10 parents, at worst 100",
    "tickets[].agent.mates  (Agent.mates)",
    "  looked up by team: all keys in one call, one list per key",
    "  1 REST call, for 10 parents, at worst 100",
    "tickets[].watchers  (Ticket.watchers)",
    "  looked up by id: all keys in one call, an object for each of the parent's keys",
    "  the call of tickets[].agent.mates, for 10 parents, at worst 100",
    "agents  (Query.agents)",
    "  the call of tickets[].agent.mates",
  ]);
  expect(explain(model, [], "Ticket.watchers").at(-1)).toBe("  1 REST call");
  expect(explain(model, [], "Tagged.label").at(-1)).toBe("  1 REST call for each Account");
});
