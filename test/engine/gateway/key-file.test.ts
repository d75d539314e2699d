/** API keys from a file of digests: which are accepted, how one is created and revoked, and what mistakes in the file do. */
import { hash } from "node:crypto";
import fs, { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { run } from "../../../src/engine/bin/key-command.ts";
import { KeyFile } from "../../../src/engine/gateway/key-file.ts";
import { hasChecksum } from "../../../src/engine/runtime/http/api-key.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { assertStartable } from "../../../src/engine/server/check-config.ts";
import { goodKey, makeKey } from "./fakes.ts";
import { jwksEndpoint, keyPair, sign, tokenEnv } from "./issuer.ts";
import { startGateway } from "./start.ts";

afterEach(() => void vi.useRealTimers());

const digestOf = (key: string): string => hash("sha256", key);
const lineOf = (key: string, more = ""): string => `sha256=${digestOf(key)} tenant=acme name=desk${more}\n`;

function keysFile(text = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "keys"), text);
  return join(folder, "keys");
}

function logger() {
  const lines: string[] = [];
  const write = (...given: unknown[]): void => void lines.push(JSON.stringify(given));
  return { lines, log: { warn: write, error: write } as never };
}

/** The keys of a file at a time that the test moves. */
function opened(text: string) {
  vi.useFakeTimers({ toFake: ["performance", "Date"], now: Date.parse("2027-01-01T00:00:00Z") });
  const path = keysFile(text);
  const { lines, log } = logger();
  const file = new KeyFile(path, { API_ENVIRONMENT: "test" }, log);
  const change = (changed: string, ms = 1_000): void => {
    writeFileSync(path, changed);
    vi.advanceTimersByTime(ms);
  };
  return { path, file, lines, change };
}

const key = makeKey("one");
const other = makeKey("two");

describe("a gateway without key introspection", () => {
  test("accepts the keys of the file, with their tenant and scopes", async () => {
    const path = keysFile(`# ours\n\n${lineOf(key, " scopes=incidents:read,incidents:write")}`);
    const { url, rest, keys } = await startGateway({ keyIntrospection: null, env: { KEYS_FILE: path } });
    const ask = (sent: string): Promise<Response> =>
      fetch(new URL("/v1/things", url), { headers: { "x-api-key": sent } });
    expect((await ask(key)).status).toBe(200);
    expect(rest.seen.at(-1)?.headers).toMatchObject({
      "x-service-tenant-id": "acme",
      "x-service-user-id": "desk",
      "x-service-api-key-id": "acme/desk",
      "x-service-permissions": "incidents:read,incidents:write",
      "x-service-key-scopes": "incidents:read,incidents:write",
      "x-service-roles": "",
    });
    expect((await ask(other)).status).toBe(401);
    expect((await ask(digestOf(key))).status).toBe(401);
    expect((await ask("not-a-key")).status).toBe(401);
    expect(keys.asked).toEqual([]);
  });

  test("accepts access tokens alone", async () => {
    const pair = await keyPair("key");
    const jwks = await jwksEndpoint(pair);
    const { url } = await startGateway({ keyIntrospection: null, env: tokenEnv(jwks.url) });
    const ask = (token: string): Promise<Response> =>
      fetch(new URL("/v1/things", url), { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(await sign(pair))).status).toBe(200);
    expect((await ask(goodKey)).status).toBe(401);
  });
});

test("a key that is not in the file is looked up where there is key introspection", async () => {
  const { url, keys, rest } = await startGateway({ env: { KEYS_FILE: keysFile(lineOf(key)) } });
  const ask = (sent: string): Promise<Response> =>
    fetch(new URL("/v1/things", url), { headers: { "x-api-key": sent } });
  expect((await ask(key)).status).toBe(200);
  expect(keys.asked).toEqual([]);
  expect((await ask(goodKey)).status).toBe(200);
  expect(rest.seen.at(-1)?.headers["x-service-tenant-id"]).toBe("tenant-good");
});

