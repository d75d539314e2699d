/** The manifests of apps: the formats of client tools, the places, and what happens to one that cannot be read. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readManifestText } from "../../../src/engine/manifests/formats.ts";
import { type ManifestState, Manifests } from "../../../src/engine/manifests/manifests.ts";
import { parsePlaces } from "../../../src/engine/manifests/places.ts";

const inbox = "query Inbox { conversations { id } }";
const map = (...ids: string[]): string => JSON.stringify(Object.fromEntries(ids.map((id) => [id, inbox])));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "messaging-graphql-manifests-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const idsOf = ({ manifests }: ManifestState): string[] =>
  manifests.flatMap(({ app, operations }) => operations.map(({ id }) => `${app}:${id}`));

describe("a format", () => {
  test("Apollo's persisted query manifest", () => {
    const operations = [{ id: "a1", name: "Inbox", type: "query", body: inbox }];
    const text = JSON.stringify(
      { format: "apollo-persisted-query-manifest", version: 1, operations },
      null,
      2,
    );
    expect(readManifestText(text, 10)).toEqual([{ id: "a1", name: "Inbox", body: inbox }]);
  });

  test("the map of the client preset and of Relay", () => {
    const fragmentFirst = "fragment F on Query { me { id } } query Later { ...F }";
    const text = JSON.stringify({ one: `# of Relay\n${inbox}`, two: fragmentFirst }, null, 2);
    expect(readManifestText(text, 10)).toMatchObject([
      { id: "one", name: "Inbox" },
      { id: "two", name: "Later" },
    ]);
  });

  test.each([
    ["{", /JSON/],
    ["[]", /is neither Apollo's/],
    ['{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}', /is neither Apollo's/],
    ['{"a":1}', /without an id or without a text/],
    [map("a", "b", "c"), /more than 2 operations/],
  ])("%s is refused", (text, reason) => {
    expect(() => readManifestText(text, 2)).toThrow(reason);
  });
});

test("a list of places names its apps", () => {
  expect(parsePlaces(" manifests, crm=https://cdn.example/crm.json?sig=a=b ,desk=desk.json,")).toEqual([
    { app: undefined, at: "manifests" },
    { app: "crm", at: "https://cdn.example/crm.json?sig=a=b" },
    { app: "desk", at: "desk.json" },
  ]);
  expect(() => parsePlaces("desk.json")).toThrow("wants the app before a file or URL: app=desk.json");
  expect(() => parsePlaces("https://cdn.example/a.json")).toThrow("wants the app before a file or URL");
  expect(() => parsePlaces("a b=desk.json")).toThrow('"a b" is none');
});

describe("a folder", () => {
  test("has the manifests of apps as files and as folders, links and versions side by side", async () => {
    const at = folder();
    mkdirSync(join(at, "crm"));
    mkdirSync(join(at, "..data"));
    writeFileSync(join(at, "..data", "desk.json"), map("d"));
    symlinkSync(join("..data", "desk.json"), join(at, "desk.json"));
    writeFileSync(join(at, "crm", "1.0.0.json"), map("c1"));
    writeFileSync(join(at, "crm", "1.1.0.json"), map("c2"));
    writeFileSync(join(at, "README.md"), "no manifest");
    const manifests = new Manifests(parsePlaces(at));
    expect(idsOf(await manifests.refresh())).toEqual(["desk:d", "crm:c1", "crm:c2"]);
    expect(manifests.folders).toEqual([at, join(at, "crm")]);
    rmSync(join(at, "crm", "1.0.0.json"));
    expect(idsOf(await manifests.refresh())).toEqual(["desk:d", "crm:c2"]);
    expect(idsOf(await new Manifests(parsePlaces(`all=${at}`)).refresh())).toEqual(["all:d", "all:c2"]);
  });

  test("that is gone keeps its last good state", async () => {
    const at = folder();
    writeFileSync(join(at, "crm.json"), map("c"));
    const manifests = new Manifests(parsePlaces(at));
    await manifests.refresh();
    rmSync(at, { recursive: true });
    const state = await manifests.refresh();
    expect(idsOf(state)).toEqual(["crm:c"]);
    expect(state.faults[0]).toEqual({ app: "", source: at, reason: "is not there", keeps: true });
  });
});

test("a manifest that cannot be read keeps its last good state, and its neighbour serves", async () => {
  const at = folder();
  writeFileSync(join(at, "crm.json"), map("c1"));
  writeFileSync(join(at, "desk.json"), "half {");
  const manifests = new Manifests(parsePlaces(at));
  const desk = { app: "desk", source: join(at, "desk.json"), reason: "is no JSON", keeps: false };
  expect(await manifests.refresh()).toMatchObject({ manifests: [{ app: "crm" }], faults: [desk] });
  writeFileSync(join(at, "crm.json"), '{"c2":');
  const state = await manifests.refresh();
  expect(idsOf(state)).toEqual(["crm:c1"]);
  expect(state.faults[0]).toMatchObject({ app: "crm", reason: "is no JSON", keeps: true });
  writeFileSync(join(at, "crm.json"), map("c3"));
  expect(idsOf(await manifests.refresh())).toEqual(["crm:c3"]);
});

test("a URL is asked by its ETag, and its query is told to nobody", async () => {
  let answer: { status: number; text: string; etag: string } = { status: 200, text: map("one"), etag: '"1"' };
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["if-none-match"]);
    if (request.headers["if-none-match"] === answer.etag) response.writeHead(304).end();
    else response.writeHead(answer.status, { etag: answer.etag }).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/crm.json`;
  const manifests = new Manifests(parsePlaces(`crm=${url}?signature=secret`));
  const first = await manifests.refresh();
  const second = await manifests.refresh();
  expect(second.manifests[0]).toBe(first.manifests[0]);
  answer = { status: 200, text: map("two"), etag: '"2"' };
  expect(idsOf(await manifests.refresh())).toEqual(["crm:two"]);
  answer = { status: 503, text: "", etag: '"3"' };
  const failed = await manifests.refresh();
  expect(idsOf(failed)).toEqual(["crm:two"]);
  expect(failed.faults).toEqual([{ app: "crm", source: url, reason: "answers 503", keeps: true }]);
  expect(asked).toEqual([undefined, '"1"', '"1"', '"2"']);
});

test("the secrets of a URL go to its server alone", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    response
      .writeHead(request.url?.startsWith("/moved") ? 302 : 200, { location: "/x?SECRET" })
      .end(map("one"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string, of = host): string => `http://user:SECRET%21@${of}/${path}?token=SECRET#SECRET`;
  const places = `a=${at("a.json")},b=${at("moved")},c=${at("c.json", "127.0.0.1:1")},d=${at("d.json", "no-such-host.invalid")}`;
  const state = await new Manifests(parsePlaces(places)).refresh();
  const basic = `Basic ${Buffer.from("user:SECRET!").toString("base64")}`;
  expect(asked.toSorted()).toEqual([
    ["/a.json?token=SECRET", basic],
    ["/moved?token=SECRET", basic],
  ]);
  expect(state.manifests.map(({ source }) => source)).toEqual([`http://${host}/a.json`]);
  expect(state.faults.map(({ app }) => app).toSorted()).toEqual(["b", "c", "d"]);
  expect(JSON.stringify(state)).not.toContain("SECRET");
  for (const wrong of [
    "http://user:SECRET@h.example/x?SECRET",
    "a=http://user:SECRET@:x/?SECRET",
    "http://h/?a=SECRET",
  ])
    expect(() => parsePlaces(wrong)).toThrow(/^(?!.*SECRET)/s);
});

test("one manifest over the bounds of all is refused, and the others serve", async () => {
  const at = folder();
  const ids = (app: number) => Array.from({ length: 10_000 }, (_, number) => `${app}-${number}`);
  for (let app = 1; app <= 6; app++) writeFileSync(join(at, `app${app}.json`), map(...ids(app)));
  const { manifests, faults } = await new Manifests(parsePlaces(at)).refresh();
  expect(manifests.map(({ app }) => app)).toEqual(["app1", "app2", "app3", "app4", "app5"]);
  expect(faults).toMatchObject([{ app: "app6", reason: expect.stringMatching(/50000 operations/) }]);
  writeFileSync(join(at, "app1.json"), map(...ids(1), "one-more"));
  const again = await new Manifests(parsePlaces(at)).refresh();
  expect(again.faults).toMatchObject([{ app: "app1", reason: "has more than 10000 operations" }]);
});
