/** Products with documents of their own, over stand-ins of their services: one query, and to each service only what is its own. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { generate } from "../../../../src/engine/build/codegen/generate.ts";
import { projectAt } from "../../../../src/engine/build/project/project.ts";
import { open, type Service } from "../../../../src/engine/exports/server.ts";
import { readConfig } from "../../../../src/engine/runtime/settings/config.ts";
import { findSuspectSettings } from "../../../../src/engine/server/check-config.ts";
import { patient } from "../../../support/patient.ts";
import { Random } from "../../../support/random.ts";
import { http, rawServer } from "./raw-server.ts";

const project = join(import.meta.dirname, "../../../..");
let service: Service;

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "several-"));
  for (const [name, target] of [
    ["spec", "test/engine/build/codegen/cases/several-documents"],
    ["node_modules", "node_modules"],
  ] as const)
    symlinkSync(join(project, target), join(root, name));
  for (const [path, text] of await generate(projectAt(root).proved())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { api } = await import(join(root, "generated/index.ts"));
  service = { name: "several", root, api: async () => api };
  return () => rmSync(root, { recursive: true });
});

const credentials = {
  "x-crm-key": "secret-of-crm",
  "x-billing-authorization": "Bearer secret-of-billing",
  authorization: "Bearer secret-of-nobody",
};

const contact = (id: string) => ({ id, name: `Name of ${id}`, email: `${id}@example.com` });
const invoice = (of: string) => ({ id: `i-${of}`, contact: of, total: { amount: 7 }, payer: { number: 1 } });

/** The address of a layer in front of the services. */
async function opened(crm: URL, billing: URL, environment: NodeJS.ProcessEnv = {}): Promise<URL> {
  const { url, close } = await open(service, {
    ...patient,
    ...environment,
    REST_BASE_URL_CRM: crm.href,
    REST_BASE_URL_BILLING_EU: billing.href,
  });
  onTestFinished(close);
  return url;
}

/** The services, and the layer in front of them. */
async function layer(billing: "up" | "down" = "up", environment: NodeJS.ProcessEnv = {}) {
  const crm = await rawServer((socket, request) => {
    const isPost = request.startsWith("POST");
    socket.write(
      http(isPost ? 201 : 200, JSON.stringify(isPost ? contact("c") : [contact("a"), contact("b")])),
    );
  });
  const bills = await rawServer((socket, request) => {
    if (billing === "down") return void socket.destroy();
    const isOfInvoices = request.startsWith("GET /invoices");
    socket.write(
      http(200, JSON.stringify(isOfInvoices ? [invoice("b"), invoice("a"), invoice("b")] : [{ number: 4 }])),
    );
  });
  const url = await opened(new URL("/v1", crm.url), bills.url, environment);
  const ask = async (query: string, headers: Record<string, string> = credentials) => {
    const response = await fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query }),
    });
    return response.json();
  };
  return { ask, crm: crm.requests, billing: bills.requests };
}

/** The request lines, in their order by name. */
const lines = (requests: readonly string[]): string[] =>
  requests.map((request) => request.slice(0, request.indexOf(" HTTP/"))).sort();

test("one query asks the services of two documents, also below an object, whatever their paths and ids share", async () => {
  const { ask, crm, billing } = await layer();
  const query = '{ contacts(q: "x") { id invoices { id total { amount } } } payers { number } }';
  expect(await ask(query)).toEqual({
    data: {
      contacts: [
        { id: "a", invoices: [{ id: "i-a", total: { amount: 7 } }] },
        { id: "b", invoices: [1, 2].map(() => ({ id: "i-b", total: { amount: 7 } })) },
      ],
      payers: [{ number: 4 }],
    },
  });
  expect(lines(crm)).toEqual(["GET /v1/contacts?q=x"]);
  expect(lines(billing)).toEqual(["GET /contacts", "GET /invoices?contact=a,b"]);
});

test("each service receives its own credential, as its document says, and none of another", async () => {
  const { ask, crm, billing } = await layer();
  await ask("{ contacts { id invoices { id } } payers { number } }");
  await ask('mutation { createContact(input: { name: "c" }) { id } }');
  expect([crm.length, billing.length]).toEqual([2, 2]);
  for (const request of crm) {
    expect(request).toMatch(/^x-crm-key: secret-of-crm\r$/m);
    expect(request).not.toMatch(/^authorization:|secret-of-billing|secret-of-nobody/im);
  }
  for (const request of billing) {
    expect(request).toMatch(/^authorization: Bearer secret-of-billing\r$/m);
    expect(request).not.toMatch(/^x-(?!request-id)|secret-of-crm|secret-of-nobody/im);
  }
});

