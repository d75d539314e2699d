/** The manifests of apps: the formats of client tools, the places, and what happens to one that cannot be read. */
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, print } from "graphql";
import { describe, expect, onTestFinished, test } from "vitest";
import { readManifestText } from "../../../../src/engine/shared/manifests/manifest-formats.ts";
import { parseManifestLocations } from "../../../../src/engine/shared/manifests/manifest-locations.ts";
import { type ManifestState, Manifests } from "../../../../src/engine/shared/manifests/manifests.ts";
import { Slices } from "../../../../src/engine/shared/slices.ts";

const inbox = "query Inbox { conversations { id } }";
const map = (...ids: string[]): string => JSON.stringify(Object.fromEntries(ids.map((id) => [id, inbox])));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "messaging-graphql-manifests-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const contentOf = (text: string) => readManifestText(text, new Slices(5));

/** An HTTP server for manifests; returns its origin. */
async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const idsOf = ({ manifests }: ManifestState): string[] =>
  manifests.flatMap(({ app, operations }) => operations.map(({ id }) => `${app}:${id}`));

describe("a format", () => {
  const apolloOf = (...operations: object[]): string =>
    JSON.stringify({ format: "apollo-persisted-query-manifest", version: 1, operations }, null, 2);

  test("Apollo's persisted query manifest", async () => {
    expect(await contentOf(apolloOf({ id: "a1", name: "Inbox", type: "query", body: inbox }))).toEqual({
      operations: [{ id: "a1", name: "Inbox", body: inbox }],
      refused: [],
    });
  });

  test("the map of the client preset and of Relay", async () => {
    const fragmentFirst = "fragment F on Query { me { id } } query Later { ...F }";
    const text = JSON.stringify({ one: `# of Relay\n${inbox}`, two: fragmentFirst }, null, 2);
    expect((await contentOf(text)).operations).toMatchObject([
      { id: "one", name: "Inbox" },
      { id: "two", name: "Later" },
    ]);
  });

  test.each([
    ["{", /JSON/],
    ["[]", /is neither Apollo's/],
    ['{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}', /is neither Apollo's/],
    ['{"a":1}', /without an id or without a text/],
    ['{" sha256: ":"query A { a }"}', /without an id or without a text/],
  ])("%s is refused", async (text, reason) => {
    await expect(contentOf(text)).rejects.toThrow(reason);
  });

  test("a manifest of more operations than the bound is refused", async () => {
    const ids = Array.from({ length: 10_001 }, (_, number) => `${number}`);
    await expect(contentOf(map(...ids))).rejects.toThrow("has more than 10000 operations");
    expect((await contentOf(map(...ids.slice(1)))).operations).toHaveLength(10_000);
    const operations = ids.map((id) => ({ id, body: inbox }));
    await expect(contentOf(apolloOf(...operations))).rejects.toThrow("has more than 10000 operations");
    expect((await contentOf(apolloOf(...operations.slice(1)))).operations).toHaveLength(10_000);
  });

  test.each([
    ["deep", "[".repeat(1_001) + "]".repeat(1_001)],
    ["wide", `[${"{},".repeat(1_000)}0]`],
    ["long", `"${"a".repeat(700_000)}"`],
  ])("an operation with %s JSON is refused without a parse", async (_what, value) => {
    await expect(contentOf(`{"a":${value}}`)).rejects.toThrow("has an operation that is too large");
    const apollo = `{"format":"apollo-persisted-query-manifest","version":1,"operations":[${value}]}`;
    await expect(contentOf(apollo)).rejects.toThrow("has an operation that is too large");
  });

  test.each([
    '{"a":"b"',
    '{"a":"b"]',
    '{"a":"b"}}',
    '{"a":"b"} x',
    '{"a":"b",}',
    '{,"a":"b"}',
    '{"a" "b"}',
    '{"a":"b" "c"}',
    "{a:1}",
    '{1:"b"}',
    '{"a":"b}',
    "\u00a0{}",
    "\ufeff{}",
    "x",
    '{"a":{]}}',
    '{"a":tru}',
    '{"a"}',
    '{"a":}',
    '{"\\x":"b"}',
    '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","body":"b"},]}',
  ])("%s is no JSON, as for JSON.parse", async (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await expect(contentOf(text)).rejects.toThrow(SyntaxError);
  });

  test("is read as JSON.parse reads it: white space, escapes, duplicate and inherited names", async () => {
    const ids = ["a", 'q"\\', "__proto__", "constructor", "}{,:[]", "é\n€"];
    const text = JSON.stringify(
      Object.fromEntries(ids.map((id) => [id, `query Q { a(b: "\\"},{[") }`])),
      null,
      "\t",
    );
    const twice = text.replace("{", '{ "a" : "query Gone { a }" , ');
    const { operations } = await contentOf(`\r\n ${twice} \t`);
    expect(operations.map(({ id }) => id).sort()).toEqual(
      [...ids.filter((id) => id !== "é\n€"), "é\n€"].sort(),
    );
    expect(new Set(operations.map(({ name }) => name))).toEqual(new Set(["Q"]));
    expect((await contentOf("{ }")).operations).toEqual([]);
  });

  test("an operation beyond the bounds of one is refused, and the others of its manifest are not", async () => {
    const { operations, refused } = await contentOf(
      apolloOf(
        { id: "1", name: "L".repeat(129), body: inbox },
        { id: "2", name: 'x"} 1\nother_metric 42', body: inbox },
        { id: "3", body: `${inbox}${" ".repeat(100_000)}` },
        { id: "4", name: "Half", body: `query Half { a(b: "\ud800") }` },
        { id: "5".repeat(257), name: "Id", body: inbox },
        { id: "5".repeat(256), name: "L".repeat(128), body: inbox },
      ),
    );
    expect(operations.map(({ id }) => id)).toEqual(["5".repeat(256)]);
    expect(refused).toEqual([
      { name: "L".repeat(128), reason: "its name has more than 128 characters" },
      { name: 'x"} 1\nother_metric 42', reason: "its name is not a GraphQL name" },
      { name: "", reason: "its text has more than 100000 characters" },
      { name: "Half", reason: "its text is not well-formed Unicode" },
      { name: "Id", reason: "its id has more than 256 characters" },
    ]);
  });
});

describe("an id of the form of a digest", () => {
  const other = "query Inbox { me { id } }";
  const hex = (algorithm: string, text: string): string => hash(algorithm, text);
  const sha256 = hex("sha256", inbox);
  const accepted = async (id: string, text = inbox): Promise<unknown[]> => {
    const { operations, refused } = await contentOf(JSON.stringify({ [id]: text }));
    return operations.length > 0
      ? operations.map(({ id: kept }) => kept)
      : refused.map(({ reason }) => reason);
  };

  test.each([
    ["SHA-256 (Apollo)", sha256],
    ["SHA-256 with its prefix (client preset, gql.tada)", `sha256:${sha256}`],
    ["upper case and white space", ` SHA256: ${sha256.toUpperCase()}\n`],
  ])("is one id in each spelling: %s", async (_what, id) => {
    expect(await accepted(id)).toEqual([sha256]);
    expect(await accepted(id, other)).toEqual([
      `its id ${sha256} has the form of a SHA-256 digest but is not the digest of its text`,
    ]);
  });

  test.each([
    ["md5", "an MD5"],
    ["sha1", "a SHA-1"],
  ])("is the digest of its text: %s (Relay, client preset)", async (algorithm, name) => {
    const id = hex(algorithm, inbox);
    expect(await accepted(id)).toEqual([id]);
    expect(await accepted(id.toUpperCase())).toEqual([id]);
    expect(await accepted(id, other)).toEqual([
      `its id ${id} has the form of ${name} digest but is not the digest of its text`,
    ]);
    expect(await accepted(`sha256:${id}`)).toEqual([
      expect.stringContaining("is not the digest of its text"),
    ]);
  });

  test("is that of the printed text too (gql.tada without normalization)", async () => {
    expect(await accepted(hex("sha256", print(parse(inbox))))).toHaveLength(1);
    expect(await accepted(hex("sha256", print(parse(inbox))))).not.toEqual([
      expect.stringContaining("digest"),
    ]);
    expect(await accepted(`sha256:${"0".repeat(64)}`, "query {")).toEqual([
      expect.stringContaining("is not the digest of its text"),
    ]);
  });

  test("with the prefix it is a SHA-256 digest, and any other id is the app's own choice", async () => {
    expect(await accepted("sha256:inbox")).toEqual([expect.stringContaining("a SHA-256 digest")]);
    expect(await accepted("inbox-1")).toEqual(["inbox-1"]);
    expect(await accepted("abc123")).toEqual(["abc123"]);
  });
});

test("a list of places names its apps", () => {
  expect(
    parseManifestLocations(" manifests, crm=https://cdn.example/crm.json?sig=a=b ,desk=desk.json,"),
  ).toEqual([
    { app: undefined, at: "manifests" },
    { app: "crm", at: "https://cdn.example/crm.json?sig=a=b" },
    { app: "desk", at: "desk.json" },
  ]);
  expect(() => parseManifestLocations("desk.json")).toThrow(
    "name the app before a file or URL: app=desk.json",
  );
  expect(() => parseManifestLocations("https://cdn.example/a.json")).toThrow(
    "name the app before a file or URL",
  );
  expect(() => parseManifestLocations("a b=desk.json")).toThrow('"a b" is invalid');
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
    const manifests = new Manifests(parseManifestLocations(at));
    expect(idsOf(await manifests.refresh())).toEqual(["desk:d", "crm:c1", "crm:c2"]);
    expect(manifests.folders).toEqual([at, join(at, "crm")]);
    rmSync(join(at, "crm", "1.0.0.json"));
    expect(idsOf(await manifests.refresh())).toEqual(["desk:d", "crm:c2"]);
    expect(idsOf(await new Manifests(parseManifestLocations(`all=${at}`)).refresh())).toEqual([
      "all:d",
      "all:c2",
    ]);
  });

  test("that is gone keeps its last good state", async () => {
    const at = folder();
    writeFileSync(join(at, "crm.json"), map("c"));
    const manifests = new Manifests(parseManifestLocations(at));
    await manifests.refresh();
    rmSync(at, { recursive: true });
    const state = await manifests.refresh();
    expect(idsOf(state)).toEqual(["crm:c"]);
    expect(state.faults[0]).toEqual({ app: "", source: at, reason: "does not exist", keeps: true });
  });
});

