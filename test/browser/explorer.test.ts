/** The explorer in a real Chromium: it renders, runs a query with a key typed in, and talks to nobody else. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { keys, openLayer } from "../e2e/layer.ts";

const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** A page of a fresh browser, and what it asked of others or was forbidden. */
async function openPage(origin: string): Promise<{ page: Page; foreign: string[]; violations: string[] }> {
  const profile = mkdtempSync(join(tmpdir(), "explorer-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: executable ?? "",
    headless: true,
    args: flags.split(" "),
    viewport: { width: 1400, height: 900 },
  });
  onTestFinished(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  });
  const foreign: string[] = [];
  const violations: string[] = [];
  browser.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && !["data:", "blob:"].includes(protocol)) foreign.push(request.url());
  });
  await browser.exposeFunction("noteViolation", (text: string) => void violations.push(text));
  await browser.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    noteViolation(event.violatedDirective + " " + event.blockedURI))`);
  const page = await browser.newPage();
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
  return { page, foreign, violations };
}

/** Replaces what an editor of GraphiQL holds. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} .view-lines`).first().click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

test("a browser's GET shows GraphiQL, which runs a query with the key in its Headers tab", {
  timeout: 120_000,
}, async () => {
  expect(executable, "wants Chromium: apt-get install chromium").toBeDefined();
  const { url } = await openLayer();
  const { page, foreign, violations } = await openPage(url.origin);
  await page.goto(new URL("/v1/graphql", url).href);
  await page.locator(".graphiql-query-editor .view-lines").first().waitFor();

  await page.getByRole("button", { name: "Headers", exact: true }).click();
  await write(
    page,
    ".graphiql-editor-tool .graphiql-editor:not(.hidden)",
    JSON.stringify({ "X-API-Key": keys.owner }),
  );
  await write(page, ".graphiql-query-editor", "{ me { email } }");
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await page.locator(".result-window", { hasText: "olivia@harbor.example" }).waitFor({ timeout: 20_000 });

  expect(foreign).toEqual([]);
  expect(violations).toEqual([]);
});
