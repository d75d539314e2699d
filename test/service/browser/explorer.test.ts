/** The explorer in a real Chromium: it is ready to use, explains its answers, and talks to nobody else. */
import Fastify from "fastify";
import { buildSchema } from "graphql";
import { expect, onTestFinished, test } from "vitest";
import { createExplorer } from "../../../src/engine/runtime/graphql/explorer/explorer.ts";
import { keys } from "../e2e/layer.ts";
import { findBarriers, openPage, takePicture, timeout } from "./browser.ts";
import { openExplorer, openTab, result, run, write } from "./explorer-page.ts";

test("opens without an error, runs each saved operation as it is, and shows its REST calls", {
  timeout,
}, async () => {
  const { page, noted } = await openExplorer();
  for (const name of [
    "FindCustomers",
    "Customer",
    "Dashboard",
    "StartPage",
    "TeamInbox",
    "Messages",
    "WeeklyReport",
  ]) {
    await openTab(page, name);
    expect(await run(page), name).toEqual({ data: expect.anything(), extensions: expect.anything() });
    await result(page, '"data"');
    await page.locator("#summary .status.good", { hasText: /^200$/ }).waitFor();
  }
  await openTab(page, "StartPage");
  await run(page);
  await page.getByRole("button", { name: /REST calls/ }).click();
  const calls = page.getByRole("region", { name: "REST calls" });
  const cached = calls.getByRole("cell", { name: /^cached \d+ s ago$/ });
  const runAgain = async (): Promise<number> => {
    await run(page);
    await result(page, "olivia@harbor.example");
    return cached.count();
  };
  // a run on a busy machine may take longer than the freshness lifetime of the responses
  await expect.poll(runAgain, { timeout: 200_000 }).toBeGreaterThan(0);
  await calls.getByRole("rowheader", { name: "getMetrics" }).waitFor();
  expect(await calls.getByRole("rowheader").allInnerTexts()).toHaveLength(7);
  await takePicture(page, "explorer-1280");
  expect(await findBarriers(page, ["#explorer"])).toEqual([]);
  await page.reload();
  await page.locator(".graphiql-query-editor .view-lines").first().waitFor();
  await expect.poll(() => page.locator(".graphiql-tab-button").count()).toBe(8);
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});

test("keeps its tabs when it is reloaded, opened or not", { timeout }, async () => {
  const { page } = await openExplorer();
  const titles = () => page.locator(".graphiql-tab-button").allInnerTexts();
  const before = await titles();
  expect(before).toHaveLength(8);
  await openTab(page, "Answer");
  await write(page, ".graphiql-variable-editor, .graphiql-editor-tool", '{"body":"kept"}');
  const stored = () =>
    page.evaluate(() => Object.entries(localStorage).find(([name]) => name.endsWith("tabState"))?.[1]);
  await expect.poll(stored).toContain("kept"); // GraphiQL stores a change of the tabs half a second later
  for (let count = 0; count < 2; count++) {
    await page.reload();
    await page.locator(".graphiql-query-editor .view-lines").first().waitFor();
    await expect.poll(titles).toEqual(before);
    expect(await stored()).toContain("kept"); // the page has drawn its tabs, and has not thrown the change away
  }
});

test("sends a message, and another text of it", { timeout }, async () => {
  const { page } = await openExplorer();
  await openTab(page, "Answer");
  const variables = (body: string) => JSON.stringify({ channel: "whatsapp", to: "+12035550119", body });
  for (const body of ["One.", "Two."]) {
    await write(page, ".graphiql-variable-editor, .graphiql-editor-tool", variables(body));
    expect(await run(page)).toMatchObject({ data: { sendMessage: { body } } });
  }
});

// GraphiQL learns an operation's name a tenth of a second after its text, later on a slow machine
test("runs an operation right after a change of tab", { timeout }, async () => {
  const { page } = await openExplorer();
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await page.evaluate(`
    [...document.querySelectorAll(".graphiql-tab-button")].find(({ innerText }) => innerText === "WeeklyReport").click();
    document.querySelector(".graphiql-execute-button").click();`);
  const response = await (await sent).response();
  expect(await response?.json()).toEqual({ data: expect.anything(), extensions: expect.anything() });
});