test("a manifest that cannot be read keeps its last good state, and its neighbour serves", async () => {
  const at = folder();
  writeFileSync(join(at, "crm.json"), map("c1"));
  writeFileSync(join(at, "desk.json"), "half {");
  const manifests = new Manifests(parseManifestLocations(at));
  const desk = { app: "desk", source: join(at, "desk.json"), reason: "is not valid JSON", keeps: false };
  expect(await manifests.refresh()).toMatchObject({ manifests: [{ app: "crm" }], faults: [desk] });
  writeFileSync(join(at, "crm.json"), '{"c2":');
  const state = await manifests.refresh();
  expect(idsOf(state)).toEqual(["crm:c1"]);
  expect(state.faults[0]).toMatchObject({ app: "crm", reason: "is not valid JSON", keeps: true });
  writeFileSync(join(at, "crm.json"), map("c3"));
  expect(idsOf(await manifests.refresh())).toEqual(["crm:c3"]);
});

describe("one app", () => {
  test("with more manifests than it may have keeps those that serve, and other apps are unaffected", async () => {
    const at = folder();
    mkdirSync(join(at, "crm"));
    for (let file = 1; file <= 100; file++) writeFileSync(join(at, "crm", `b${file}.json`), map(`${file}`));
    writeFileSync(join(at, "desk.json"), map("d"));
    const manifests = new Manifests(parseManifestLocations(at));
    expect((await manifests.refresh()).faults).toEqual([]);
    for (let file = 1; file <= 50; file++) writeFileSync(join(at, "crm", `a${file}.json`), "{}");
    const { manifests: kept, faults } = await manifests.refresh();
    expect(kept.filter(({ app }) => app === "crm").map(({ source }) => source)).not.toContainEqual(
      expect.stringContaining("/a"),
    );
    expect(kept.map(({ app }) => app)).toContain("desk");
    expect(faults).toMatchObject([
      { app: "crm", source: at, reason: "has 150 manifests; at most 100 per app are read" },
    ]);
  });

  test("with thousands of files in its folder keeps what it had", async () => {
    const at = folder();
    mkdirSync(join(at, "crm"));
    writeFileSync(join(at, "crm", "z.json"), map("z"));
    writeFileSync(join(at, "desk.json"), map("d"));
    const manifests = new Manifests(parseManifestLocations(at));
    await manifests.refresh();
    for (let file = 0; file < 1_000; file++) writeFileSync(join(at, "crm", `${file}`), "");
    const state = await manifests.refresh();
    expect(idsOf(state)).toEqual(["desk:d", "crm:z"]);
    expect(state.faults).toEqual([
      { app: "crm", source: join(at, "crm"), reason: "has more than 1000 entries", keeps: true },
    ]);
  });

  test("with more bytes or operations than it may have keeps those that serve", async () => {
    const at = folder();
    mkdirSync(join(at, "crm"));
    const file = (name: string, text: string): void => writeFileSync(join(at, "crm", name), text);
    const large = (id: string): string => map(id) + " ".repeat(8_388_608 - map(id).length);
    file("b.json", large("b"));
    file("c.json", large("c"));
    const manifests = new Manifests(parseManifestLocations(at));
    expect((await manifests.refresh()).faults).toEqual([]);
    file("a.json", map("a"));
    const state = await manifests.refresh();
    expect(idsOf(state)).toEqual(["crm:b", "crm:c"]);
    const reason = "exceeds the limits of its app: 20000 operations, 16 MiB";
    expect(state.faults).toMatchObject([
      { app: "crm", source: join(at, "crm", "a.json"), reason, keeps: false },
    ]);
    const ids = (letter: string) => Array.from({ length: 10_000 }, (_, number) => `${letter}${number}`);
    file("b.json", map(...ids("b")));
    file("c.json", map(...ids("c")));
    expect((await manifests.refresh()).faults).toMatchObject([{ source: join(at, "crm", "a.json"), reason }]);
    file("c.json", map(...ids("c").slice(1)));
    const again = await manifests.refresh();
    expect(again.faults).toEqual([]);
    expect(idsOf(again)).toContain("crm:a");
  });

  test("whose URL hangs delays no other", async () => {
    const origin = await served(() => {});
    const at = folder();
    writeFileSync(join(at, "desk.json"), map("d"));
    const manifests = new Manifests(parseManifestLocations(`crm=${origin}/crm.json,${at}`));
    const state = await new Promise<ManifestState>((resolve) => manifests.refreshEach(resolve, "all"));
    expect(idsOf(state)).toEqual(["desk:d"]);
  });
});

