/**
 * Tests tenant isolation for each SQL statement. Another tenant has the same ids. A tenant still reads the same rows as
 * alone, and changes no row of the other tenant. A tenant without rows finds no row.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StatementName, statements, unscoped } from "../../../src/platform/store/statements.ts";
import { openStore, type Store } from "../../../src/platform/store/store.ts";
import { first, get, keys, openPlatform, send } from "./fixture.ts";
import { fill, runAny } from "./two-tenants.ts";

const names = Object.keys(statements) as StatementName[];

const folder = mkdtempSync(join(tmpdir(), "isolation-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

function openWith(...tenants: string[]): { store: Store; file: string } {
  const file = join(folder, `${files++}.sqlite`);
  const store = openStore(file);
  store.transaction(() => {
    for (const tenant of tenants) fill(store.tenant(tenant));
  });
  return { store, file };
}

/** Every row of the tenant, from every table. */
function dump(file: string, tenant: string): unknown {
  const database = new DatabaseSync(file);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  const rows = tables.map(({ name }) =>
    database.prepare(`SELECT * FROM ${name} WHERE tenant_id = ?`).all(tenant),
  );
  database.close();
  return rows;
}

describe.each(names)("%s", (name) => {
  it("is scoped by the tenant", () => {
    expect(statements[name]).toContain(":tenant");
  });

  it("finds rows, and reads and changes the same rows as without the other tenant", () => {
    const wantsEmpty = name.startsWith("insert");
    const alone = wantsEmpty ? openWith() : openWith("ten_a");
    const shared = wantsEmpty ? openWith("ten_b") : openWith("ten_a", "ten_b");
    const before = dump(shared.file, "ten_b");
    const expected = runAny(alone.store.tenant("ten_a"), name);
    const actual = runAny(shared.store.tenant("ten_a"), name);
    expect(actual).toEqual(expected);
    expect(JSON.stringify(actual)).not.toContain("ten_b");
    expect(typeof actual === "number" ? actual : actual.length).toBeGreaterThan(0);
    expect(dump(shared.file, "ten_a")).toEqual(dump(alone.file, "ten_a"));
    expect(dump(shared.file, "ten_b")).toEqual(before);
    for (const { store } of [alone, shared]) store.close();
  });

  it.skipIf(name.startsWith("insert"))("finds no row for a tenant without rows", () => {
    const { store, file } = openWith("ten_a");
    const before = dump(file, "ten_a");
    const result = runAny(store.tenant("ten_b"), name);
    const values = typeof result === "number" ? result : result.map((row) => row.value ?? row.id ?? 0);
    expect([values].flat().filter(Boolean)).toEqual([]);
    expect(dump(file, "ten_a")).toEqual(before);
    store.close();
  });
});

it("only statements that run before the tenant is known, or for all tenants, are not scoped", () => {
  expect(Object.keys(unscoped)).toEqual(["keyByDigest", "unpublishedRevocation", "anyTenant"]);
  const { store } = openWith("ten_a", "ten_b");
  for (const [tenantId, demo] of [
    ["ten_a", 0],
    ["ten_b", 1],
  ] as const) {
    expect(store.unscoped("keyByDigest", { digest: tenantId })).toMatchObject({ tenantId, demo });
  }
  store.close();
});

describe("over HTTP", () => {
  let platform: FastifyInstance;
  beforeAll(async () => {
    platform = await openPlatform();
  });
  afterAll(() => platform.close());

  it.each([
    ["/v1/crm/contacts", "/v1/crm/contacts/"],
    ["/v1/ai/agents", "/v1/ai/agents/"],
    ["/v1/inbox/conversations", "/v1/inbox/conversations/"],
  ])("answers another tenant's id of %s like an unknown id", async (list, path) => {
    const { id } = await first(platform, list, keys.lumenOwner);
    expect((await get(platform, path + id, keys.lumenOwner)).statusCode).toBe(200);
    const foreign = await get(platform, path + id);
    const unknown = await get(platform, `${path}${id.slice(0, 4)}NoSuchIdHere`);
    expect([foreign.statusCode, foreign.body]).toEqual([404, unknown.body]);
    expect((await get(platform, `${list}?ids=${id}`)).json().items).toEqual([]);
  });

  it("batches return nothing of another tenant, and a message to its contact is refused", async () => {
    const { id, contactId } = await first(platform, "/v1/inbox/conversations", keys.lumenOwner);
    const messages = `/v1/inbox/messages?conversationIds=${id}`;
    const { id: messageId } = await first(platform, messages, keys.lumenOwner);
    expect((await get(platform, messages)).json()).toEqual({ items: [] });
    expect((await get(platform, `/v1/messages/${messageId}`)).statusCode).toBe(404);
    const byContact = await get(platform, `/v1/inbox/conversations-by-contact?contactIds=${contactId}`);
    expect(byContact.json()).toEqual({ items: [] });
    const sent = await send(platform, { channel: "webchat", to: contactId, body: "Hello" });
    const unknown = await send(platform, { channel: "webchat", to: "ctc_NoSuchIdHere", body: "Hello" });
    expect([sent.statusCode, sent.body]).toEqual([400, unknown.body]);
  });
});
