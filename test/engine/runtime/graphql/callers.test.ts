/** Whose request it is: a gateway's tenant, a credential that REST has accepted, or else an address. */

import net from "node:net";
import type { FastifyRequest } from "fastify";
import { GraphQLObjectType } from "graphql";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  charactersPerMs,
  documentCharactersPerMs,
  msPerRefusal,
} from "../../../../src/engine/runtime/governor/work-costs.ts";
import { Callers } from "../../../../src/engine/runtime/graphql/callers.ts";
import { writeContextHeaders } from "../../../../src/engine/runtime/http/context-headers.ts";
import { proofHeader } from "../../../../src/engine/runtime/http/gateway-proof.ts";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import { operations } from "../../desk/generated/operations.ts";
import { configure } from "./configure.ts";
import { inFrontOf, me, send } from "./rest-stand-in.ts";

const secret = "a-secret-of-the-gateway";
const from = (ip: string, headers: object): FastifyRequest =>
  ({ id: "id", ip, headers }) as unknown as FastifyRequest;
const here = "192.0.2.1";
const there = "192.0.2.2";

const getMe = operations["GET /v1/identity/me"] as Operation;

/** REST answers an operation of the request with success. */
function succeed(callers: Callers, request: FastifyRequest, operation = getMe): void {
  callers.of(request).succeeded(operation);
  callers.remember(request);
}

test("credentials that REST has not accepted are one caller, their address", () => {
  const callers = new Callers(configure(), operations);
  const callerOf = (ip: string, headers: object) => callers.of(from(ip, headers)).caller;
  const unknown = callerOf(here, { "x-api-key": "a" });
  const made = [
    { "x-api-key": "b" },
    { authorization: "Bearer a" },
    { "x-api-key": "a", authorization: "b" },
    {},
  ];
  for (const headers of made) expect(callerOf(here, headers)).toBe(unknown);
  expect(callerOf(there, { "x-api-key": "a" })).not.toBe(unknown);
  succeed(callers, from(here, { "x-api-key": "a" }));
  expect(callerOf(here, { "x-api-key": "a" })).not.toBe(unknown);
  expect(callerOf(there, { "x-api-key": "a" })).toBe(callerOf(here, { "x-api-key": "a" }));
  expect(callerOf(here, { "x-api-key": "b" })).toBe(unknown);
});

test("a credential is one caller however it is spelled, and so is what is kept for it", () => {
  const callers = new Callers(configure(), operations);
  const spelled = ["Bearer a", "bEaReR a", "BEARER   a"].map((authorization) => ({ authorization }));
  for (const headers of spelled) {
    succeed(callers, from(here, headers));
    const { caller, identity } = callers.of(from(here, headers));
    expect([caller, identity]).toEqual([
      callers.of(from(there, spelled[0]!)).caller,
      callers.of(from(there, spelled[0]!)).identity,
    ]);
  }
  for (const authorization of ["Bearer A", "Bearer a b", "Basic a", "Bearera"])
    expect(callers.of(from(here, { authorization })).identity).not.toBe(
      callers.of(from(here, spelled[0]!)).identity,
    );
});

test("a Basic credential is one caller, whatever its base64 looks like, and so is one that another header brings", () => {
  const brought = { "GET shop/things": { ...getMe, id: "things", product: "shop" } };
  const credentials = [["x-shop"]];
  const places = { "x-shop": { in: "header", name: "authorization" } };
  Object.assign(brought["GET shop/things"], { credentials, places });
  const callers = new Callers(configure(), { ...operations, ...brought } as typeof operations);
  const spelled = [
    ["authorization", "Basic YWI6Y2Q=", "basic  YWI6Y2Q", "Basic Y.W~I6Y2Q=", "Basic YWI6Y2R="],
    ["x-shop", "Bearer a", "bEaReR   a"],
  ];
  for (const [name = "", ...texts] of spelled) {
    const all = texts.map((text) => from(here, { [name]: text }));
    for (const request of all)
      succeed(callers, request, name === "x-shop" ? brought["GET shop/things"] : undefined);
    expect(new Set(all.map(({ ip, headers }) => callers.of(from(ip, headers)).caller)).size).toBe(1);
  }
});

test("very many callers are kept apart", () => {
  const callers = new Callers(configure(), operations);
  const keys = Array.from({ length: 50_000 }, (_, count) => ({ "x-api-key": `key-${count}` }));
  for (const headers of keys) succeed(callers, from(here, headers));
  const told = new Set(keys.map((headers) => callers.of(from(here, headers)).caller));
  expect(told.size).toBe(50_000);
});

