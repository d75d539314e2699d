/** The example dashboard in a real Chromium: one request fills it, a product that is down leaves the others drawn. */
import { setTimeout } from "node:timers/promises";
import Fastify from "fastify";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { serveDashboard } from "../../../src/platform/demo/dashboard.ts";
import { freePort } from "../../support/free-port.ts";
import { keys, openLayer } from "../e2e/layer.ts";
import { openWithSlowAgents } from "../slow-product.ts";
import { executable, findBarriers, type Noted, openPage, takePicture, timeout } from "./browser.ts";

/** A port that nobody listens on. */
const deadPort = "http://127.0.0.1:9";
const clean = { foreign: [], errors: [] };

/** Notes each text of a canvas with its box; `touchingLabels` then tells of any two that are less than 2 pixels apart. */
const noteLabels = `{
  const labels = new Map(), { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    labels.set(this, []);
    clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const size = this.measureText(text), { e, f } = this.getTransform();
    const box = { text, left: e + x - size.actualBoundingBoxLeft, right: e + x + size.actualBoundingBoxRight,
      top: f + y - size.actualBoundingBoxAscent, bottom: f + y + size.actualBoundingBoxDescent };
    labels.set(this, [...(labels.get(this) ?? []), box]);
    fillText.call(this, text, x, y);
  };
  window.touchingLabels = () => [...labels.values()].flatMap((boxes) => boxes.flatMap((one, at) => boxes.slice(at + 1)
    .filter((other) => one.left < other.right + 2 && other.left < one.right + 2 && one.top < other.bottom + 2 && other.top < one.bottom + 2)
    .map((other) => one.text + " / " + other.text)));
  window.noted = labels;
}`;