test("finds a field by search, and its documentation names the REST operation and the permission", {
  timeout,
}, async () => {
  const { page, noted } = await openExplorer();
  await page.getByRole("button", { name: /Documentation Explorer/ }).click();
  await page.locator(".graphiql-doc-explorer").waitFor();
  await page.locator(".graphiql-doc-explorer-search-input").click();
  await page.keyboard.type("assignee");
  await page.getByRole("option", { name: "Conversation.assignee", exact: true }).click();
  const documentation = page.locator(".graphiql-doc-explorer");
  await documentation.getByText("GET /v1/ai/agents", { exact: false }).waitFor();
  await documentation.getByText("ai:agents:read", { exact: false }).waitFor();
  await takePicture(page, "explorer-documentation");
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});

test("shows a deferred part when it comes, and its calls", { timeout }, async () => {
  const { page, noted } = await openExplorer();
  await write(
    page,
    ".graphiql-query-editor",
    'query Start { me { email } ... @defer(label: "people") { agents { name } } }',
  );
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await result(page, /"agents"/);
  await page.getByRole("button", { name: /REST calls/ }).click();
  await page.getByRole("row", { name: /^listAgents in people GET/ }).waitFor();
  await page.locator("#summary", { hasText: "first part" }).waitFor();
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});

test("takes another key, from the bar or from the Headers editor", { timeout }, async () => {
  const { page } = await openExplorer();
  await write(page, ".graphiql-query-editor", "{ me { email } }");
  await page.getByLabel("API key").fill(keys.otherOwner);
  await run(page);
  await result(page, "amara@lumen.example");
  await page.getByRole("button", { name: "Headers", exact: true }).click();
  await write(
    page,
    ".graphiql-editor-tool .graphiql-editor:not(.hidden)",
    JSON.stringify({ "X-API-Key": keys.owner }),
  );
  await run(page);
  await result(page, "olivia@harbor.example");
});

test("shows a refused key", { timeout }, async () => {
  const { page } = await openExplorer();
  await page.getByLabel("API key").fill("sk_test_nobody");
  await run(page);
  await result(page, "UNAUTHENTICATED");
  await page.locator("#summary .status.bad", { hasText: /^401, 1 error$/ }).waitFor();
  await takePicture(page, "explorer-wrong-key");
});

test("says that there is no answer, and shows nothing of the one before", { timeout }, async () => {
  const { page } = await openExplorer();
  await openTab(page, "StartPage");
  await run(page);
  await page.getByRole("button", { name: /REST calls/ }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await result(page, "The browser got no answer from the server: Failed to fetch");
  expect(await page.locator(".result-window").innerText()).not.toContain("stack");
  expect(await page.locator("#summary").innerText()).toBe("no answer");
  expect(await page.locator("#toggle").isHidden()).toBe(true);
  await takePicture(page, "explorer-no-answer");
});

test("an API without saved operations has an explorer, which sends the key in the header that the API names", {
  timeout,
}, async () => {
  const schema = buildSchema("type Query { tickets: [String!] }");
  const explorer = createExplorer({ schema, operations: [], credentials: ["x-token"] }, {});
  const host = Fastify();
  onTestFinished(() => host.close());
  host.get("/v1/graphql", (_request, reply) => explorer(reply));
  host.post("/v1/graphql", ({ headers }) => ({
    data: { token: headers["x-token"], key: headers["x-api-key"] },
  }));
  const origin = await host.listen({ port: 0, host: "127.0.0.1" });
  const { page, noted } = await openPage([origin]);
  await page.goto(`${origin}/v1/graphql`);
  await page.locator(".graphiql-query-editor .view-line", { hasText: "__typename" }).waitFor();
  expect(await page.getByLabel("API key").getAttribute("placeholder")).toBe("sent as x-token");
  await page.getByLabel("API key").fill("secret");
  expect(await run(page)).toEqual({ data: { token: "secret" } });
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});