test("a request without a credential, or with two of which REST may have read either, makes no caller", () => {
  const callers = new Callers(configure(), operations);
  for (const headers of [{}, { "x-api-key": "a", authorization: "b" }]) {
    succeed(callers, from(here, headers));
    expect(callers.of(from(here, headers)).caller).toContain(here);
  }
});

describe("credentials for several products", () => {
  const ofCrm: Operation = { id: "contacts", product: "CRM", credentials: [["x-crm-key"]] };
  const ofBilling: Operation = { id: "payers", product: "BILLING", credentials: [["x-billing"]] };
  const ofBoth: Operation = { id: "both", product: "CRM", credentials: [["x-billing", "x-crm-key"]] };
  const open = () =>
    new Callers(configure(), { "GET crm/a": ofCrm, "GET billing/a": ofBilling, "GET crm/b": ofBoth });
  const owners = (callers: Callers, headers: object, ip = here) =>
    callers.of(from(ip, headers)).owners.map(({ name }) => name);
  const crm = { "x-crm-key": "c" };
  const billing = { "x-billing": "b" };

  test("a request is charged to the owner of each credential that REST has accepted", () => {
    const callers = open();
    succeed(callers, from(here, { ...crm, ...billing }), ofCrm);
    const [ofKey] = owners(callers, crm);
    expect(ofKey).toContain("x-crm-key");
    expect(owners(callers, { ...crm, ...billing })).toEqual([ofKey]);
    expect(owners(callers, billing)).toEqual([expect.stringContaining(here)]);
    succeed(callers, from(here, { ...crm, ...billing }), ofBilling);
    const both = owners(callers, { ...crm, ...billing });
    expect(both).toEqual([ofKey, ...owners(callers, billing)]);
    expect(owners(callers, { ...billing, ...crm }, there)).toEqual(both);
  });

  test("one call that needs both proves both", () => {
    const callers = open();
    succeed(callers, from(here, { ...crm, ...billing }), ofBoth);
    expect(owners(callers, { ...crm, ...billing })).toHaveLength(2);
  });

  test("made-up credentials beside a good one, or two of them, make no caller", () => {
    const callers = open();
    succeed(callers, from(here, crm), ofCrm);
    const good = owners(callers, crm);
    for (let count = 0; count < 100; count++) {
      const made = { ...crm, "x-billing": `made up ${count}` };
      expect(owners(callers, made)).toEqual(good);
      succeed(callers, from(here, made), ofCrm);
      expect(owners(callers, { "x-crm-key": `${count}`, "x-billing": `${count}` })).toEqual(
        owners(callers, {}),
      );
    }
  });

  test("an operation that takes either proves a credential that came alone, and none of two", () => {
    const either: Operation = { id: "either", product: "CRM", credentials: [["x-crm-key"], ["x-billing"]] };
    const callers = new Callers(configure(), { "GET crm/a": either });
    for (let count = 0; count < 10; count++)
      succeed(callers, from(here, { ...crm, "x-billing": `${count}` }), either);
    expect(owners(callers, { ...crm, "x-billing": "0" })).toEqual(owners(callers, {}));
    succeed(callers, from(here, crm), either);
    expect(owners(callers, { ...crm, "x-billing": "0" })).toEqual(owners(callers, crm));
    expect(owners(callers, { "x-billing": "0" })).toEqual(owners(callers, {}));
  });

  test("the owner of the credential that a product takes is known there, and one of the others elsewhere", () => {
    const callers = open();
    for (const operation of [ofCrm, ofBilling])
      succeed(callers, from(here, { ...crm, ...billing }), operation);
    const forwarded = callers.of(from(here, { ...crm, ...billing }));
    const [ofKey, ofToken] = forwarded.owners.map(({ name }) => name);
    expect([ofCrm, ofBilling, { id: "open", product: "" }].map((one) => forwarded.ownerFor(one))).toEqual([
      ofKey,
      ofToken,
      ofKey,
    ]);
  });
});

