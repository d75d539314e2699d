/** Apollo Client, urql and Relay in a real Chromium, unmodified: a slow product holds its own panel only. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import Fastify from "fastify";
import type { Page } from "playwright-core";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { makeRelayProject } from "../clients/relay/project.ts";
import { keys } from "../e2e/layer.ts";
import { openWithSlowAgents } from "../slow-product.ts";
import { executable, openPage, timeout } from "./browser.ts";

const pages = join(import.meta.dirname, "pages");

/** Opens the page that `entryFor` returns the module of, from another origin than the layer's. */
async function openClient(entryFor: (api: string) => Promise<string>) {
  expect(executable, "wants Chromium: apt-get install chromium").toBeDefined();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const { layer, open } = await openWithSlowAgents({ CORS_ORIGINS: origin });
  const api = layer.url.origin;
  const bundle = await rolldown({
    input: await entryFor(api),
    platform: "browser",
    tsconfig: false,
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  onTestFinished(() => bundle.close());
  const [{ code }] = (await bundle.generate({ codeSplitting: false })).output;
  const host = Fastify();
  onTestFinished(() => host.close());
  const icon = '<link rel="icon" href="data:,">';
  const html = `<!doctype html><html data-uri="${api}/v1/graphql" data-key="${keys.owner}">${icon}
    <div id="page"></div><script type="module" src="/page.js"></script></html>`;
  host.get("/", (_request, reply) => reply.type("text/html").send(html));
  host.get("/page.js", (_request, reply) => reply.type("text/javascript").send(code));
  await host.listen({ port, host: "127.0.0.1" });
  const { page, noted } = await openPage([origin, api]);
  await page.goto(origin);
  return { page, noted, open };
}

const ownPage = (name: string) => async () => join(pages, name);
const agents = (page: Page) => page.locator("#agents li").count();
const asked = ({ requests }: { requests: readonly { method: string; path: string }[] }) =>
  requests.filter(({ method, path }) => method !== "OPTIONS" && path === "/v1/graphql").length;

test.each(["apollo.js", "urql.js"])(
  "%s shows the first part, and then the whole",
  { timeout },
  async (name) => {
    const { page, noted, open } = await openClient(ownPage(name));
    await page.getByText("olivia@harbor.example").waitFor();
    expect([await page.title(), await agents(page)]).toEqual(["waiting", 0]);
    open();
    await expect.poll(() => page.title()).toBe("whole");
    expect(await agents(page)).toBeGreaterThan(5);
    expect(asked(noted)).toBe(1);
    expect(noted).toMatchObject({ foreign: [], errors: [] });
  },
);

test("Relay renders the fallbacks of the deferred fragments, and then their data", { timeout }, async () => {
  const { page, noted, open } = await openClient(async (api) => {
    const src = await makeRelayProject(api);
    cpSync(join(pages, "relay.jsx"), join(src, "relay.jsx"));
    return join(src, "relay.jsx");
  });
  await page.getByText("olivia@harbor.example").waitFor();
  await page.getByText("Loading agents").waitFor();
  const assignees = () => page.locator("td").allInnerTexts();
  expect(new Set(await assignees())).toEqual(new Set(["…"]));
  open();
  await expect.poll(() => agents(page)).toBeGreaterThan(5);
  await expect.poll(assignees).not.toContain("…");
  expect(await assignees()).toHaveLength(50);
  expect(asked(noted)).toBe(1);
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});