describe("the file", () => {
  test("is read again within a second, so that deleting a line revokes its key", () => {
    const { file, change } = opened(lineOf(key) + lineOf(other));
    expect(file.find(key)?.tenantId).toBe("acme");
    change(lineOf(other), 999);
    vi.advanceTimersByTime(1);
    expect(file.find(key)).toBeUndefined();
    expect(file.find(other)?.tenantId).toBe("acme");
    change("");
    expect(file.find(other)).toBeUndefined();
  });

  test("keeps the contexts of its keys as long as it is the same", () => {
    const { file, change } = opened(lineOf(key));
    const before = file.find(key);
    change(lineOf(key));
    expect(file.find(key)).toBe(before);
    change(lineOf(key, " scopes=a"));
    expect(file.find(key)?.permissions).toEqual(["a"]);
  });

  test("revokes before the first request after a long pause", () => {
    const { file, change } = opened(lineOf(key));
    change("", 3_600_000);
    expect(file.find(key)).toBeUndefined();
  });

  test("keeps its last valid state while it has a mistake or is gone, and reports each once", () => {
    const { path, file, change, lines } = opened(lineOf(key));
    change(`${lineOf(other)}tenant=acme\n`);
    expect(file.find(key)?.tenantId).toBe("acme");
    expect(file.find(other)).toBeUndefined();
    vi.advanceTimersByTime(1_000);
    expect(file.isFailing).toBe(true);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`${path}:2: needs sha256, tenant and name`);
    rmSync(path);
    vi.advanceTimersByTime(1_000);
    expect(file.find(key)?.tenantId).toBe("acme");
    expect(lines[1]).toContain("cannot be read (ENOENT)");
    change(lineOf(other));
    expect(file.find(key)).toBeUndefined();
    expect(file.isFailing).toBe(false);
    expect(lines).toHaveLength(3);
  });

  test("refuses a key from its expiry on, and keys of the other environment", () => {
    const live = "sk_live_00000000000000000000000000000000";
    const { file } = opened(lineOf(key, " expires=2027-01-01T00:01:00.000Z") + lineOf(live));
    expect(file.find(live)).toBeUndefined();
    vi.advanceTimersByTime(59_999);
    expect(file.find(key)?.tenantId).toBe("acme");
    vi.advanceTimersByTime(1);
    expect(file.find(key)).toBeUndefined();
  });

  const digest = digestOf(key);
  test.each([
    ["a key instead of its digest", `sha256=${key} tenant=acme name=desk`, "1: sha256 must be 64 hex digits"],
    ["a bare key", key, "1: needs members such as sha256=…"],
    ["no tenant", `sha256=${digest} name=desk`, "1: needs sha256, tenant and name"],
    ["an empty tenant", `sha256=${digest} tenant= name=desk`, "1: tenant must be letters"],
    ["a tenant that is a path", `sha256=${digest} tenant=../acme name=desk`, "1: tenant must be letters"],
    ["a member twice", `${lineOf(key).trim()} tenant=globex`, "1: has tenant twice"],
    ["a misspelt member", lineOf(key, " scope=a"), "1: needs members such as"],
    ["a member of Object.prototype", lineOf(key, " constructor=a"), "1: needs members such as"],
    ["a day that does not exist", lineOf(key, " expires=2027-02-30T00:00:00.000Z"), "1: expires must be"],
    ["a time without a zone", lineOf(key, " expires=2027-02-03T00:00:00"), "1: expires must be"],
    ["an empty scope", lineOf(key, " scopes=a,,b"), "1: scopes must be scopes"],
    ["one key twice", `${lineOf(key)}\n# again\n${lineOf(key)}`, "4: has the same key as line 1"],
  ])("with %s is an error at the start, which does not repeat the line", (_, text, message) => {
    const path = keysFile(text);
    const env = { KEYS_FILE: path, REST_BASE_URL: "http://127.0.0.1:9", GATEWAY_SECRET: "0123456789abcdef" };
    const start = (): void =>
      assertStartable(readConfig(env, ["gateway"]), { operations: {}, subgraph: undefined });
    expect(start).toThrow(`KEYS_FILE: ${path}:${message}`);
    expect(start).not.toThrow(key);
    expect(start).not.toThrow(digest);
  });
});