test("a tenant that the gateway vouches for is a caller at once", () => {
  const callers = new Callers(configure({ GATEWAY_SECRET: secret }), operations);
  const lists = { roles: [], permissions: [], features: [], keyScopes: [], teams: [] };
  const context = writeContextHeaders("X-Service-", { tenantId: "t", userId: "u", apiKeyId: "k", ...lists });
  expect(callers.of(from(here, { ...context, [proofHeader]: secret })).caller).toBe("tenant t");
  expect(callers.of(from(here, { ...context, [proofHeader]: "wrong" })).caller).toContain(here);
});

const body = JSON.stringify({ query: "{ me { id } }" });

test("a caller that holds every place keeps no other out, and made-up credentials get no places of their own", async () => {
  let isSlow = false;
  const { post } = await inFrontOf(
    ({ headers }, response) => {
      if (headers["x-api-key"] === "wrong") send(response, {}, 401);
      else if (!isSlow || headers["x-api-key"] === "other") send(response, me);
    },
    { MAX_CONCURRENT_REQUESTS: "4", CALL_TIMEOUT_MS: "60000", REQUEST_TIMEOUT_MS: "60000" },
  );
  const ask = (key: string, signal?: AbortSignal): Promise<number> =>
    post("", {
      body,
      headers: { "content-type": "application/json", "x-api-key": key },
      ...(signal && { signal }),
    }).then(({ status }) => status);
  expect([await ask("one"), await ask("other"), await ask("wrong")]).toEqual([200, 200, 401]);
  isSlow = true;
  const leaving = new AbortController();
  for (let held = 0; held < 4; held++) void ask("one", leaving.signal).catch(() => {});
  await expect.poll(() => ask("one", AbortSignal.timeout(1_000)).catch(() => 0)).toBe(503);
  expect(await ask("other")).toBe(200);
  let refused = 0;
  for (let index = 0; index < 12; index++)
    ask(`wrong${index}`, leaving.signal).then(
      (status) => (refused += Number(status === 503)),
      () => {},
    );
  await expect.poll(() => refused).toBeGreaterThanOrEqual(10); // 2 of 12 wait
  leaving.abort();
});

test("an answer that is compressed costs its caller more, also one that needs no execution", async () => {
  const large = { ...me, email: "x".repeat(700_000) };
  const { server, post } = await inFrontOf((_request, response) => {
    response.setHeader("cache-control", "max-age=600");
    send(response, large);
  });
  const elsewhere = vi.spyOn(server.upstreams.shares.processor, "chargeOtherThread");
  const charged = async (encoding: string): Promise<number[]> => {
    elsewhere.mockClear();
    const sent = { "content-type": "application/json", "x-api-key": "a", "accept-encoding": encoding };
    const answer = await post("{ me { email } }", { headers: sent });
    expect([answer.status, answer.headers.get("content-encoding")]).toEqual([
      200,
      encoding === "identity" ? null : encoding,
    ]);
    return elsewhere.mock.calls.map(([, ms]) => Math.round(ms));
  };
  for (const encoding of ["gzip", "br"]) expect(await charged(encoding)).toEqual([20]);
  expect(await charged("identity")).toEqual([]);
});

test("kept answers that are asked for together are charged one after the other, so that they may have to wait", async () => {
  const { server, post, url } = await inFrontOf((_request, response) => {
    response.setHeader("cache-control", "max-age=600");
    send(response, { ...me, email: "x".repeat(50_000) });
  });
  for (const key of ["a", "other"])
    await post("", { body, headers: { "content-type": "application/json", "x-api-key": key } });
  const asked = JSON.stringify({ query: "{ me { email } }" });
  const head = `POST ${url.pathname} HTTP/1.1\r\nHost: a\r\nX-Api-Key: a\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: ${asked.length}`;
  const socket = net.connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  let answered = 0;
  socket
    .setEncoding("latin1")
    .on("data", (text: string) => (answered += text.split("HTTP/1.1 200").length - 1));
  const ask = (count: number) => socket.write(`${head}\r\n\r\n${asked}`.repeat(count));
  ask(1);
  await expect.poll(() => answered).toBe(1);
  const { processor } = server.upstreams.shares;
  const turnOf = vi.spyOn(processor, "turnOf");
  const elsewhere = vi.spyOn(processor, "chargeOtherThread");
  ask(20);
  await expect.poll(() => answered).toBe(21);
  const passed = turnOf.mock.invocationCallOrder.filter((_, at) => !turnOf.mock.results[at]?.value);
  expect(passed.length).toBeGreaterThan(1);
  const charged = elsewhere.mock.invocationCallOrder;
  for (const [at, order] of passed.entries())
    expect(charged.filter((other) => other < order).length).toBeGreaterThanOrEqual(at);
});