/** What a request to a service says in this header. */
const sentIn = (request: string, name: string): string =>
  new RegExp(`^${name}: (.*)\\r$`, "im").exec(request)?.[1] ?? "none";

test("hundreds of callers with mixed pairs of credentials at the same time: none gets what another may read", async () => {
  const random = new Random("mixed pairs");
  /** A service that tells its caller's credential in an answer to keep, sooner or later. */
  const telling = (header: string, body: (seen: string) => unknown) =>
    rawServer((socket, request) => {
      const isKept = sentIn(request, "if-none-match") !== "none";
      const answer = http(isKept ? 304 : 200, isKept ? "" : JSON.stringify(body(sentIn(request, header))), {
        "cache-control": random.pick(["max-age=60", "max-age=0, stale-while-revalidate=60", "no-cache"]),
        etag: '"same-for-all"',
      });
      setTimeout(() => socket.write(answer), random.int(8));
    });
  const crm = await telling("x-crm-key", (seen) => [{ id: "a", name: seen, email: "" }]);
  const bills = await telling("authorization", (seen) => [
    { id: seen, contact: "a", total: { amount: 1 }, payer: { number: 1 }, number: 1 },
  ]);
  const url = await opened(crm.url, bills.url);
  const keys = [
    "1",
    "2",
    "Bearer 1",
    "1, 2",
    "1 x-billing-authorization: Bearer 2",
    "a".repeat(2_000),
    "",
    undefined,
  ];
  const billingKeys = ["Bearer 1", "Bearer 2", "1", "2", "bearer 1x-crm-key: 2", undefined];
  const queries = [
    "{ contacts { id name invoices { id } } }",
    '{ invoices(contact: ["a"]) { id } contacts { name } }',
  ];
  let answered = 0;
  const ask = async (crmKey: string | undefined, billingKey: string | undefined, query: string) => {
    const headers = {
      "content-type": "application/json",
      ...(crmKey !== undefined && { [random.pick(["X-Crm-Key", "x-crm-key"])]: crmKey }),
      ...(billingKey !== undefined && {
        [random.pick(["X-Billing-Authorization", "x-billing-authorization"])]: billingKey,
      }),
    };
    const isGet = random.chance(0.3);
    const target = new URL(isGet ? `/v1/graphql?${new URLSearchParams({ query })}` : "/v1/graphql", url);
    const response = await fetch(
      target,
      isGet ? { headers } : { headers, method: "POST", body: JSON.stringify({ query }) },
    );
    const { data } = (await response.json()) as {
      data?: { contacts: { name: string; invoices?: { id: string }[] }[]; invoices?: { id: string }[] };
    };
    if (!data) return; // a caller that takes more than its share may be refused
    answered++;
    const [contactRead] = data.contacts;
    expect([contactRead?.name, (data.invoices ?? contactRead?.invoices)?.[0]?.id]).toEqual([
      crmKey ?? "none",
      billingKey ?? "none",
    ]);
  };
  for (let round = 0; round < 30; round++)
    await Promise.all(
      random.times(20, () => ask(random.pick(keys), random.pick(billingKeys), random.pick(queries))),
    );
  expect(answered).toBeGreaterThan(300);
  // many of them were answered by what was kept, or waited for each other
  expect(crm.requests.length).toBeLessThan(answered * 0.8);
  for (const request of crm.requests) expect(request).not.toMatch(/^(?:x-billing-)?authorization:/im);
  for (const request of bills.requests)
    expect(request).not.toMatch(/^x-(?:crm-key|billing-authorization):/im);
});