test("in production, a gateway needs a secret only if another process gets its proof", () => {
  const KEYS_FILE = keysFile(lineOf(key));
  const REST_BASE_URL_PAGER = "https://api.pager.example";
  const startWith = (path: string, env: NodeJS.ProcessEnv): void =>
    assertStartable(
      readConfig({ NODE_ENV: "production", KEYS_FILE, REST_BASE_URL_PAGER, ...env }, ["gateway", "graphql"]),
      { operations: { [path]: { id: "list", product: "PAGER" } }, subgraph: undefined },
    );
  expect(() => startWith("GET pager/services", {})).not.toThrow();
  const noSecret = "GATEWAY_SECRET: is not set, so services behind this gateway";
  expect(() => startWith("GET /services", {})).toThrow(noSecret);
  expect(() => startWith("GET pager/services", { CONTEXT_PRODUCTS: "pager" })).toThrow(noSecret);
  expect(() => startWith("GET pager/services", { REST_BASE_URL: "https://rest.example" })).toThrow(noSecret);
});

test("a gateway never forwards REST paths to a vendor whose credential the server holds", () => {
  const operations = {
    "GET pager/services": {
      id: "list",
      product: "PAGER",
      held: { origin: "https://api.pager.example", credentials: [] },
    },
  };
  const KEYS_FILE = keysFile(lineOf(key));
  const GRAPHQL_URL = "http://graphql.example";
  const startWith = (env: NodeJS.ProcessEnv): void =>
    assertStartable(readConfig({ KEYS_FILE, GATEWAY_SECRET: "0123456789abcdef", ...env }, ["gateway"]), {
      operations,
      subgraph: undefined,
    });
  expect(() => startWith({ GRAPHQL_URL, REST_BASE_URL: "https://api.pager.example/v2" })).toThrow(
    /^REST_BASE_URL: https:\/\/api\.pager\.example is the API of a vendor/,
  );
  expect(() => startWith({ GRAPHQL_URL, REST_BASE_URL: "https://rest.example" })).not.toThrow();
  // all products have documents of their own, so there may be no REST paths to forward
  expect(() => startWith({ GRAPHQL_URL })).not.toThrow();
  expect(() => startWith({})).toThrow(/^REST_BASE_URL: gateway needs it/);
});

