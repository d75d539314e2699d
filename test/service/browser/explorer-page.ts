/** Opens the explorer in a real Chromium and uses it as a person does. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openLayer } from "../e2e/layer.ts";
import { executable, type Noted, openPage } from "./browser.ts";

/** The explorer of all roles, its editor there. */
export async function openExplorer(
  opening: Parameters<typeof openPage>[1] = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<{ page: Page; noted: Noted }> {
  expect(executable, "wants Chromium: apt-get install chromium").toBeDefined();
  const { url } = await openLayer([], environment);
  const opened = await openPage([url.origin], opening);
  await opened.page.goto(new URL("/v1/graphql", url).href);
  await opened.page.locator(".graphiql-query-editor .view-line", { hasText: "FindCustomers" }).waitFor();
  return opened;
}

/** Opens the tab of a saved operation. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.locator(".graphiql-tab-button").getByText(name, { exact: true }).click();
  await page
    .locator(".graphiql-query-editor .view-line", { hasText: new RegExp(`(?:query|mutation).${name}`) })
    .waitFor();
}

/** Runs the operation of the open tab. Returns the GraphQL response. */
export async function run(page: Page): Promise<{ data?: unknown; errors?: unknown }> {
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await page.getByRole("button", { name: /^Execute query/ }).click();
  const response = await (await sent).response();
  return (await response?.json()) as { data?: unknown; errors?: unknown };
}
export const result = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator(".result-window", { hasText: text }).waitFor();

/** Replaces what an editor of GraphiQL holds. */
export async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} .view-lines`).first().click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}
