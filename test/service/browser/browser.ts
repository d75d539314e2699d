/** A real Chromium for the page tests: what the page did wrong is noted, screenshots are kept to be looked at. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";

export const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** A busy machine is slow: only a page that hangs should fail by time. */
const patience = 100_000;
export const timeout = 300_000;

export type Noted = {
  /** Requests to other origins than the given ones. */
  readonly foreign: string[];
  /** Console errors, uncaught exceptions and violations of the policy. */
  readonly errors: string[];
  /** Method and path of each request, and its type as Chromium names it. */
  readonly requests: { readonly method: string; readonly path: string; readonly type: string }[];
};

type Opening = { readonly width?: number; readonly dark?: boolean };

/** The browser of a test file. Its contexts share no cookies, storage or cache. */
let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

/** A page of a fresh browser context that may talk to `origins`. */
export async function openPage(
  origins: readonly string[],
  { width = 1280, dark = false }: Opening = {},
): Promise<{ page: Page; noted: Noted }> {
  browser ??= chromium.launch({ executablePath: executable ?? "", args: flags.split(" ") });
  const context = await (await browser).newContext({
    viewport: { width, height: 860 },
    colorScheme: dark ? "dark" : "light",
  });
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail")
      await takePicture(page, `failed ${task.name.replace(/\W+/g, " ").slice(0, 60)}`);
    await context.close();
  });
  const noted: Noted = { foreign: [], errors: [], requests: [] };
  context.on("request", (request) => {
    const { protocol, origin, pathname } = new URL(request.url());
    if (["data:", "blob:"].includes(protocol)) return;
    if (!origins.includes(origin)) noted.foreign.push(request.url());
    noted.requests.push({ method: request.method(), path: pathname, type: request.resourceType() });
  });
  await context.exposeFunction("noteViolation", (text: string) => void noted.errors.push(text));
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    noteViolation(event.violatedDirective + " " + event.blockedURI))`);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.on("console", (message) => {
    if (message.type() === "error") noted.errors.push(message.text());
  });
  page.on("pageerror", (error) => void noted.errors.push(String(error)));
  return { page, noted };
}

const pictures = join(import.meta.dirname, "screenshots");

/** Keeps a picture beside the tests, in a folder that git ignores. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: name.startsWith("dashboard") });
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The serious and critical findings of axe-core, outside `exclude`, as rule and place. */
export async function findBarriers(page: Page, exclude: readonly string[] = []): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run({ exclude: ${JSON.stringify(exclude.map((one) => [one]))} }, { resultTypes: ["violations"] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
}
