/** Every operation answers as the OpenAPI document says, with good credentials and without. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { loadContract } from "../../../src/platform/contract.ts";
import { createKey } from "../../../src/platform/keys/keys.ts";
import { openStore } from "../../../src/platform/store/store.ts";
import { first, keys, openPlatform } from "./fixture.ts";

const text = readFileSync(new URL("../../../spec/openapi.yaml", import.meta.url), "utf8");
const document = parse(text);
const operations = await loadContract();
const methods = ["get", "post", "put", "patch", "delete"];

/** Validates answers against the documented schemas, independently of the platform's own check. */
const ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false }));
ajv.addSchema(document, "openapi");
const pointer = (path: string): string => path.replaceAll("~", "~0").replaceAll("/", "~1");

const isProblem = ajv.compile({ $ref: "openapi#/components/schemas/Problem" });

let platform: FastifyInstance;
let requests: Record<string, InjectOptions>;

beforeAll(async () => {
  platform = await openPlatform();
  const conversation = await first(platform, "/v1/inbox/conversations");
  const agent = await first(platform, "/v1/ai/agents");
  const contact = await first(platform, "/v1/crm/contacts");
  const message = await first(platform, `/v1/inbox/messages?conversationIds=${conversation.id}`);
  requests = {
    getMe: { url: "/v1/identity/me" },
    listConversations: { url: "/v1/inbox/conversations?status=open&channel=whatsapp&limit=3" },
    getConversation: { url: `/v1/inbox/conversations/${conversation.id}` },
    listConversationsByContact: {
      url: `/v1/inbox/conversations-by-contact?contactIds=${conversation.contactId},${contact.id}`,
    },
    listMessages: { url: `/v1/inbox/messages?conversationIds=${conversation.id}&limitPerConversation=3` },
    listConversationMessages: { url: `/v1/inbox/conversations/${conversation.id}/messages?limit=3` },
    listAgents: { url: `/v1/ai/agents?ids=${agent.id}` },
    getAgent: { url: `/v1/ai/agents/${agent.id}` },
    listContacts: { url: "/v1/crm/contacts?q=an&limit=100" },
    getContact: { url: `/v1/crm/contacts/${contact.id}` },
    getMetrics: { url: "/v1/insights/metrics" },
    sendMessage: {
      method: "POST",
      url: "/v1/messages",
      payload: { channel: "sms", to: "+12025550177", body: "Hello" },
    },
    getMessage: { url: `/v1/messages/${message.id}` },
    listCampaigns: { url: "/v1/engage/campaigns" },
  };
});
afterAll(() => platform.close());

it("this test has a request for every operation of the document", () => {
  expect(Object.keys(requests).sort()).toEqual(operations.map(({ id }) => id).sort());
});

describe.each(operations)("$id", (operation) => {
  const path = operation.route.replace(/:(\w+)/g, "{$1}");
  const place = `openapi#/paths/${pointer(path)}/${operation.method.toLowerCase()}`;

  it("answers with the documented status and body", async () => {
    const response = await platform.inject({
      ...requests[operation.id],
      headers: { "x-api-key": keys.harborOwner },
    });
    expect(response.statusCode).toBe(operation.status);
    expect(response.headers["content-type"]).toMatch(/^application\/json/);
    expect(response.headers["cache-control"]).toMatch(
      operation.method === "GET" ? /^private, (?:no-cache|max-age=\d+)$/ : /^private, no-store$/,
    );
    const schema = `${place}/responses/${operation.status}/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: schema });
    validate(response.json());
    expect(validate.errors).toBeNull();
  });

  it("answers 401 with WWW-Authenticate to a request without a key and to a wrong key", async () => {
    for (const headers of [{}, { "x-api-key": "sk_test_wrong" }, { authorization: "Bearer sk_test_wrong" }]) {
      const response = await platform.inject({ ...requests[operation.id], headers });
      expect(response.statusCode).toBe(401);
      expect(response.headers["www-authenticate"]).toContain("Bearer");
      expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
      expect(isProblem(response.json())).toBe(true);
    }
  });

  it("documents every error status that it can answer", () => {
    const documented = Object.keys(document.paths[path][operation.method.toLowerCase()].responses);
    const expected = ["400", "401", "429", "500", "503"];
    if (operation.permission) expected.push("403");
    if (operation.route.includes(":")) expected.push("404");
    expect(documented).toEqual(expect.arrayContaining(expected));
  });
});

it("answers 404 for an unknown id and 405 with Allow for another method", async () => {
  const headers = { "x-api-key": keys.harborOwner };
  for (const { route } of operations.filter((operation) => operation.route.includes(":"))) {
    const url = route.replace(/:\w+/, "nobody_here");
    const response = await platform.inject({ url, headers });
    expect([response.statusCode, response.json().code]).toEqual([404, "NOT_FOUND"]);
  }
  for (const method of [
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "PROPFIND",
  ] as InjectOptions["method"][]) {
    const response = await platform.inject({ method, url: "/v1/crm/contacts/nobody_here", headers });
    expect([response.statusCode, response.headers.allow]).toEqual([405, "GET, HEAD"]);
  }
  for (const method of ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"] as InjectOptions["method"][]) {
    const response = await platform.inject({ method, url: "/v1/messages", headers });
    expect([response.statusCode, response.headers.allow]).toEqual([405, "POST"]);
  }
  const head = await platform.inject({ method: "HEAD", url: "/v1/crm/contacts", headers });
  expect([head.statusCode, head.body]).toEqual([200, ""]);
});

it("answers a plain 500 when a response breaks the contract; the log names the place and the request id", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "contract-")), "platform.sqlite");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const store = openStore(file);
  store.tenant("ten_odd").run("insertTenant", { name: "Odd", features: "[]", demo: 0 });
  const user = { id: "usr_odd", email: "no address", roles: "[]", teams: "[]" };
  store.tenant("ten_odd").run("insertUser", user);
  const key = { environment: "test", userId: user.id, scopes: ["*"], expiresAt: null } as const;
  const { secret } = createKey(store.tenant("ten_odd"), key, new Date());
  store.close();
  const odd = await openPlatform({ DATA_FILE: file });
  onTestFinished(() => odd.close());
  const logged = vi.spyOn(odd.log, "error");
  const headers = { "x-api-key": secret, "x-request-id": "request-of-odd" };
  const response = await odd.inject({ url: "/v1/identity/me", headers });
  expect(response.json()).toMatchObject({ status: 500, detail: "internal error" });
  expect(logged.mock.calls[0]?.[0]).toMatchObject({
    requestId: "request-of-odd",
    err: { message: expect.stringMatching(/^getMe .*\/email/) },
  });
});

it("gives every operation an id, a tag, a summary and a description", () => {
  for (const item of Object.values<Record<string, Record<string, unknown>>>(document.paths)) {
    for (const method of methods.filter((name) => item[name])) {
      expect(item[method]).toMatchObject({
        operationId: expect.any(String),
        tags: [expect.any(String)],
        summary: expect.any(String),
        description: expect.any(String),
      });
    }
  }
});

it("the document passes an OpenAPI linter, and its examples fit their schemas", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const findings = await lintFromString({ source: text, absoluteRef: "openapi.yaml", config });
  expect(findings.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  const schemas: [string, { example?: unknown }][] = Object.entries(document.components.schemas);
  for (const [name, { example }] of schemas.filter(([, schema]) => schema.example !== undefined)) {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
    validate(example);
    expect([name, validate.errors]).toEqual([name, null]);
  }
});