async function openDashboard(
  opening: Parameters<typeof openPage>[1] = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<{ page: Page; noted: Noted }> {
  expect(executable, "wants Chromium: apt-get install chromium").toBeDefined();
  const { url } = await openLayer([], environment);
  const opened = await openPage([url.origin], opening);
  await opened.page.addInitScript(noteLabels);
  await opened.page.goto(url.href);
  await loaded(opened.page);
  return opened;
}

const loaded = async (page: Page): Promise<void> => {
  await page.locator('main[aria-busy="false"]').waitFor({ state: "attached" });
  await page.locator('#agents[aria-busy="false"]').waitFor({ state: "attached" }); // the last part
};
const asked = ({ requests }: Noted): number => requests.filter(({ method }) => method === "POST").length;
const rows = (page: Page, id: string) => page.locator(`#${id} tbody tr`);

test.each([
  ["dashboard-1280", {}],
  ["dashboard-1280-dark", { dark: true }],
  ["dashboard-800", { width: 800 }],
  ["dashboard-800-dark", { width: 800, dark: true }],
  ["dashboard-390", { width: 390 }],
  ["dashboard-390-dark", { width: 390, dark: true }],
])("%s: one GraphQL request draws five products", { timeout }, async (name, opening) => {
  const { page, noted } = await openDashboard(opening);
  await page.getByText("olivia@harbor.example").waitFor();
  expect(await page.locator(".tile canvas").count()).toBe(6);
  expect(await rows(page, "conversations").count()).toBeGreaterThan(3);
  await page.getByText(/^\d+ of \d+ open conversations/).waitFor();
  expect(await page.locator("#agents li").count()).toBeGreaterThan(5);
  expect(await rows(page, "contacts").count()).toBe(8);
  await page.getByText(/1 GraphQL request instead of \d+ REST calls/).waitFor();
  expect(asked(noted)).toBe(1);
  await takePicture(page, name);
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  expect(overflow).toBeLessThanOrEqual(0);
  const clipped = `[...document.querySelectorAll(".scroll, input")].filter((one) => one.scrollWidth > one.clientWidth).length`;
  expect(await page.evaluate(clipped)).toBe(0);
  const scaled =
    "[...noted.values()].filter((boxes) => boxes.some(({ text }) => /^[1-9]/.test(text))).length";
  expect(await page.evaluate(scaled)).toBe(6);
  expect(await page.evaluate("touchingLabels()")).toEqual([]);
  expect(await findBarriers(page)).toEqual([]);
  expect(noted).toMatchObject(clean);
});

test("a search finds contacts, and a message is sent to one of them", { timeout }, async () => {
  const { page, noted } = await openDashboard();
  await page.getByRole("searchbox").fill("hannah m");
  await page.getByText("Hannah Moreau").waitFor();
  await expect.poll(() => rows(page, "contacts").count()).toBe(2);
  await rows(page, "contacts")
    .filter({ hasText: "Hannah Moreau" })
    .getByRole("button", { name: "Write to Hannah Moreau" })
    .click();
  await page.getByLabel("Text").fill("Your order is on its way.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(/^Sent, and/).waitFor();
  await expect.poll(() => asked(noted)).toBe(4); // the page, the search, the message, the page anew
  expect(noted).toMatchObject(clean);
});

test("a product that is down is named, and the others are drawn", { timeout }, async () => {
  const { page, noted } = await openDashboard({}, { REST_BASE_URL_AI: deadPort });
  const notice = page.getByRole("alert");
  await expect.poll(() => notice.innerText()).toContain("Missing right now: ");
  expect(
    (await notice.innerText())
      .replace(/.*: |\. .*/g, "")
      .split(", ")
      .sort(),
  ).toEqual(["agents", "assignees"]);
  await page.getByText("Cannot be shown right now: agents.").waitFor();
  expect(await page.locator(".tile canvas").count()).toBe(6);
  expect(await rows(page, "conversations").count()).toBeGreaterThan(3);
  expect(await rows(page, "contacts").count()).toBe(8);
  await takePicture(page, "dashboard-product-down");
  expect(await findBarriers(page)).toEqual([]);
  expect(noted).toMatchObject(clean);
});

test("a slow product holds its own panel only", { timeout }, async () => {
  const { layer, open } = await openWithSlowAgents();
  const { url } = layer;
  const { page, noted } = await openPage([url.origin]);
  await page.goto(url.href);
  await page.getByText("olivia@harbor.example").waitFor();
  await page.locator('main[aria-busy="false"]').waitFor({ state: "attached" });
  expect(await page.locator(".tile canvas").count()).toBe(6);
  expect(await rows(page, "conversations").count()).toBeGreaterThan(3);
  expect(await rows(page, "contacts").count()).toBe(8);
  expect(await page.locator("#agents .body").innerText()).toBe("Loading …");
  expect(await page.locator("#agents li").count()).toBe(0);
  const assignees = () => page.locator('td[data-head="Assignee"]').allInnerTexts();
  expect(new Set(await assignees())).toEqual(new Set(["…"]));
  await takePicture(page, "dashboard-slow-product");
  await setTimeout(3_000);
  open();
  await loaded(page);
  expect(await page.locator("#agents li").count()).toBeGreaterThan(5);
  expect(await assignees()).not.toContain("…");
  await page.getByText(/1 GraphQL request instead of \d+ REST calls/).waitFor();
  expect(asked(noted)).toBe(1);
  expect(noted).toMatchObject(clean);
});

test("a missing permission is named, and the refused address is marked", {
  timeout,
}, async () => {
  const { page } = await openDashboard();
  await page.getByLabel("Channel").selectOption("sms");
  await page.getByRole("textbox", { name: "To" }).fill("nowhere");
  await page.getByLabel("Text").fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(/^Not sent: must be a number such as \+12025550143 for sms\.$/).waitFor();
  expect(await page.locator("[aria-invalid]").getAttribute("name")).toBe("to");
  await page.getByLabel("API key").fill(keys.analyst);
  await page.getByRole("button", { name: "Load" }).click();
  await expect.poll(() => page.getByText(/^Not sent/).count()).toBe(0); // it told of another key's message
  const notice = page.getByRole("alert");
  await expect
    .poll(() => notice.innerText())
    .toBe("This key may not read: contacts, names of contacts. Everything else is up to date.");
  await page.getByText("This key may not read: contacts.", { exact: true }).waitFor();
  await takePicture(page, "dashboard-forbidden");
});

test("on a phone the open conversations are above the charts", { timeout }, async () => {
  const { page } = await openDashboard({ width: 390 });
  const top = async (id: string) => (await page.locator(id).boundingBox())?.y ?? Number.NaN;
  expect(await top("#conversations")).toBeLessThan(await top("#metrics"));
});

test("a wrong key shows an error, another one loads", { timeout }, async () => {
  const { page } = await openDashboard();
  await page.getByLabel("API key").fill("sk_test_nobody");
  await page.getByRole("button", { name: "Load" }).click();
  await expect.poll(() => page.getByRole("alert").innerText()).toContain("the API key is not valid");
  expect(await page.getByText("olivia@harbor.example").count()).toBe(0);
  await takePicture(page, "dashboard-wrong-key");
  await page.getByLabel("API key").fill(keys.otherOwner);
  await page.getByRole("button", { name: "Load" }).click();
  await page.getByText("amara@lumen.example").waitFor();
  await expect.poll(() => page.getByRole("alert").isVisible()).toBe(false);
});

test("works from another origin that CORS_ORIGINS names", { timeout }, async () => {
  expect(executable).toBeDefined();
  const host = Fastify();
  onTestFinished(() => host.close());
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const { url } = await openLayer([], { CORS_ORIGINS: origin });
  serveDashboard(host, { key: keys.owner, api: url.origin });
  await host.listen({ port, host: "127.0.0.1" });
  const { page, noted } = await openPage([origin, url.origin]);
  await page.goto(origin);
  await page.getByText("olivia@harbor.example").waitFor();
  expect(asked(noted)).toBe(1);
  expect(noted).toMatchObject(clean);
});
