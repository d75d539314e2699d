/** Demo data is the same for the same day, ends now, is large enough, and has no real address. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isWellFormed } from "../../../src/engine/runtime/http/api-key.ts";
import { demoKeys, seedDemoData } from "../../../src/platform/demo/demo.ts";
import { openStore, type Row, type Store } from "../../../src/platform/store/store.ts";
import { openPlatform } from "./fixture.ts";

const now = new Date("2026-05-05T12:00:00.000Z");
const page = { ids: null, afterKey: null, afterId: null, limit: 1_000 };
const tenants = [...new Set(demoKeys.map(({ tenant }) => tenant))];

function seeded(at: Date): Store {
  const store = openStore(undefined);
  seedDemoData(store, at);
  return store;
}

const contacts = (store: Store, tenant: string): Row[] =>
  store.tenant(tenant).all("contactPage", { ...page, stage: null, q: null });
const conversations = (store: Store, tenant: string): Row[] =>
  store.tenant(tenant).all("conversationPage", { ...page, status: null, channel: null, assignee: null });

it("is the same for the same day, and shifted for another day", () => {
  const one = seeded(now);
  const two = seeded(now);
  const later = seeded(new Date(now.getTime() + 86_400_000));
  for (const tenant of tenants) {
    expect(conversations(one, tenant)).toEqual(conversations(two, tenant));
    const ids = (store: Store): unknown[] => conversations(store, tenant).map(({ id }) => id);
    expect(ids(later)).toEqual(ids(one));
  }
  for (const store of [one, two, later]) store.close();
});

it("gives three tenants hundreds of contacts and conversations and thousands of messages, all in the past", () => {
  const store = seeded(now);
  expect(tenants).toHaveLength(3);
  for (const tenant of tenants) {
    expect(contacts(store, tenant)).toHaveLength(300);
    const found = conversations(store, tenant);
    expect(found).toHaveLength(420);
    const conversationIds = JSON.stringify(found.map(({ id }) => id));
    const messages = store.tenant(tenant).all("messagesOfConversations", { conversationIds, limit: 100 });
    expect(messages.length).toBeGreaterThan(2_000);
    expect(messages.every(({ createdAt }) => String(createdAt) <= now.toISOString())).toBe(true);
  }
  store.close();
});

it.each([{ API_ENVIRONMENT: "live" }, { NODE_ENV: "production" }])("does not exist with %j", async (env) => {
  const file = join(mkdtempSync(join(tmpdir(), "demo-")), "platform.sqlite");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  await (await openPlatform({ ...env, DATA_FILE: file })).close();
  const store = openStore(file);
  expect(store.unscoped("anyTenant")?.found).toBe(0);
  store.close();
});

it("uses addresses reserved for fiction only", () => {
  const store = seeded(now);
  for (const { email, phoneNumber } of tenants.flatMap((tenant) => contacts(store, tenant))) {
    expect(email ?? "@mail.example").toMatch(/@mail\.example$/);
    expect(phoneNumber).toMatch(/^\+1\d{3}55501\d{2}$/);
  }
  store.close();
});

it("does not change a store that has a tenant", () => {
  const store = openStore(undefined);
  store.tenant("ten_own").run("insertTenant", { name: "Own", features: "[]", demo: 0 });
  seedDemoData(store, now);
  expect(store.tenant("ten_harbor").get("tenantExists")).toBeUndefined();
  store.close();
});

it("has well-formed keys that are recognizable as demo keys", () => {
  for (const { key } of demoKeys) {
    expect(isWellFormed("test", key)).toBe(true);
    expect(key).toContain("_Demo");
  }
});