test.each([
  ["that is too long", { query: `{ me { id } } #${"x".repeat(200_000)}` }],
  ["with too many lines", { query: `{ me { id } }${"\n".repeat(6_000)}` }],
  ["that is refused", { query: "{ nothing }" }],
  ["that is remembered as refused", { query: "{ nothing }" }],
  ["that is no document", { query: 1 }],
])("a document %s is charged to its caller", async (_name, document) => {
  const { server, post } = await inFrontOf((_request, response) => send(response, me));
  const { processor } = server.upstreams.shares;
  const worked = vi.spyOn(processor, "charge");
  const charged = () => worked.mock.calls.reduce((sum, [, ms]) => sum + ms, 0);
  const ask = async () => (await post("", { body: JSON.stringify(document) })).status;
  expect(await ask()).toBe(400);
  const before = charged();
  expect(await ask()).toBe(400);
  expect(charged()).toBeGreaterThanOrEqual(before + msPerRefusal);
});

test("a large body is charged by its length, once its caller's turn has come, and a small one is not", async () => {
  const { server, post } = await inFrontOf((_request, response) => send(response, me));
  const { processor } = server.upstreams.shares;
  const turnOf = vi.spyOn(processor, "turnOf");
  const worked = vi.spyOn(processor, "charge");
  for (const length of [1_000, 1_000_000]) {
    worked.mockClear();
    turnOf.mockClear();
    const body = JSON.stringify({ query: "{ me { id } }", variables: { unused: "x".repeat(length) } });
    expect((await post("", { body })).status).toBe(200);
    const charged = worked.mock.calls.findIndex(([, ms]) => ms === body.length / charactersPerMs);
    expect(charged).toBe(length > 1_000 ? 0 : -1);
    const order = worked.mock.invocationCallOrder[charged] ?? Number.POSITIVE_INFINITY;
    expect(turnOf.mock.invocationCallOrder[0]).toBeLessThan(order);
  }
});

/** Makes each call of a method take `ms` of elapsed and of processor time on top of what passes. Returns how many there were. */
function prolong<T extends object>(prototype: T, method: keyof T & string, ms: number): () => number {
  let calls = 0;
  const now = performance.now.bind(performance);
  const cpuUsage = process.cpuUsage.bind(process);
  const original = prototype[method] as (...given: unknown[]) => unknown;
  const spies = [
    vi.spyOn(performance, "now").mockImplementation(() => now() + calls * ms),
    vi.spyOn(process, "cpuUsage").mockImplementation((since) => {
      const { user, system } = cpuUsage();
      const later = user + calls * ms * 1_000;
      return { user: later - (since?.user ?? 0), system: system - (since?.system ?? 0) };
    }),
    vi.spyOn(prototype as Record<string, typeof original>, method).mockImplementation(function (
      this: unknown,
      ...given
    ) {
      calls++;
      return original.apply(this, given);
    }),
  ];
  onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
  return () => calls;
}

const charged = (worked: { mock: { calls: [unknown, number, ...unknown[]][] } }): number =>
  worked.mock.calls.reduce((sum, [, ms]) => sum + ms, 0);

test("the parsing of a document is charged to its caller, also of one that the parser refuses", async () => {
  const { server, post } = await inFrontOf((_request, response) => send(response, me));
  const worked = vi.spyOn(server.upstreams.shares.processor, "charge");
  const refused = `{ me { ${"id ".repeat(4_900)}`;
  expect((await post(refused)).status).toBe(400);
  expect(charged(worked)).toBeGreaterThanOrEqual(refused.length / documentCharactersPerMs);
});

test("introspection is charged to its caller", async () => {
  const { server, post } = await inFrontOf((_request, response) => send(response, me));
  const types = "types { fields { description type { fields { description type { name description } } } } }";
  const query = `{ __schema { ${types} } __typename }`;
  expect((await post(query)).status).toBe(200);
  const worked = vi.spyOn(server.upstreams.shares.processor, "charge");
  // the document is known, so the fields of types are read by the execution only
  const reads = prolong(GraphQLObjectType.prototype, "getFields", 10);
  expect((await post(query)).status).toBe(200);
  expect(reads()).toBeGreaterThan(10);
  expect(charged(worked)).toBeGreaterThan(reads() * 10);
});