test("manifests of the largest size are read beside other work", async () => {
  const at = folder();
  const body = `query Op { me { id } } #${"é".repeat(350)}`;
  for (let app = 0; app < 7; app++) {
    const ids = Array.from({ length: 10_000 }, (_, number) => [`${app}-${number}`, body]);
    writeFileSync(join(at, `app${app}.json`), JSON.stringify(Object.fromEntries(ids)));
  }
  // processor time, because other processes of the machine run too; the least of some rounds, because the collector runs as well
  const workedMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const longestPieceMs = async (): Promise<number> => {
    let isReading = true;
    let last = workedMs();
    let longest = 0;
    const measure = (): void => {
      longest = Math.max(longest, workedMs() - last);
      last = workedMs();
    };
    const turn = (): void => {
      measure();
      if (isReading) setImmediate(turn);
    };
    turn();
    const { manifests, faults } = await new Manifests(parseManifestLocations(at)).refresh();
    isReading = false;
    measure(); // a reading without a pause lets no turn run
    expect([manifests.length, faults.length]).toEqual([5, 2]);
    return longest;
  };
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10 && least >= 60; round++) least = Math.min(least, await longestPieceMs());
  expect(least).toBeLessThan(60);
});

test("the secrets of a URL go to its server alone", async () => {
  const asked: unknown[] = [];
  const origin = await served((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    response
      .writeHead(request.url?.startsWith("/moved") ? 302 : 200, { location: "/x?SECRET" })
      .end(map("one"));
  });
  const { host } = new URL(origin);
  const at = (path: string, of = host): string => `http://user:SECRET%21@${of}/${path}?token=SECRET#SECRET`;
  const places = `a=${at("a.json")},b=${at("moved")},c=${at("c.json", "127.0.0.1:1")},d=${at("d.json", "no-such-host.invalid")}`;
  const state = await new Manifests(parseManifestLocations(places)).refresh();
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
    expect(() => parseManifestLocations(wrong)).toThrow(/^(?!.*SECRET)/s);
});

