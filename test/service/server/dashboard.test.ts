/** Where the dashboard is served, and what of it takes no key. */
import { describe, expect, test } from "vitest";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { openLayer } from "../e2e/layer.ts";

const elsewhere = { REST_BASE_URL: "http://127.0.0.1:9" };

describe("the dashboard", () => {
  test("is a keyless page under a policy, with a demo key and every file that it names", async () => {
    const { rest, calls } = await openLayer();
    const page = await rest("/");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*connect-src 'self'/);
    const html = await page.text();
    expect(html).toContain(demoKeys[0]?.key);
    const named = [...html.matchAll(/(?:src|href)="(\/(?!v1\/)[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(named).toContain("/examples/dashboard/main.js");
    for (const path of named) expect([path, (await rest(path)).status]).toEqual([path, 200]);
    expect(calls).toEqual([]);
  });

  test.each(["POST", "PUT", "DELETE"])("takes no %s", async (method) => {
    const { url } = await openLayer();
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("serves no other file", async () => {
    const { rest } = await openLayer();
    for (const path of ["/package.json", "/examples/dashboard/README.md", "/examples/dashboard/", "/uplot/"])
      expect([path, (await rest(path)).status]).toEqual([path, 404]);
  });

  test.each([
    ["in production", [], { NODE_ENV: "production" }],
    ["without the platform", ["graphql"], elsewhere],
    ["without GraphQL", ["gateway", "platform"], {}],
  ])("is nowhere %s", async (_where, roles, env) => {
    const { rest } = await openLayer(roles, env);
    expect((await rest("/")).status).toBe(404);
  });
});