describe("restbound key", () => {
  async function create(path: string, ...argv: string[]) {
    const [lines, errors]: [string[], string[]] = [[], []];
    const io = {
      root: "/",
      env: { KEYS_FILE: path },
      out: (text: string) => void lines.push(text),
      error: (text: string) => void errors.push(text),
    };
    return { code: await run(argv, io), lines, errors };
  }

  test("prints a key once, and appends its digest", async () => {
    const path = keysFile(`${lineOf(other).trimEnd()}`);
    const { code, lines, errors } = await create(
      path,
      "--tenant",
      "acme",
      "--name",
      "desk",
      "--scopes",
      "a:read,b",
      "--expires",
      "2099-01-31",
    );
    expect(code).toBe(0);
    const [created = ""] = lines;
    expect(created).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    expect(hasChecksum(created)).toBe(true);
    const text = readFileSync(path, "utf8");
    expect(text).toBe(
      `${lineOf(other)}sha256=${digestOf(created)} tenant=acme name=desk scopes=a:read,b expires=2099-01-31T23:59:59.999Z\n`,
    );
    expect(errors.join("\n")).toContain(`${path}:1 is an earlier key of acme/desk`);
    const file = new KeyFile(path, { API_ENVIRONMENT: "test" }, logger().log);
    expect(file.find(created)).toMatchObject({ tenantId: "acme", permissions: ["a:read", "b"] });
  });

  test("creates the file for its owner alone", async () => {
    const path = `${keysFile()}-new`;
    expect((await create(path, "--tenant", "acme", "--name", "desk")).code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["a tenant with a space", ["--tenant", "a b", "--name", "desk"], 1, "--tenant must be letters"],
    ["a name with a line break", ["--tenant", "acme", "--name", "a\nb"], 1, "--name must be letters"],
    ["an expiry in the past", ["--tenant", "acme", "--name", "a", "--expires", "2020-01-01"], 1, "--expires"],
    ["no name", ["--tenant", "acme"], 2, "'--name <name>' not specified"],
  ])("refuses %s, and writes nothing", async (_, argv, code, message) => {
    const path = keysFile();
    const done = await create(path, ...argv);
    expect([done.code, readFileSync(path, "utf8")]).toEqual([code, ""]);
    expect(done.errors.join("\n")).toContain(message);
  });

  /** Calls `save` when the command has opened the file and is about to write to it. */
  function whileWriting(save: () => void): void {
    const { writeSync } = fs;
    const replace = (write: typeof writeSync): void => {
      fs.writeSync = write;
      syncBuiltinESMExports();
    };
    replace(((...given: Parameters<typeof writeSync>) => {
      save();
      return writeSync(...given);
    }) as typeof writeSync);
    onTestFinished(() => replace(writeSync));
  }
  /** Saves `text` as an editor does, with another file that is renamed. */
  const saveByRenaming = (path: string, text: string): void => {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  };
  const args = ["--tenant", "acme", "--name", "new"];

  test("appends the line again if an editor replaces the file meanwhile", async () => {
    const path = keysFile(lineOf(key));
    let saves = 0;
    whileWriting(() => {
      if (saves++ === 0) saveByRenaming(path, `# edited\n${lineOf(other)}`);
    });
    const { code, lines } = await create(path, ...args);
    expect([code, saves]).toEqual([0, 2]);
    expect(readFileSync(path, "utf8")).toBe(
      `# edited\n${lineOf(other)}sha256=${digestOf(lines[0] ?? "")} tenant=acme name=new\n`,
    );
  });

  test("appends the line again if an editor removes the file before it writes it", async () => {
    const path = keysFile(lineOf(key));
    let saves = 0;
    whileWriting(() => {
      if (saves++ > 0) return;
      rmSync(path);
      setTimeout(() => writeFileSync(path, lineOf(other)), 30);
    });
    const { code, lines } = await create(path, ...args);
    expect(code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain(digestOf(lines[0] ?? ""));
    expect(readFileSync(path, "utf8")).toContain(lineOf(other));
  });

  test("prints no key that the file does not have", async () => {
    const path = keysFile(lineOf(key));
    whileWriting(() => saveByRenaming(path, lineOf(other)));
    const { code, lines, errors } = await create(path, ...args);
    expect([code, lines]).toEqual([1, []]);
    expect(errors.join("\n")).toContain("is replaced by another program again and again");
    expect(readFileSync(path, "utf8")).toBe(lineOf(other));
  });

  test("prints no key if an editor leaves a mistake in the file, which no gateway would apply", async () => {
    const path = keysFile(lineOf(key));
    let saves = 0;
    whileWriting(() => {
      if (saves++ === 0) saveByRenaming(path, "oops\n");
    });
    const { code, lines, errors } = await create(path, ...args);
    expect([code, lines]).toEqual([2, []]);
    expect(errors.join("\n")).toContain(`${path}:1: needs members`);
  });

  test("run twenty times at once, it creates twenty keys", async () => {
    const path = keysFile();
    const created = await Promise.all(Array.from({ length: 20 }, () => create(path, ...args)));
    const text = readFileSync(path, "utf8");
    for (const { lines } of created) expect(text).toContain(digestOf(lines[0] ?? ""));
  });

  test("refuses a file with a mistake, which no gateway would apply", async () => {
    const path = keysFile("oops\n");
    const done = await create(path, "--tenant", "acme", "--name", "desk");
    expect([done.code, readFileSync(path, "utf8")]).toEqual([2, "oops\n"]);
  });
});
