/** Credentials that the server holds for vendors' APIs, over stand-ins of the vendors. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { HeldCredentials } from "../../../../src/engine/runtime/rest/held-credentials.ts";
import { readConfig } from "../../../../src/engine/runtime/settings/config.ts";
import { findSuspectSettings } from "../../../../src/engine/server/check-config.ts";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import {
  type Answered,
  ask,
  asTenant,
  canary,
  json,
  layer,
  proof,
  secrets,
  spec,
  vendor,
} from "./vendor-project.ts";

const items = [{ id: "1", name: "one" }];
const ok = (request: { method?: string | undefined; url?: string | undefined }) =>
  request.method === "POST" || /\/\w+\/./.test(request.url ?? "") ? items[0] : items;

type Project = Awaited<ReturnType<typeof layer>>["project"];

const codesOf = ({ errors = [] }: Answered): string[] => errors.map(({ extensions }) => extensions.code);

describe("a credential of the server", () => {
  test("goes to its vendor as the document says, in place of the caller's", async () => {
    const { vendors, begin } = await layer((request, response) => json(response, 200, ok(request)));
    const { url } = await begin();
    const query = '{ services { id } issues { id } places(q: "x") { id } boxes { id } notes { id } }';
    const headers = asTenant("acme", {
      authorization: "Bearer of-the-caller",
      "x-own-key": "own-key-of-caller",
    });
    expect(await ask(url, query, headers)).toMatchObject({
      data: { services: [{ id: "1" }], notes: [{ id: "1" }] },
    });
    const { pager, tracker, maps, mail, own } = vendors;
    expect(pager.seen[0]?.headers.authorization).toBe(secrets["pager-key"]);
    expect(tracker.seen[0]?.headers.authorization).toBe(`Bearer ${secrets["tracker/acme"]}`);
    expect(mail.seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(secrets["mail-login"]).toString("base64")}`,
    );
    expect(maps.seen[0]?.line).toBe("GET /places?q=x&api_key=c4nary-maps-key");
    expect(own.seen[0]?.headers["x-own-key"]).toBe("own-key-of-caller");
    expect(JSON.stringify(own.seen)).not.toContain(canary);
    for (const { seen } of [pager, tracker, maps, mail]) {
      expect(JSON.stringify(seen)).not.toMatch(/of-the-caller|own-key-of-caller|x-gateway-proof|x-service-/);
      expect(JSON.stringify(seen).match(/c4nary/g)?.length).toBe(seen === mail.seen ? undefined : 1);
    }
  });

  test("travels beside the fixed headers, which no caller and no other product has", async () => {
    const version = "{ name: X-Own-Version, in: header, required: true, schema: { type: string } }";
    const { vendors, begin } = await layer((request, response) => json(response, 200, ok(request)), {
      files: {
        "openapi/own.yaml": (spec["openapi/own.yaml"] ?? "").replace(
          "operationId: listNotes,",
          `operationId: listNotes, parameters: [${version}],`,
        ),
      },
      credentials: () => "own: { headers: { x-own-version: '2', User-Agent: shop/1 } }\n",
    });
    const { url } = await begin();
    const headers = asTenant("acme", { "x-own-key": "k", "X-Own-Version": "1", "user-agent": "curl" });
    expect(await ask(url, "{ services { id } notes { id } }", headers)).not.toHaveProperty("errors");
    expect(vendors.own.seen[0]?.headers).toMatchObject({
      "x-own-version": "2",
      "user-agent": "shop/1",
      "x-own-key": "k",
    });
    expect(vendors.pager.seen[0]?.headers).not.toHaveProperty("x-own-version");
    expect(vendors.pager.seen[0]?.headers["user-agent"]).not.toBe("shop/1");
    await expect(begin({ CONTEXT_HEADER_PREFIX: "X-Own-" })).rejects.toThrow(
      /CONTEXT_HEADER_PREFIX: x-own-version is a context header, and spec\/credentials\.yaml fixes it/,
    );
  });

  test("is each tenant's own where there is one per tenant", async () => {
    const { vendors, begin } = await layer((request, response) =>
      json(response, 200, [{ id: "1", name: `seen by ${request.headers.authorization?.slice(-6)}` }], {
        "cache-control": "max-age=60",
      }),
    );
    const { url } = await begin();
    const of = async (tenant: string) => ask(url, "{ issues { name } }", asTenant(tenant));
    const answers = await Promise.all(["acme", "globex", "acme", "globex"].map(of));
    expect(answers.map(({ data }) => data?.issues?.[0]?.name)).toEqual([
      "seen by f-acme",
      "seen by globex",
      "seen by f-acme",
      "seen by globex",
    ]);
    expect(await of("initech")).toMatchObject({
      errors: [
        {
          message: "tracker/listIssues: the tenant has no credential for it",
          extensions: { code: "FORBIDDEN" },
        },
      ],
    });
    expect(
      vendors.tracker.seen.every(({ headers }) => headers.authorization?.startsWith("Bearer c4nary")),
    ).toBe(true);
  });

  test("is used for callers only that the gateway vouches for", async () => {
    const { vendors, begin } = await layer((request, response) => json(response, 200, ok(request)));
    const { url } = await begin();
    const { "x-gateway-proof": _, ...unproved } = asTenant("acme");
    const given = [{}, unproved, { ...unproved, "x-gateway-proof": "wrong" }];
    for (const headers of [...given.map((each) => ({ ...each, "x-own-key": "own" })), asTenant("")])
      expect(codesOf(await ask(url, "{ services { id } issues { id } }", headers))).toContain(
        "UNAUTHENTICATED",
      );
    expect(vendors.pager.seen.length + vendors.tracker.seen.length).toBe(0);
  });

  test("is read again when its file changes, and that of a tenant without a file any more is not used", async () => {
    const { vendors, project, begin } = await layer((request, response) => json(response, 200, ok(request)));
    const { url } = await begin();
    const run = () => ask(url, "{ services { id } issues { id } }", asTenant("acme"));
    await run();
    project.write("secrets/pager-key", "Token token=c4nary-second\n");
    rmSync(join(project.directory, "tracker/acme"));
    await sleep(1_100);
    expect(await run()).toMatchObject({ errors: [{ path: ["issues"], extensions: { code: "FORBIDDEN" } }] });
    expect(vendors.pager.seen.map(({ headers }) => headers.authorization)).toEqual([
      secrets["pager-key"],
      "Token token=c4nary-second",
    ]);
    project.write("secrets/tracker/acme", "Bearer with-its-scheme");
    await sleep(1_100);
    expect(codesOf(await run())).toEqual(["UPSTREAM_UNAVAILABLE"]);
    expect(vendors.tracker.seen.length).toBe(1);
  });

  test("has a log line for each change of a tenant's file, with the tenant's id", async () => {
    const { project } = await layer(() => {});
    const lines: string[] = [];
    const config = readConfig({ CREDENTIALS_DIRECTORY: project.directory }, ["graphql"]);
    config.secretFiles.report = (line) => lines.push(line);
    const held = new HeldCredentials(config);
    onTestFinished(() => held.close());
    const credential = { in: "header", name: "authorization", file: "tracker", perTenant: true } as const;
    const operation = {
      held: { origin: "https://t.example", credentials: [credential] },
    } as unknown as Operation;
    const use = (tenant: string) =>
      held.of(operation, { tenant, permissions: new Set() }).then(
        () => "sent",
        (error: CodedError) => `${error.code}: ${error.message}`,
      );
    expect(await use("acme")).toBe("sent");
    project.write("secrets/tracker/initech", `${canary} of initech`);
    project.write("secrets/tracker/..data/initech", "what Kubernetes mounts beside it");
    rmSync(join(project.directory, "tracker/globex"));
    project.write("secrets/tracker/acme", canary);
    project.write("secrets/tracker/hooli", canary);
    await sleep(1_100);
    expect(await Promise.all(["globex", "initech", "hooli"].map(use))).toEqual([
      "FORBIDDEN: the tenant has no credential for it",
      "sent",
      "UPSTREAM_UNAVAILABLE: the credential that the server holds for the tenant cannot be used",
    ]);
    await use("acme");
    rmSync(join(project.directory, "tracker"), { recursive: true });
    await sleep(1_100);
    await use("acme");
    for (const tenant of ["acme", "initech"]) project.write(`secrets/tracker/${tenant}`, `${canary}-again`);
    await sleep(1_100);
    await use("acme");
    const folder = "CREDENTIALS_DIRECTORY: tracker";
    expect(lines).toEqual([
      `${folder}: tenants added: hooli, initech`,
      `${folder}: tenants withdrawn: globex`,
      `${folder}/hooli: cannot be used: must have at least 8 characters`,
      `${folder}/acme: the change is not applied: must have at least 8 characters`,
      `${folder}: the change is not applied: ENOENT`,
      `${folder}/acme: the change is not applied: ENOENT`,
      `${folder}: tenants withdrawn: hooli`,
      `${folder}/acme: the new value is in use`,
    ]);
  });

  test.each([
    ["half-written", ({ write }: Project) => write("secrets/pager-key", "Token\n")],
    ["gone for a moment", ({ directory }: Project) => rmSync(join(directory, "pager-key"))],
    [
      "a folder",
      ({ directory, write }: Project) => {
        rmSync(join(directory, "pager-key"));
        write("secrets/pager-key/x", "");
      },
    ],
  ])("stays in use while its file is %s", async (_, spoil) => {
    const { vendors, project, begin } = await layer((request, response) => json(response, 200, ok(request)));
    const { url } = await begin();
    const run = () => ask(url, "{ services { id } }", asTenant("acme"));
    await run();
    spoil(project);
    await sleep(1_100);
    expect(codesOf(await run())).toEqual([]);
    expect(vendors.pager.seen.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(secrets["pager-key"]),
    );
  });

  test("that the vendor refuses is a fault of the service, and of all only if all share it", async () => {
    const { vendors, begin } = await layer((_request, response) =>
      json(response, 401, { secret: "text of 401" }),
    );
    const { url } = await begin();
    const query = "{ services { id } issues { id } }";
    const leftAlone: string[] = [];
    for (let at = 0; at < 12; at++) {
      const answer = await ask(url, query, asTenant(at % 2 ? "acme" : "globex"));
      expect(codesOf(answer)).toEqual(["UPSTREAM_UNAVAILABLE", "UPSTREAM_UNAVAILABLE"]);
      expect(JSON.stringify(answer)).not.toContain("text of 401");
      leftAlone.push(
        ...(answer.errors ?? []).flatMap(({ message }) =>
          /calls are suspended/.test(message) ? message : [],
        ),
      );
    }
    expect(vendors.tracker.seen.length).toBe(12);
    expect(vendors.pager.seen.length).toBe(12 - leftAlone.length);
    expect(new Set(leftAlone)).toEqual(
      new Set(["pager/listServices: it failed too often; calls are suspended for a short time"]),
    );
  });

  test("a page that refuses the credential, or a refusal without a description, is no fault of the address", async () => {
    const { begin } = await layer((request, response) => {
      const isPager = request.url?.startsWith("/services");
      if (!isPager) return json(response, 403, { reason: "none of the document's" });
      response.writeHead(401, { "content-type": "text/html" }).end("<html>401</html>");
    });
    const { url } = await begin();
    const { errors = [] } = await ask(url, '{ services { id } issue(id: "1") { id } }', asTenant("acme"));
    expect(errors.map(({ message }) => message).sort()).toEqual([
      "pager/listServices: the service refuses the server's credential",
      "tracker/getIssue: the service does not permit it to this server",
    ]);
  });

  test("one caller's 403 or 429 opens the circuit for no caller", async () => {
    const { vendors, begin } = await layer((_request, response) =>
      json(response, vendors.pager.seen.length % 2 ? 403 : 429, {}),
    );
    const { url } = await begin();
    for (let at = 0; at < 12; at++) await ask(url, "{ services { id } }", asTenant("acme"));
    expect(vendors.pager.seen.length).toBe(12);
  });

  test("a write drops what was kept for the whole tenant, and for no other", async () => {
    const { vendors, begin } = await layer((request, response) =>
      json(response, request.method === "POST" ? 201 : 200, ok(request), { "cache-control": "max-age=60" }),
    );
    const { url } = await begin();
    const read = (tenant: string, user: string) =>
      ask(url, "{ issues { id } }", asTenant(tenant, { "x-service-user-id": user }));
    const readAll = () => Promise.all([read("acme", "one"), read("acme", "two"), read("globex", "three")]);
    await readAll();
    await readAll();
    expect(vendors.tracker.seen.length).toBe(3);
    const write = 'mutation { addIssue(input: { name: "x" }) { id } }';
    await ask(url, write, asTenant("acme", { "x-service-user-id": "one" }));
    await readAll();
    expect(vendors.tracker.seen.map(({ line }) => line).sort()).toEqual([
      ...Array(5).fill("GET /issues"),
      "POST /issues",
    ]);
  });
});

test("a start with a tenant's malformed file warns of it, and serves the other tenants", async () => {
  const { begin, project, service, env } = await layer((request, response) =>
    json(response, 200, ok(request)),
  );
  project.write("secrets/tracker/globex", "Bearer of-globex");
  project.write("secrets/tracker/hooli/a", "a folder");
  project.write("secrets/tracker/.gitkeep", "");
  const { url } = await begin();
  const { errors } = await ask(url, "{ issues { id } }", asTenant("globex"));
  expect(errors).toMatchObject([
    {
      message: "tracker/listIssues: the credential that the server holds for the tenant cannot be used",
      extensions: { code: "UPSTREAM_UNAVAILABLE" },
    },
  ]);
  expect(codesOf(await ask(url, "{ issues { id } }", asTenant("acme")))).toEqual([]);
  const { operations } = await service.api();
  const warnings = [...findSuspectSettings(readConfig(env, ["graphql"]), operations)];
  const fault = (tenant: string, reason: string) =>
    `CREDENTIALS_DIRECTORY: tracker/${tenant} in ${project.directory}, a credential of the server: ${reason}`;
  expect(warnings.filter((line) => line.startsWith("CREDENTIALS_DIRECTORY"))).toEqual([
    fault("globex", 'must be the token alone, without "Bearer"'),
    fault("hooli", "is a folder, not a file"),
  ]);
});

describe("a start is refused", () => {
  const start = async (changes: NodeJS.ProcessEnv) => {
    const { begin } = await layer((request, response) => json(response, 200, ok(request)));
    return begin(changes).then(
      () => "started",
      (error: Error) => error.message,
    );
  };

  test("where no gateway verifies callers", async () => {
    const message = await start({ GATEWAY_SECRET: "" });
    expect(message).toMatch(
      /^GATEWAY_SECRET: is not set, and spec\/credentials\.yaml has credentials of the server/,
    );
  });

  test("with a vendor at another origin than the pinned one", async () => {
    const other = await vendor(() => {});
    expect(await start({ REST_BASE_URL_PAGER: other.origin })).toMatch(
      /^REST_BASE_URL_PAGER: .* to which spec\/credentials\.yaml pins the credential$/,
    );
  });

  test("if a vendor would get the gateway's headers", async () => {
    expect(await start({ CONTEXT_PRODUCTS: "pager" })).toMatch(
      /^CONTEXT_PRODUCTS: PAGER is called with a credential/,
    );
  });

  test("without the files, with a line for each and nothing of their content", async () => {
    const { begin, project } = await layer((request, response) => json(response, 200, ok(request)));
    project.write("secrets/pager-key", `${canary}\nsecond line`);
    project.write("secrets/mail-login", `${canary}-without-a-user`);
    rmSync(join(project.directory, "maps-key"));
    rmSync(join(project.directory, "tracker"), { recursive: true });
    const message = await begin().then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(message.split("\n").sort()).toEqual(
      [
        `CREDENTIALS_DIRECTORY: mail-login in ${project.directory}, a credential of the server: must be user:password`,
        `CREDENTIALS_DIRECTORY: maps-key in ${project.directory}, a credential of the server: cannot be read (ENOENT)`,
        `CREDENTIALS_DIRECTORY: pager-key in ${project.directory}, a credential of the server: must have one line of visible ASCII characters`,
        `CREDENTIALS_DIRECTORY: tracker in ${project.directory}, a credential of the server: cannot be read (ENOENT)`,
      ].sort(),
    );
  });

  test("but not with a gateway in the same process", async () => {
    const introspection = await vendor((_request, response) => json(response, 200, { active: false }));
    const { service, env } = await layer((request, response) => json(response, 200, ok(request)));
    const { open } = await import("../../../../src/engine/exports/server.ts");
    const { close } = await open(
      service,
      {
        ...env,
        GATEWAY_SECRET: "",
        REST_BASE_URL: introspection.origin,
        KEY_INTROSPECTION_URL: `${introspection.origin}/introspect`,
      },
      ["gateway", "graphql"],
    );
    await close();
    expect(proof).toBeDefined();
  });
});
