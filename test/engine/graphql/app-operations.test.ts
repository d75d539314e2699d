/** Operations of apps, from manifests of their own: ids as they are, refused by app and name, taken without a restart. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createGraphql } from "../../../src/engine/graphql/graphql.ts";
import { SavedOperations } from "../../../src/engine/graphql/saved/saved-operations.ts";
import { api } from "../desk/generated/index.ts";
import { configure } from "./configure.ts";

const inbox = "query Inbox {\n  me {\n    id\n  }\n}";
const preset = { preset1: inbox };
const unreachable = [200, "UPSTREAM_UNAVAILABLE"];
const unknown = [400, "PERSISTED_QUERY_NOT_FOUND"];

/** A role of saved operations with a folder of manifests; `lines` are its log lines. */
async function role(manifests: Readonly<Record<string, object>>) {
  const folder = mkdtempSync(join(tmpdir(), "messaging-graphql-apps-"));
  const write = (app: string, manifest: object | string): void =>
    writeFileSync(
      join(folder, `${app}.json`),
      typeof manifest === "string" ? manifest : JSON.stringify(manifest),
    );
  for (const [app, manifest] of Object.entries(manifests)) write(app, manifest);
  const lines: object[] = [];
  const standardOutput = vi.spyOn(process.stdout, "write");
  const server = await createGraphql(configure({ OPERATIONS: "saved", OPERATIONS_FROM: folder }), api);
  standardOutput.mockRestore();
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const codeOf = async (payload: object, headers: Record<string, string> = {}) => {
    const accept = "application/graphql-response+json";
    const answer = await server.inject({
      ...{ method: "POST", url: "/v1/graphql", payload },
      headers: { accept, ...headers },
    });
    return [answer.statusCode, answer.json().errors?.[0]?.extensions.code];
  };
  return { server, codeOf, write, folder, lines };
}

test("an id is taken as the manifest has it, in each form of a request", async () => {
  const { codeOf } = await role({ crm: preset, desk: { relay1: "query Inbox { me { email } }" } });
  expect(await codeOf({ documentId: "preset1" })).toEqual(unreachable);
  expect(await codeOf({ documentId: "sha256:relay1" })).toEqual(unreachable);
  const persistedQuery = { version: 1, sha256Hash: "preset1" };
  expect(await codeOf({ extensions: { persistedQuery } })).toEqual(unreachable);
  expect(await codeOf({ query: inbox, extensions: { persistedQuery } })).toEqual(unreachable);
  expect(await codeOf({ query: inbox.replaceAll(/\s+/g, " ") })).toEqual(unreachable);
  expect(await codeOf({ query: "query Inbox{me{email __typename}}" })).toEqual(unreachable);
  expect(await codeOf({ query: "query Inbox{me{roles}}" })).toEqual([400, "OPERATION_NOT_SAVED"]);
  expect(await codeOf({ query: "query Inbox { me { email } }", documentId: "preset1" })).toEqual([
    400,
    "PERSISTED_QUERY_HASH_MISMATCH",
  ]);
});

test("an operation that does not fit is refused by app and name, and the others serve", async () => {
  const crm = { good: inbox, bad: "query Old { me { nickname } }", no: "query Broken {" };
  const { server, codeOf } = await role({ crm, desk: { good: "query Other { me { roles } }" } });
  await vi.waitFor(() => expect(server.apps.refused).toHaveLength(3));
  expect(server.apps.refused).toEqual(
    expect.arrayContaining([
      { app: "crm", name: "Old", reason: expect.stringContaining('Cannot query field "nickname"') },
      { app: "crm", name: "Broken", reason: expect.stringContaining("Syntax Error") },
      { app: "desk", name: "Other", reason: "its id good is that of another operation" },
    ]),
  );
  expect(await codeOf({ documentId: "good" })).toEqual(unreachable);
  expect(await codeOf({ documentId: "bad" })).toEqual([400, "GRAPHQL_VALIDATION_FAILED"]);
});

test("a manifest that is edited serves without a restart, and one that breaks keeps serving", async () => {
  const { server, codeOf, write } = await role({ crm: preset });
  const eventually = (documentId: string, expected: unknown[]) =>
    vi.waitFor(async () => expect(await codeOf({ documentId })).toEqual(expected), { timeout: 60_000 });
  expect(await codeOf({ documentId: "second" })).toEqual(unknown);
  write("crm", { ...preset, second: "query Second { me { roles } }" });
  await eventually("second", unreachable);
  write("crm", "{");
  await vi.waitFor(() => expect(server.apps.faults).toMatchObject([{ app: "crm", keeps: true }]), {
    timeout: 60_000,
  });
  expect(await codeOf({ documentId: "second" })).toEqual(unreachable);
  write("crm", preset);
  await eventually("second", unknown);
  expect(server.apps.faults).toEqual([]);
});

describe("an operation's owner", () => {
  const crm = {
    app: "crm",
    source: "",
    bytes: 0,
    operations: [{ id: "a", name: "Inbox", body: inbox }],
  };
  const desk = { ...crm, app: "desk", operations: [{ id: "b", name: "Inbox", body: inbox }] };

  test("is the app that asks, or else the first that has it", () => {
    const saved = new SavedOperations([]);
    expect(saved.replaceApps([crm, desk])).toEqual([]);
    expect(saved.byId("b")?.ownerFor("desk")).toEqual({ app: "desk", name: "Inbox", id: "b" });
    expect(saved.byText(inbox)?.ownerFor("desk")?.id).toBe("b");
    expect(saved.byId("b")?.ownerFor(undefined)?.app).toBe("crm");
    expect([saved.isApp("desk"), saved.isApp("other")]).toEqual([true, false]);
    saved.replaceApps([desk]);
    expect(saved.byId("a")).toBeUndefined();
    expect(saved.byText(inbox)?.ownerFor("crm")?.app).toBe("desk");
  });
});
