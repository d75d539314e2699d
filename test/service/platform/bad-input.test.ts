/** The platform refuses bad input and names the argument. It stores nothing, and its answer never repeats the input. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, openPlatform, send } from "./fixture.ts";

let platform: FastifyInstance;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

const tooMany = Array.from({ length: 101 }, (_, index) => `id${index}`).join(",");

describe.each([
  ["/v1/crm/contacts?limit=100000", "limit"],
  ["/v1/crm/contacts?limit=0", "limit"],
  ["/v1/crm/contacts?limit=ten", "limit"],
  ["/v1/crm/contacts?limit=1.5", "limit"],
  ["/v1/crm/contacts?limit=1&limit=2", "limit"],
  ["/v1/crm/contacts?stage=unknown", "stage"],
  ["/v1/crm/contacts?nope=1", "nope"],
  [`/v1/crm/contacts?q=${"x".repeat(101)}`, "q"],
  ["/v1/crm/contacts?q=a%00b", "q"],
  ["/v1/crm/contacts?q=a%0Ab", "q"],
  ["/v1/crm/contacts?q[a]=1", "q[a]"],
  ["/v1/crm/contacts?q=a&q=b", "q"],
  ["/v1/crm/contacts?limit=0x10", "limit"],
  ["/v1/crm/contacts?limit=1e2", "limit"],
  ["/v1/crm/contacts?limit=50.0", "limit"],
  ["/v1/crm/contacts?limit=%205", "limit"],
  ["/v1/crm/contacts?limit=", "limit"],
  ["/v1/crm/contacts?__proto__=1", "__proto__"],
  ["/v1/crm/contacts?constructor=1", "constructor"],
  ["/v1/crm/contacts?toString=1", "toString"],
  ["/v1/crm/contacts?ids[toString]=1", "ids[toString]"],
  ["/v1/crm/contacts?=1", undefined],
  ["/v1/crm/contacts?ids=", "ids"],
  ["/v1/crm/contacts?ids=ok,%2e%2e", "ids"],
  [`/v1/crm/contacts?ids=${tooMany}`, "ids"],
  ["/v1/crm/contacts?cursor=WyJhIl0", "cursor"],
  ["/v1/crm/contacts?cursor=a.b", "cursor"],
  ["/v1/crm/contacts/a%2Fb", "contactId"],
  ["/v1/crm/contacts/a%3Fx=1", "contactId"],
  ["/v1/crm/contacts/%2e%2e%2fagents", "contactId"],
  [`/v1/crm/contacts/${"x".repeat(65)}`, "contactId"],
  ["/v1/inbox/conversations?status=OPEN", "status"],
  ["/v1/inbox/conversations?channel=fax", "channel"],
  ["/v1/inbox/messages", "conversationIds"],
  ["/v1/inbox/messages?conversationIds=a&limitPerConversation=21", "limitPerConversation"],
  ["/v1/insights/metrics?from=2026-02-30", "from"],
  ["/v1/insights/metrics?from=yesterday", "from"],
  ["/v1/insights/metrics?to=2026-1-1", "to"],
  ["/v1/insights/metrics?from=2026-03-02&to=2026-03-01", "from"],
  ["/v1/insights/metrics?from=2025-01-01&to=2026-01-02", "from"],
  ["/v1/insights/metrics?to=0000-01-15", "to"],
])("GET %s", (url, argument) => {
  it(`is refused, and the error names ${argument}`, async () => {
    const response = await get(platform, url);
    expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
    const { status, code, argument: named } = response.json();
    expect([status, code, named]).toEqual([400, "BAD_USER_INPUT", argument]);
  });
});

const message = { channel: "sms", to: "+12025550166", body: "Hello" };

describe.each([
  ["no channel", { ...message, channel: undefined }, "channel"],
  ["an unknown channel", { ...message, channel: "fax-canary" }, "channel"],
  ["a JSON number as recipient", { ...message, to: 12025550166 }, "to"],
  ["an empty recipient", { ...message, to: "" }, "to"],
  ["a recipient that is no phone number", { ...message, to: "canary" }, "to"],
  ["a recipient that is no e-mail address", { ...message, channel: "email", to: "a@canary" }, "to"],
  ["a web chat with an unknown contact", { ...message, channel: "webchat", to: "canary" }, "to"],
  ["a control character in an address", { ...message, channel: "email", to: "a\0@b.example" }, "to"],
  ["a line break in the recipient of a web chat", { ...message, channel: "webchat", to: "a\nb" }, "to"],
  ["a control character in the body", { ...message, body: "a\0b" }, "body"],
  ["an empty body", { ...message, body: "" }, "body"],
  ["a blank body", { ...message, body: " \n " }, "body"],
  ["a body that is too long", { ...message, body: "x".repeat(4097) }, "body"],
  ["an unknown property", { ...message, subject: "canary" }, "subject"],
])("sending with %s", (_name, payload, argument) => {
  it(`is refused, names ${argument} and stores nothing`, async () => {
    const before = await counts();
    const response = await send(platform, payload);
    expect(response.json()).toMatchObject({ status: 400, code: "BAD_USER_INPUT", argument });
    expect(response.body).not.toContain("canary");
    expect(await counts()).toEqual(before);
  });
});

it.each([["{"], ["null"], ["[]"], ['"canary"'], [JSON.stringify(JSON.stringify(message))], [""]])(
  "refuses the body %s",
  async (payload) => {
    const response = await send(platform, payload);
    expect(response.statusCode).toBe(400);
    expect(response.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(response.body).not.toContain("canary");
  },
);

it("refuses a content type other than JSON, and an idempotency key with a space", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const typed = await send(platform, JSON.stringify(message), { "content-type": type });
    expect(typed.json()).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  }
  const keyed = await send(platform, message, { "idempotency-key": "a b" });
  expect(keyed.json()).toMatchObject({ status: 400, argument: "Idempotency-Key" });
});

it("searches for the wildcards and the question mark of q literally", async () => {
  for (const q of ["%25", "_", "\\", "an?"])
    expect((await get(platform, `/v1/crm/contacts?q=${q}`)).json().items).toEqual([]);
});

async function counts(): Promise<unknown> {
  const { items } = (await get(platform, "/v1/insights/metrics")).json();
  const [contact] = (await get(platform, "/v1/crm/contacts?q=%2B12025550166")).json().items;
  return [items.map(({ total }: { total: number }) => total), contact?.id];
}

it("a parameter that is repeated often costs no more than its length", async () => {
  const ask = async (count: number) => {
    const before = process.cpuUsage();
    const path = `/v1/crm/contacts?${Array.from({ length: count }, () => "ids=a").join("&")}`;
    expect((await get(platform, path)).statusCode).toBe(400);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const least = async (count: number) =>
    Math.min(await ask(count), await ask(count), await ask(count), await ask(count), await ask(count));
  const few = await least(1_000);
  expect((await least(30_000)) / few).toBeLessThan(150); // 30 where cost grows with the length, 900 with its square
});
