/** Operations of apps, from manifests of their own: their ids, refused by app and name, taken without a restart. */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "graphql";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DocumentStore } from "../../../../src/engine/runtime/graphql/limits/document-store.ts";
import { AppOperations } from "../../../../src/engine/runtime/graphql/saved/app-operations.ts";
import { SavedOperations } from "../../../../src/engine/runtime/graphql/saved/saved-operations.ts";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { operationNameIn } from "../../../../src/engine/shared/manifests/manifest-formats.ts";
import type { Manifest } from "../../../../src/engine/shared/manifests/manifests.ts";
import { api } from "../../desk/generated/index.ts";
import { http, rawServer } from "../rest/raw-server.ts";
import { configure } from "./configure.ts";

const inbox = "query Inbox {\n  me {\n    id\n  }\n}";
const preset = { preset1: inbox };
const unreachable = [200, "UPSTREAM_UNAVAILABLE"];
const unknown = [400, "PERSISTED_QUERY_NOT_FOUND"];

/** A role of saved operations with a folder of manifests; `lines` are its warnings. */
async function role(manifests: Readonly<Record<string, object>>) {
  const folder = mkdtempSync(join(tmpdir(), "messaging-graphql-apps-"));
  const write = (app: string, manifest: object | string): void =>
    writeFileSync(
      join(folder, `${app}.json`),
      typeof manifest === "string" ? manifest : JSON.stringify(manifest),
    );
  for (const [app, manifest] of Object.entries(manifests)) write(app, manifest);
  const output = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  const environment = { OPERATIONS: "saved", OPERATIONS_FROM: folder, LOG_LEVEL: "warn" };
  const server = await createGraphql(configure(environment), api);
  onTestFinished(async () => {
    output.mockRestore();
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
  const lines = (): Record<string, unknown>[] =>
    output.mock.calls
      .flatMap(([chunk]) => String(chunk).split("\n"))
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  return { server, codeOf, write, folder, lines };
}

test("an id runs its operation in each form of a request", async () => {
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

test("a manifest's server may send an unsolicited 100 Continue first", async () => {
  const manifest = JSON.stringify({ id1: "query Me { me { roles } }" });
  const server = await rawServer((socket) => {
    socket.write("HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n");
    socket.write(http(200, manifest));
  });
  const saved = new SavedOperations([]);
  const apps = new AppOperations(saved, () => undefined, { warn: () => {} } as never);
  onTestFinished(() => apps.close());
  await apps.follow([{ app: "crm", at: server.url.href }]);
  expect([apps.faults, apps.counts]).toEqual([[], new Map([["crm", 1]])]);
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

const manifest = (app: string, operations: Readonly<Record<string, string>>): Manifest => ({
  ...{ app, source: "", bytes: 0, refused: [] },
  operations: Object.entries(operations).map(([id, body]) => ({ id, name: operationNameIn(body), body })),
});

describe("an id that two apps have", () => {
  const evil = "query Evil { me { id } }";
  const refusedOf = (app: string, id: string, name = "Evil") => [
    { app, name, reason: `its id ${id} is that of another operation` },
  ];

  test("stays with the app that serves it, whatever the order of the apps is", async () => {
    const saved = new SavedOperations([]);
    const web = manifest("web", { one: inbox });
    const aaa = manifest("aaa", { one: evil });
    await saved.replaceApps([web]);
    expect(await saved.replaceApps([aaa, web])).toEqual(refusedOf("aaa", "one"));
    expect(saved.byId("one")?.text).toBe(inbox);
    const changed = "query Inbox { me { email } }";
    expect(await saved.replaceApps([aaa, manifest("web", { one: changed })])).toEqual(
      refusedOf("aaa", "one"),
    );
    expect(saved.byId("one")?.text).toBe(changed);
    expect(await saved.replaceApps([aaa])).toEqual([]);
    expect(saved.byId("one")?.text).toBe(evil);
  });

  test("goes to the first in the order of the places at a start", async () => {
    const web = manifest("web", { one: inbox });
    const aaa = manifest("aaa", { one: evil });
    const saved = new SavedOperations([]);
    expect(await saved.replaceApps([web, aaa])).toEqual(refusedOf("aaa", "one"));
    expect(await new SavedOperations([]).replaceApps([aaa, web])).toEqual(refusedOf("web", "one", "Inbox"));
  });

  test("with the same text stays with those that have it when the first of them drops it", async () => {
    const saved = new SavedOperations([]);
    const web = manifest("web", { one: inbox });
    const desk = manifest("desk", { one: inbox });
    const aaa = manifest("aaa", { one: evil });
    await saved.replaceApps([web, desk]);
    expect(await saved.replaceApps([aaa, desk])).toEqual(refusedOf("aaa", "one"));
    expect(saved.byId("one")?.text).toBe(inbox);
    const updated = "query Inbox { me { email } }";
    const both = new SavedOperations([]);
    await both.replaceApps([web, desk]);
    expect(await both.replaceApps([desk, manifest("web", { one: updated })])).toEqual(
      refusedOf("desk", "one", "Inbox"),
    );
    expect(both.byId("one")?.text).toBe(updated);
  });

  test("is one operation for two printings that share a SHA-256 digest", async () => {
    const id = hash("sha256", inbox);
    const saved = new SavedOperations([]);
    const other = inbox.replaceAll(/\s+/g, " ");
    const manifests = [manifest("web", { [id]: inbox }), manifest("tada", { [id]: other })];
    expect(await saved.replaceApps(manifests)).toEqual([]);
    expect(saved.byId(id)?.ownerFor("tada")).toMatchObject({ app: "tada" });
    const sha1 = hash("sha1", inbox);
    const refused = [manifest("web", { [sha1]: inbox }), manifest("relay", { [sha1]: other })];
    expect(await saved.replaceApps(refused)).toEqual(refusedOf("relay", sha1, "Inbox"));
  });
});

test("one app's takeover is refused in a log line and in the metric's count, and nothing else changes", async () => {
  const id = hash("sha256", inbox);
  const evil = "query Evil { me { roles } }";
  const [own] = api.savedOperations;
  const ofService = own?.id ?? "";
  const { server, codeOf, write, lines } = await role({ web: { [id]: inbox, one: inbox } });
  const claims = { [`sha256:${id}`]: evil, [id.toUpperCase()]: evil, [`sha256:${ofService}`]: evil };
  write("aaa", { ...claims, one: evil, fine: evil });
  await vi.waitFor(async () => expect(await codeOf({ documentId: "fine" })).toEqual(unreachable), {
    timeout: 60_000,
  });
  const reasonOf = (of: string) =>
    `its id ${of} has the form of a SHA-256 digest but is not the digest of its text`;
  const digest = reasonOf(id);
  expect(server.apps.refused).toEqual([
    { app: "aaa", name: "Evil", reason: digest },
    { app: "aaa", name: "Evil", reason: digest },
    { app: "aaa", name: "Evil", reason: reasonOf(ofService) },
    { app: "aaa", name: "Evil", reason: "its id one is that of another operation" },
  ]);
  for (const documentId of [id, `sha256:${id}`, ` SHA256:${id.toUpperCase()}`, "one"])
    expect(await codeOf({ documentId, query: inbox })).toEqual(unreachable);
  for (const documentId of [ofService, `sha256:${ofService.toUpperCase()}`])
    expect((await codeOf({ documentId, query: own?.body }))[1]).not.toBe("PERSISTED_QUERY_HASH_MISMATCH");
  expect(lines()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        app: "aaa",
        operation: "Evil",
        reason: digest,
        msg: "an app's operation is invalid, and is rejected",
      }),
    ]),
  );
  expect(lines().filter(({ app, msg }) => app === "web" && msg !== "request")).toEqual([]);
});

test("the faults of one app hide no other's", async () => {
  const ids = Array.from({ length: 500 }, (_, number) => `sha256:${number}`);
  const crm = Object.fromEntries(ids.map((id, number) => [id, `query Q${number} { me { id } }`]));
  const { server, lines } = await role({ crm, desk: { "sha256:no": inbox } });
  expect(server.apps.refused).toHaveLength(501);
  const told = lines().filter(({ msg }) => /is rejected|has more faults/.test(String(msg)));
  expect(told.filter(({ app }) => app === "crm")).toHaveLength(21);
  expect(told).toContainEqual(expect.objectContaining({ app: "crm", count: 500, written: 20 }));
  expect(told.filter(({ app }) => app === "desk")).toHaveLength(1);
});

describe("a text in another format", () => {
  const texts = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, number) => [
        `${number}`,
        `query Inbox { me { ${"id ".repeat(100)} a${number}: id } }`,
      ]),
    );

  test("is found whatever number of operations of its name another app has", async () => {
    const saved = new SavedOperations([]);
    await saved.replaceApps([manifest("aaa", texts(10_000)), manifest("web", { one: inbox })]);
    const before = process.threadCpuUsage().user;
    expect(saved.inOtherFormat(inbox.replaceAll(/\s+/g, " ")).saved?.text).toBe(inbox);
    expect(process.threadCpuUsage().user - before).toBeLessThan(250_000);
  });

  test("is found in the end among the operations of one name in one app", async () => {
    const saved = new SavedOperations([]);
    await saved.replaceApps([manifest("web", { ...texts(200), last: inbox })]);
    const given = inbox.replaceAll(/\s+/g, " ");
    expect(saved.inOtherFormat(given).saved).toBeUndefined();
    for (let attempt = 0; attempt < 10; attempt++) saved.inOtherFormat(given);
    expect(saved.inOtherFormat(given).saved?.text).toBe(inbox);
  });
});