test("a URL that answers 304 to a request without a condition cannot be read", async () => {
  const origin = await served((_request, response) => response.writeHead(304).end());
  const { faults } = await new Manifests(parseManifestLocations(`crm=${origin}/crm.json`)).refresh();
  expect(faults).toMatchObject([{ reason: "answers 304" }]);
});

test("a URL without an ETag is the same manifest as long as its text is", async () => {
  let text = map("one");
  const origin = await served((_request, response) => response.end(text));
  const manifests = new Manifests(parseManifestLocations(`crm=${origin}/crm.json`));
  const first = await manifests.refresh();
  const second = await manifests.refresh();
  expect(second.manifests[0]).toBe(first.manifests[0]);
  text = map("two");
  expect(idsOf(await manifests.refresh())).toEqual(["crm:two"]);
});

test("a URL is requested with its ETag, and its query is never printed", async () => {
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
  const manifests = new Manifests(parseManifestLocations(`crm=${url}?signature=secret`));
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

describe("beyond the bounds of all manifests", () => {
  const ids = (app: string, count = 10_000) =>
    Array.from({ length: count }, (_, number) => `${app}-${number}`);
  const reason = expect.stringMatching(/exceeds the limits of all manifests: .* 50000 operations/);

  test("what serves is not pushed out, and a manifest keeps its last good state", async () => {
    const at = folder();
    for (let app = 1; app <= 6; app++) writeFileSync(join(at, `app${app}.json`), map(...ids(`${app}`)));
    const manifests = new Manifests(parseManifestLocations(at));
    const apps = async () => (await manifests.refresh()).manifests.map(({ app }) => app);
    const served = ["app1", "app2", "app3", "app4", "app5"];
    expect(await apps()).toEqual(served);
    expect((await manifests.refresh()).faults).toMatchObject([{ app: "app6", reason, keeps: false }]);
    writeFileSync(join(at, "app0.json"), map("0"));
    expect(await apps()).toEqual(served);
    writeFileSync(join(at, "app5.json"), map(...ids("new", 9_000)));
    expect(await apps()).toEqual(["app0", ...served]);
    writeFileSync(join(at, "app5.json"), map(...ids("newer")));
    const state = await manifests.refresh();
    expect(state.faults).toMatchObject([
      { app: "app5", reason, keeps: true },
      { app: "app6", reason, keeps: false },
    ]);
    expect(idsOf(state)).toContain("app5:new-8999");
    expect(idsOf(state)).not.toContain("app5:newer-1");
  });

  test("a start takes the smallest apps first, in whatever order they are", async () => {
    const at = folder();
    mkdirSync(join(at, "app0"));
    for (const file of ["a", "b"]) writeFileSync(join(at, "app0", `${file}.json`), map(...ids(file)));
    for (let app = 1; app <= 4; app++) writeFileSync(join(at, `app${app}.json`), map(...ids(`${app}`)));
    writeFileSync(join(at, "desk.json"), map("d"));
    const { manifests, faults } = await new Manifests(parseManifestLocations(at)).refresh();
    expect(manifests.map(({ app }) => app)).toEqual(["app1", "app2", "app3", "app4", "desk"]);
    expect(faults).toMatchObject([
      { app: "app0", reason },
      { app: "app0", reason },
    ]);
  });
});
