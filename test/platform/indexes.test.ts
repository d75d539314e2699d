/** Statements that run with every request of a kind look nothing through that grows with use: SQLite says how it goes. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { statements } from "../../src/platform/statements.ts";
import { tables } from "../../src/platform/tables.ts";

const database = new DatabaseSync(":memory:");
database.exec(tables);

test.each([
  ["forgetIdempotencyKeys", /idempotency_keys_by_age \(tenant_id=\? AND created_at<\?\)/],
  ["idempotencyKey", /sqlite_autoindex_idempotency_keys_1 \(tenant_id=\? AND user_id=\? AND key=\?\)/],
  ["conversationById", /COVERING INDEX messages_of_agents \(tenant_id=\? AND conversation_id=\?\)/],
  ["conversationPage", /COVERING INDEX messages_of_agents \(tenant_id=\? AND conversation_id=\?\)/],
] as const)("%s", (name, way) => {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${statements[name]}`).all();
  expect(plan.map(({ detail }) => detail).join("\n")).toMatch(way);
});
