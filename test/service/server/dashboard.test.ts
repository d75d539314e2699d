/** Where the dashboard is served, and what of it takes no key. */
import { parse, visit } from "graphql";
import { describe, expect, test } from "vitest";
import { api } from "../../../generated/index.ts";
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

/** The paths of all fields, with the text of their arguments. */
function fieldsOf(text: string): Set<string> {
  const path = [] as string[];
  const fields = new Set<string>();
  visit(parse(text), {
    Field: {
      enter({ name, arguments: given = [] }) {
        path.push(name.value + given.map(({ loc }) => loc?.source.body.slice(loc.start, loc.end)).join());
        fields.add(path.join("."));
      },
      leave: () => void path.pop(),
    },
  });
  return fields;
}

test("the dashboard's document asks for the fields of the saved operation from which its types are", async () => {
  const { startPage } = (await import("../../../examples/dashboard/start-page.js" as string)) as {
    startPage: string;
  };
  const saved = api.savedOperations.find(({ name }) => name === "StartPage");
  expect(startPage).toContain("@defer");
  expect(fieldsOf(startPage)).toEqual(fieldsOf(saved?.body ?? ""));
});
