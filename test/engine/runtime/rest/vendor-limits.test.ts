/** A vendor's rate limit where the server holds the vendor's credential: what tenants, other products and the circuit see of it. */
import { expect, test } from "vitest";
import { type Answered, ask, asTenant, json, layer } from "./vendor-project.ts";

const items = [{ id: "1", name: "one" }];
const codesOf = ({ errors = [] }: Answered): string[] => errors.map(({ extensions }) => extensions.code);
const services = "{ services { id } }";

test("a tenant that floods leaves the others their part of the owner's limit", async () => {
  const { vendors, begin } = await layer((_request, response) => json(response, 200, items), {
    edit: (text) => text.replace("pager:\n", "pager:\n  rateLimit: { requests: 20, seconds: 3600 }\n"),
  });
  const { url } = await begin();
  const refused: Answered[] = [];
  for (let at = 0; at < 30; at++) {
    const answer = await ask(url, services, asTenant("acme"));
    if (answer.errors) refused.push(answer);
  }
  const ofAcme = vendors.pager.seen.length;
  expect(ofAcme).toBe(30 - refused.length);
  expect(refused[0]).toMatchObject({
    errors: [
      {
        message:
          "pager/listServices: too many requests for the service's rate limit, which all callers share",
        extensions: { code: "RATE_LIMITED", retryAfter: expect.any(Number), operation: "pager/listServices" },
      },
    ],
  });
  for (const tenant of ["globex", "initech", "hooli"])
    expect(codesOf(await ask(url, services, asTenant(tenant)))).toEqual([]);
  for (let at = 0; at < 60; at++) await ask(url, services, asTenant(`tenant${at % 20}`));
  expect(vendors.pager.seen.length).toBe(20);
});

test("a limit that the vendor advertises is kept to, also by the callers that come next", async () => {
  let left = 12;
  const { vendors, begin } = await layer((_request, response) => {
    left = Math.max(left - 1, 0);
    json(response, 200, items, { "ratelimit-policy": '"a";q=12;w=600', ratelimit: `"a";r=${left};t=600` });
  });
  const { url } = await begin();
  for (let at = 0; at < 40; at++) await ask(url, services, asTenant(["acme", "globex"][at % 2] ?? ""));
  const { length } = vendors.pager.seen;
  expect(length).toBeGreaterThanOrEqual(9);
  expect(codesOf(await ask(url, services, asTenant("newcomer")))).toEqual([]);
  for (let at = 0; at < 20; at++) await ask(url, services, asTenant(`tenant${at}`));
  expect(vendors.pager.seen.length).toBe(12);
});

test("a 429 for the whole key pauses its calls, and neither another product, nor a cached answer, nor the circuit", async () => {
  let isLimited = false;
  const { vendors, begin } = await layer((request, response) => {
    const isPager = request.url?.startsWith("/services");
    if (isPager && request.url !== "/services")
      return json(response, 200, items[0], { "cache-control": "max-age=60" });
    if (isPager && isLimited) return json(response, 429, {}, { "retry-after": "2" });
    json(response, 200, items);
  });
  const { url } = await begin();
  const one = '{ service(id: "1") { id } }';
  const run = async (tenant: string) =>
    codesOf(await ask(url, "{ services { id } issues { id } }", asTenant(tenant)));
  expect(codesOf(await ask(url, one, asTenant("acme")))).toEqual([]);
  isLimited = true;
  expect(await run("acme")).toEqual(["RATE_LIMITED"]);
  expect(await run("globex")).toEqual(["RATE_LIMITED"]);
  const before = vendors.pager.seen.length;
  for (let at = 0; at < 20; at++)
    expect(await run(["acme", "globex"][at % 2] ?? "")).toEqual(["RATE_LIMITED"]);
  expect(vendors.pager.seen.length).toBe(before);
  expect(codesOf(await ask(url, one, asTenant("acme")))).toEqual([]);
  isLimited = false;
  await expect.poll(() => run("acme"), { timeout: 5_000, interval: 100 }).toEqual([]);
});
