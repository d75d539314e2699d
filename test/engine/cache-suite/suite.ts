/**
 * The public suite of tests for HTTP caches (cache-tests.fyi), as npm packs it: its cases, its runner and the handlers of its
 * origin server. It is fetched once, into a cache folder, and used only if it is the very archive that is named here.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fetchPinned } from "../../support/fetch-pinned.ts";

const version = "http-cache-tests@0.4.5";
const integrity =
  "sha512-DjuwN9nUZXLTW+wav1LRESCZNVxl8SshwOy4z1pxuWbWt5/ay6sM9QQ1lebBaDO6P1IMBoK6mdf+PuVP/QNL8A==";

export type Case = {
  readonly id: string;
  readonly name: string;
  /** `required` if it is absent. `optimal`: a cache that saves more calls. `check`: a question without a right answer. */
  readonly kind?: "required" | "optimal" | "check";
  readonly depends_on?: readonly string[];
};
export type Group = { readonly name: string; readonly id: string; readonly tests: readonly Case[] };

/** `true`, or the error's name and message. `Setup`: what the case builds on did not come about. */
export type Result = true | readonly [name: string, message: string];

/** Cases that run at once: the suite's own default. More of them would make responses stale on a slow machine. */
const atOnce = 100;

/** What of the Fetch API the runner uses. */
export type Fetch = (url: string, init?: Init) => Promise<Fetched>;
export type Init = { method?: string; headers?: [string, string][]; body?: string };
export type Fetched = Pick<Response, "status" | "statusText" | "headers" | "text">;

type Handle = (path: string[], request: IncomingMessage, response: ServerResponse) => void;
type Runner = {
  /** `isBrowser`: the cache is private to its user. */
  runTests(
    groups: readonly Group[],
    fetch: Fetch,
    isBrowser: boolean,
    base: string,
    chunk: number,
  ): Promise<void>;
  getResults(): Record<string, Result>;
};

/** A file of the suite. */
async function load<T>(file: string): Promise<T> {
  return (await import(join(fetchPinned(version, integrity), file))) as T;
}

export const readGroups = async (): Promise<readonly Group[]> =>
  (await load<{ default: readonly Group[] }>("tests/index.mjs")).default;

/** The results of a browser, as the suite has recorded them. */
export const readResults = async (browser: string): Promise<Record<string, Result>> =>
  JSON.parse(readFileSync(join(fetchPinned(version, integrity), "results", `${browser}.json`), "utf8"));

/** Runs all cases through `fetch`, many at once. */
export async function run(
  groups: readonly Group[],
  fetch: Fetch,
  base: URL,
): Promise<Record<string, Result>> {
  const { runTests, getResults } = await load<Runner>("client/runner.mjs");
  await runTests(groups, fetch, true, base.origin, atOnce);
  return getResults();
}

/** The suite's origin. It finds the number of a request in `X-Request-Id`, the one header that no cache key holds. */
export async function startOrigin(): Promise<{ url: URL; close(): void }> {
  const names = ["config", "state", "test"];
  const modules = names.map((name) => load<{ default: Handle }>(`server/handle-${name}.mjs`));
  const handlers = new Map(
    (await Promise.all(modules)).map((module, index) => [names[index], module.default]),
  );
  const server = createServer((request, response) => {
    const [, name, ...path] = (request.url ?? "").split(/[/?]/);
    request.headers["req-num"] = request.headers["x-request-id"];
    handlers.get(name)?.(path, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}`), close: () => void server.close() };
}