test("a store of as many operations as all apps may have is built beside other work", async () => {
  const workedMs = (): number => process.threadCpuUsage().user / 1_000;
  const apps = Array.from({ length: 5 }, (_, app) => {
    const operations = Array.from({ length: 10_000 }, (_unused, number) => ({
      ...{ id: `${app}-${number}`, name: `Q${number}`, body: `query Q${number} { me { id } } #${app}` },
    }));
    return { ...manifest(`app${app}`, {}), operations };
  });
  const saved = new SavedOperations([]);
  let isBuilding = true;
  let last = workedMs();
  let longest = 0;
  const turn = (): void => {
    longest = Math.max(longest, workedMs() - last);
    last = workedMs();
    if (isBuilding) setImmediate(turn);
  };
  turn();
  await saved.replaceApps(apps);
  isBuilding = false;
  expect(saved.byId("4-9999")?.ownerFor("app4")?.name).toBe("Q9999");
  expect(longest).toBeLessThan(100);
});

test("an app with many documents drops no document of another app", async () => {
  const long = (number: number): string => `query Q${number} { ${`a${number}: me { id } `.repeat(200)} }`;
  const many = Array.from({ length: 200 }, (_, number) => long(number));
  const saved = new SavedOperations([]);
  const aaa = manifest("aaa", Object.fromEntries(many.map((text, number) => [`${number}`, text])));
  await saved.replaceApps([manifest("web", { one: inbox }), aaa]);
  const documents = new DocumentStore(saved);
  documents.keep(inbox, parse(inbox));
  for (const text of many) documents.keep(text, parse(text));
  expect(documents.of(inbox)).toBeDefined();
  const kept = many.filter((text) => documents.of(text));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept).toEqual(many.slice(-kept.length));
  expect(kept.length).toBeLessThan(many.length);
});

describe("an operation's owner", () => {
  const crm = manifest("crm", { a: inbox });
  const desk = manifest("desk", { b: inbox });

  test("is the app that asks, or else the first that has it", async () => {
    const saved = new SavedOperations([]);
    expect(await saved.replaceApps([crm, desk])).toEqual([]);
    expect(saved.byId("b")?.ownerFor("desk")).toEqual({ app: "desk", name: "Inbox", id: "b" });
    expect(saved.byText(inbox)?.ownerFor("desk")?.id).toBe("b");
    expect(saved.byId("b")?.ownerFor(undefined)?.app).toBe("crm");
    expect([saved.isApp("desk"), saved.isApp("other")]).toEqual([true, false]);
    await saved.replaceApps([desk]);
    expect(saved.byId("a")).toBeUndefined();
    expect(saved.byText(inbox)?.ownerFor("crm")?.app).toBe("desk");
  });
});
