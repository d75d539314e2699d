/** The explorer's layout in a real Chromium, on a phone, a tablet, and in the dark. */
import { expect, test } from "vitest";
import { findBarriers, takePicture, timeout } from "./browser.ts";
import { openExplorer, openTab, result, run } from "./explorer-page.ts";

const deadPort = "http://127.0.0.1:9";

test("shows a product that is down, at 800 pixels and in the dark", { timeout }, async () => {
  const { page, noted } = await openExplorer({ width: 800, dark: true }, { REST_BASE_URL_AI: deadPort });
  await openTab(page, "StartPage");
  await run(page);
  await result(page, "UPSTREAM_UNAVAILABLE");
  await page.locator("#summary .status.bad", { hasText: /^200, 2 errors$/ }).waitFor();
  await page.getByRole("button", { name: /REST calls/ }).click();
  await page
    .getByRole("row", { name: /^listAgents no answer – / })
    .first()
    .waitFor();
  await takePicture(page, "explorer-800-dark-product-down");
  expect(await findBarriers(page, ["#explorer"])).toEqual([]);
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});

test("a phone shows the answer below the editors, and the whole call list", { timeout }, async () => {
  const { page } = await openExplorer({ width: 400 });
  await openTab(page, "StartPage");
  await run(page);
  await result(page, '"data"');
  const answer = await page.locator(".result-window").boundingBox();
  expect(answer?.width).toBeGreaterThan(250);
  await run(page); // now the list says of some calls how old their responses are
  await page.getByRole("button", { name: /REST calls/ }).click();
  await page.getByRole("cell", { name: "revalidated" }).first().waitFor();
  expect(await page.locator("#calls").evaluate((calls) => calls.scrollWidth - calls.clientWidth)).toBe(0);
  const beside = await page.locator(".result-window").boundingBox();
  expect(beside?.y).toBeGreaterThan(0);
  expect(beside?.height).toBeGreaterThan(160); // eight lines of the answer, and all the calls below it
  expect(await page.locator("#calls").evaluate((calls) => calls.getBoundingClientRect().bottom)).toBeLessThan(
    861,
  );
  const brokenWords = `[...document.querySelectorAll("#calls tbody th")].flatMap(({ childNodes }) => [...childNodes])
    .filter((node) => {
      const range = new Range();
      range.selectNodeContents(node);
      return node.data && range.getClientRects().length > 1;
    }).map(({ data }) => data)`;
  expect(await page.evaluate(brokenWords)).toEqual([]);
  await takePicture(page, "explorer-400");
});

test("on a phone the open documentation has the whole width, and its button gives it back", {
  timeout,
}, async () => {
  const { page } = await openExplorer({ width: 400 });
  const button = page.getByRole("button", { name: /Documentation Explorer/ });
  await button.click();
  const documentation = await page.locator(".graphiql-doc-explorer").boundingBox();
  expect(documentation?.width).toBeGreaterThan(250);
  expect(await page.locator(".graphiql-sessions").isVisible()).toBe(false);
  await button.click();
  await openTab(page, "WeeklyReport");
  expect(await run(page)).toMatchObject({ data: expect.anything() });
});

test.each([390, 820])(
  "the label of the search, the lines of variables and the buttons have room at %i pixels",
  {
    timeout,
  },
  async (width) => {
    const { page } = await openExplorer({ width });
    await openTab(page, "StartPage");
    const boxes = await page.evaluate<{ lines: number; covered: boolean }>(`(() => {
    const box = (query) => document.querySelector(query).getBoundingClientRect();
    const tool = box(".graphiql-editor-tool");
    const lines = [...document.querySelectorAll(".graphiql-editor-tool .view-line")].map((line) => line.getBoundingClientRect());
    const [buttons, first] = [box(".graphiql-toolbar"), box(".graphiql-query-editor .monaco-editor")];
    return {
      lines: lines.filter(({ height, top, bottom }) => height > 0 && top >= tool.top && bottom <= tool.bottom).length,
      covered: buttons.left < first.right && first.left < buttons.right && buttons.top < first.bottom && first.top < buttons.bottom,
    };
  })()`);
    expect(boxes.lines).toBeGreaterThanOrEqual(4);
    expect(boxes.covered).toBe(false);
    await page.getByRole("button", { name: /Documentation Explorer/ }).click();
    await page.locator(".graphiql-doc-explorer").waitFor();
    const search = await page.evaluate<{
      label: number;
      room: number;
      overflow: number;
      covers: boolean;
    }>(`(() => {
    const input = document.querySelector('.graphiql-doc-explorer-search [role="combobox"]');
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(input).font;
    const box = (query) => document.querySelector(query).getBoundingClientRect();
    const [around, search, title] = [box(".graphiql-doc-explorer"), box(".graphiql-doc-explorer-search"), box(".graphiql-doc-explorer-title")];
    return {
      label: pen.measureText(input.placeholder).width,
      room: input.clientWidth,
      overflow: search.right - around.right,
      covers: search.left < title.right && search.top < title.bottom,
    };
  })()`);
    expect(search.covers).toBe(false);
    expect(search.room).toBeGreaterThanOrEqual(search.label);
    expect(search.overflow).toBeLessThanOrEqual(0);
    await takePicture(page, `explorer-${width}-documentation`);
  },
);

test("is drawn in the dark at 1280 pixels", { timeout }, async () => {
  const { page, noted } = await openExplorer({ dark: true });
  await openTab(page, "StartPage");
  await run(page);
  await page.getByRole("button", { name: /REST calls/ }).waitFor();
  await takePicture(page, "explorer-1280-dark");
  expect(await findBarriers(page, ["#explorer"])).toEqual([]);
  expect(noted).toMatchObject({ foreign: [], errors: [] });
});
