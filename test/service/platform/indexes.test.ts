/** The statements of frequent requests scan no growing table. SQLite's query plan shows that. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { statements } from "../../../src/platform/store/statements.ts";
import { tables } from "../../../src/platform/store/tables.ts";

const database = new DatabaseSync(":memory:");
database.exec(tables);

test.each([
  ["forgetIdempotencyKeys", /idempotency_keys_by_age \(tenant_id=\? AND created_at<\?\)/],
  ["idempotencyKey", /sqlite_autoindex_idempotency_keys_1 \(tenant_id=\? AND user_id=\? AND key=\?\)/],
  ["conversationById", /COVERING INDEX messages_of_agents \(tenant_id=\? AND conversation_id=\?\)/],
  ["conversationPage", /COVERING INDEX messages_of_agents \(tenant_id=\? AND conversation_id=\?\)/],
  ["conversationPage", /conversations_by_activity \(tenant_id=\?/],
  ["conversationPageFromOldest", /conversations_by_activity \(tenant_id=\?/],
  ["conversationPageByStart", /conversations_by_start \(tenant_id=\?/],
  ["contactPage", /contacts_by_name \(tenant_id=\?/],
  ["contactPageByStart", /contacts_by_start \(tenant_id=\?/],
] as const)("%s", (name, searchedIndex) => {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${statements[name]}`).all();
  expect(plan.map(({ detail }) => detail).join("\n")).toMatch(searchedIndex);
});
