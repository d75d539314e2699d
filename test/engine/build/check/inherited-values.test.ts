/** What `check`, the call costs and `explain` say of links that take values from enclosing objects. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listCalls } from "../../../../src/engine/build/bind/call-cost.ts";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { explain } from "../../../../src/engine/build/explain/explain.ts";
import { validProject } from "./mutations/pair.ts";
import { edited } from "./run.ts";

const folder = join(import.meta.dirname, "../codegen/cases/inherited-values");
const [schema, openapi] = ["schema.graphql", "openapi.yaml"].map((name) =>
  readFileSync(join(folder, name), "utf8"),
) as [string, string];
// neither selects the account's id
const saved = `query Members { accounts { inbox { members { id } } } }
query Seen { account(id: 1) { inbox { members { seen } } conversations { nodes { assignee { id } } } } }
query Names { accounts { name } }
`;

function snapshot(ofSchema = schema, ofDocument = openapi) {
  const files = { "schema.graphql": ofSchema, "openapi.yaml": ofDocument, "operations/saved.graphql": saved };
  return validProject(new Map(Object.entries(files)));
}

const accountId =
  "      required: [id]\n      properties:\n        id: { type: integer }\n        name: { type: string }";

test("an edit of the enclosing object's property reaches the links that take it, and their operations", () => {
  const head = snapshot(schema, edited(openapi, accountId, accountId.replace("integer", "boolean")));
  const { findings, operations } = examine(head, snapshot(), "2026-01-01");
  const broken = findings.filter(({ change }) => change);
  expect(broken).toHaveLength(1);
  expect(broken[0]?.coordinates).toEqual(
    expect.arrayContaining([
      "Inbox.members",
      "Conversation.messages",
      "Conversation.assignee",
      "Member.seen",
      "Part.text",
    ]),
  );
  expect(operations.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
    "Members broken",
    "Seen broken",
    "Names untouched",
  ]);
});

test("a property that may be missing now is an error of a link that is never null", () => {
  const strict = edited(schema, "  members: [Member!] @rest", "  members: [Member!]! @rest");
  const { findings } = examine(
    snapshot(strict, edited(openapi, accountId, accountId.replace("required: [id]", "required: [name]"))),
    snapshot(strict),
    "2026-01-01",
  );
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ rule: "output-nullable", coordinate: "Inbox.members" }),
    ]),
  );
});

test("a field of the schema that leads around the enclosing type is an error of the links below", () => {
  const around = edited(schema, "type Query {", 'type Query {\n  inbox: Inbox @rest(operation: "getInbox")');
  const document = edited(
    openapi,
    "paths:",
    `paths:
  /inbox: { get: { operationId: getInbox, responses: { "200": { description: ok, content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } } } } } }`,
  );
  const { findings } = examine(snapshot(around, document), snapshot(), "2026-01-01");
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        rule: "enclosing-missing",
        coordinate: "Inbox.members",
        message:
          "Inbox.members takes a value from the enclosing Account, but Query.inbox reaches Inbox without one",
      }),
    ]),
  );
});

test("another source is a change of the binding", () => {
  const other = edited(
    schema,
    'operation: "listMembers", params: [{ name: "account_id", from: "Account.id" }]',
    'operation: "listMembers", params: [{ name: "account_id", value: 1 }]',
  );
  const { changes } = examine(snapshot(other), snapshot(), "2026-01-01");
  expect(changes).toMatchObject([
    {
      rule: "binding-changed",
      message: expect.stringContaining("account_id: Account.id"),
    },
  ]);
});

test("a link is called for each enclosing object, and so is a batch", () => {
  const { model, saved: operations } = snapshot();
  const calls = operations.flatMap((operation) =>
    listCalls(model, operation).map(({ path, calls: { typical, worst } }) => [path, typical, worst]),
  );
  expect(calls).toEqual([
    ["accounts", 1, 1],
    ["accounts[].inbox.members", 10, 100],
    ["account", 1, 1],
    ["account.inbox.members", 1, 1],
    ["account.inbox.members[].seen", 10, 100],
    ["account.conversations", 1, 1],
    ["account.conversations.nodes[].assignee", 1, 1],
    ["accounts", 1, 1],
  ]);
  const lines = (name: string) => explain(model, [], name);
  expect(lines("Inbox.members")).toEqual([
    "Inbox.members",
    "  GET /accounts/{account_id}/members  (listMembers)",
    "  path account_id: Account.id, required",
    "  response: fetched or shared (the document declares no header for caching)",
    "  1 REST call for each Account",
  ]);
  expect(lines("Conversation.assignee")).toContain("  1 REST call for up to 50 keys, for each Account");
  expect(lines("Conversation.participants")).toContain(
    "  no call, and null, where Account.owner.login is null",
  );
});