test("a caller with credentials for two products takes no place of another one, nor with made-up ones beside them", async () => {
  let isSlow = false;
  const crm = await rawServer((socket, request) => {
    if (!isSlow || sentIn(request, "x-crm-key") === "victim") socket.write(http(200, "[]"));
  });
  const bills = await rawServer((socket, request) => {
    const isGood = /^Bearer (?:attacker|victim)$/.test(sentIn(request, "authorization"));
    socket.write(http(isGood ? 200 : 401, isGood ? "[]" : "{}"));
  });
  const timeouts = { CALL_TIMEOUT_MS: "60000", REQUEST_TIMEOUT_MS: "60000" };
  const url = await opened(crm.url, bills.url, { ...timeouts, MAX_CONCURRENT_REQUESTS: "4" });
  const ask = (crmKey: string, token: string, query: string, signal?: AbortSignal): Promise<number> =>
    fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-crm-key": crmKey,
        "x-billing-authorization": `Bearer ${token}`,
      },
      body: JSON.stringify({ query }),
      ...(signal && { signal }),
    }).then(({ status }) => status);
  for (const who of ["attacker", "victim"])
    expect(await ask(who, who, "{ contacts { id } payers { number } }")).toBe(200);
  isSlow = true;
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  for (let held = 0; held < 4; held++)
    void ask("attacker", "attacker", `{ contacts(q: "${held}") { id } }`, leaving.signal).catch(() => {});
  await expect
    .poll(() => ask("attacker", "attacker", "{ contacts { id } }", AbortSignal.timeout(1_000)).catch(() => 0))
    .toBe(503);
  for (let count = 0; count < 20; count++)
    expect(await ask("attacker", `made up ${count}`, `{ contacts(q: "m${count}") { id } }`)).toBe(503);
  expect(await ask("other", "attacker", "{ contacts { id } }")).toBe(503);
  expect(await ask("victim", "victim", "{ contacts { id } }")).toBe(200);
});

test("the service of one document is down: the other's data is there", async () => {
  const { ask } = await layer("down");
  expect(await ask("{ contacts { id } payers { number } }")).toMatchObject({
    data: { contacts: [{ id: "a" }, { id: "b" }], payers: null },
    errors: [{ path: ["payers"], extensions: { code: "UPSTREAM_UNAVAILABLE" } }],
  });
});

test("a product without its own base URL stops the start: REST_BASE_URL would send its credentials elsewhere", async () => {
  const environment = { REST_BASE_URL: "http://127.0.0.1:9", REST_BASE_URL_CRM: "http://127.0.0.1:9" };
  await expect(open(service, environment)).rejects.toThrow(/^REST_BASE_URL_BILLING_EU: /m);
});

test("the context headers and the gateway's proof go to the products of CONTEXT_PRODUCTS, and to no other", async () => {
  const proof = "a-secret-of-the-gateway";
  const context = { "x-service-tenant-id": "tenant-1", "x-service-user-id": "user-1", traceparent };
  for (const [products, receives] of [
    ["", [false, false]],
    ["crm", [true, false]],
    ["CRM,billing-eu", [true, true]],
  ] as const) {
    const { ask, crm, billing } = await layer("up", { GATEWAY_SECRET: proof, CONTEXT_PRODUCTS: products });
    const sent = { ...credentials, ...context, "x-gateway-proof": proof };
    expect(await ask("{ contacts { id invoices { id } } payers { number } }", sent)).not.toHaveProperty(
      "errors",
    );
    for (const [requests, isReceiving] of [
      [crm, receives[0]],
      [billing, receives[1]],
    ] as const) {
      expect(requests.length).toBeGreaterThan(0);
      for (const request of requests) {
        const value = (name: string): string => sentIn(request, name);
        expect([value("x-gateway-proof"), value("x-service-tenant-id"), value("x-service-user-id")]).toEqual(
          isReceiving ? [proof, "tenant-1", "user-1"] : ["none", "none", "none"],
        );
        expect(value("traceparent")).toBe(traceparent);
        if (!isReceiving) expect(request).not.toMatch(/tenant-1|user-1|a-secret-of-the-gateway/);
      }
    }
  }
});

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("a start names the products that get no context headers, and an unknown product", async () => {
  const { operations } = await service.api();
  const doubts = (environment: object): string[] => {
    const urls = {
      REST_BASE_URL_CRM: "http://crm.example",
      REST_BASE_URL_BILLING_EU: "http://billing.example",
    };
    const lines = [...findSuspectSettings(readConfig({ ...urls, ...environment }, ["graphql"]), operations)];
    return lines.filter((line) => line.startsWith("CONTEXT_PRODUCTS"));
  };
  const secret = { GATEWAY_SECRET: "a-secret-of-the-gateway" };
  expect(doubts(secret)).toEqual([
    "CONTEXT_PRODUCTS: is not set, so no REST gets the context headers and GATEWAY_SECRET; name those of BILLING_EU, CRM that are your own, and no vendor's",
  ]);
  expect(doubts({})).toEqual([]);
  expect(doubts({ ...secret, CONTEXT_PRODUCTS: "crm" })).toEqual([]);
  expect(doubts({ ...secret, CONTEXT_PRODUCTS: "CRM, shop" })).toEqual([
    "CONTEXT_PRODUCTS: SHOP has no effect, because no product with its own document has this name; there are BILLING_EU, CRM",
  ]);
});
