/** The benches cannot rot: a short run starts every server, and each answers every workload as the floor does. */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { wrk } from "./wrk.ts";

const file = (name: string): string => new URL(name, import.meta.url).pathname;

/** `signal` ends what takes too long. */
const run = (signal: AbortSignal, args: string[], changes: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, args, { env: { ...process.env, ...changes }, signal });

const isHere = (command: string): boolean => !spawnSync(command, ["-v"]).error;
const hasTools = isHere("nginx") && isHere("wrk");

test.skipIf(!hasTools)("every server of the bench answers alike, and is measured", async ({ signal }) => {
  const { stdout } = await run(signal, [file("bench.ts"), "--no-tailcall"], { ROUNDS: "1", SECONDS: "1" });
  for (const workload of ["me", "dashboard", "ids", "nested", "mixed", "process"])
    expect(stdout).toMatch(new RegExp(`^\\| ${workload} \\|[^]*?\\| ours \\| [1-9]`, "m"));
  for (const server of ["floor", "ours", "mercurius", "apollo"])
    expect(stdout.split(`| ${server} |`)).toHaveLength(7);
  expect(stdout.split("| ours, from a browser |")).toHaveLength(6);
  expect(stdout).toMatch(/^5000 callers, REST: validators$/m);
});

test.skipIf(!hasTools)("each caller sends each request of the load, with its own key", async () => {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    seen.add(`${request.headers["x-api-key"]} ${await text(request)}`);
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await wrk(url, { connections: 2, seconds: 1, keys: 3, bodies: ["a", "b"] });
  server.close();
  expect([...seen].sort()).toEqual(["key-0 a", "key-0 b", "key-1 a", "key-1 b", "key-2 a", "key-2 b"]);
});

test.skipIf(!hasTools)(
  "the table of polling is whole, and a client that has the answer causes no REST call",
  async ({ signal }) => {
    const { stdout } = await run(signal, [file("polling.ts")], { ROUNDS: "1", SECONDS: "1" });
    expect(stdout.match(/^\|.*\|$/gm)).toHaveLength(6);
    expect(stdout).toMatch(/\(304\) \| [1-9]\d* \| [1-9]\d* \| [\d.]+ \| 0\.00 \|$/m);
  },
);

test.skipIf(!hasTools)("the parts of a profile add up, and each is in the table", async ({ signal }) => {
  const { stdout } = await run(signal, [file("profile.ts"), "--workload", "nested"], { SECONDS: "1" });
  const rows = [...stdout.matchAll(/^\| ([^|]+) \| ([\d.]+) % \| [\d.]+ \|$/gm)];
  const shares = new Map(rows.map(([, part = "", share]) => [part, Number(share)]));
  expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0);
  for (const part of ["undici", "REST calls", "parsing REST's JSON", "fair shares, quotas, start queue"])
    expect(shares.get(part), part).toBeGreaterThan(0);
});

test.skipIf(!isHere("haproxy"))("the table of processes is whole", async ({ signal }) => {
  const { stdout } = await run(signal, [file("processes.ts")], { ROUNDS: "1", SECONDS: "0.2" });
  expect(stdout.match(/^\| [12] .* \| [1-9]\d* \| .*\|$/gm)).toHaveLength(6);
});

test("the table of sizing has each workload of both roles", async ({ signal }) => {
  const { stdout } = await run(signal, [file("sizing.ts")], { SECONDS: "0.3" });
  expect(stdout.match(/^\| (?:graphql|gateway) \|.*\| [1-9][\d,]* \| [1-9]\d* MiB \|$/gm)).toHaveLength(6);
});

test("the table of warming has a fresh process, switches of V8, and a warm-up", async ({ signal }) => {
  const args = [file("warming.ts"), "--warm-up", "50", "--", "--always-sparkplug"];
  const { stdout } = await run(signal, args, { SECONDS: "0.2", ROUNDS: "1" });
  const cells = String.raw`(?: \| (?:0\.0[1-9]|0\.[1-9]\d|[1-9][\d.]*)){7} \|$`;
  for (const kind of ["fresh", "--always-sparkplug", "--always-sparkplug 50 ms of requests before"])
    expect(stdout).toMatch(new RegExp(`^\\| ${kind}${cells}`, "m"));
});

test("the table of starts has the floor, this in each form, and the others", async ({ signal }) => {
  const main = file("../../../src/main.ts");
  const { stdout } = await run(signal, [file("start.ts"), main], { ROUNDS: "1" });
  expect(stdout.match(/^\| .* \| [1-9]\d* \| [\d.]+ \| [1-9]\d* \| [1-9]\d* \| [\d.]+ \|$/gm)).toHaveLength(
    5,
  );
});

test("the tables of growth are whole, up to their largest rows", async ({ signal }) => {
  const { stdout } = await run(signal, [file("growth.ts"), "s per "], { SECONDS: "0.01" });
  const sizes = [...stdout.matchAll(/^│ \d +│ (\d+) /gm)].map(([, size]) => Number(size));
  const lists = [1, 10, 100, 1_000, 10_000];
  expect(sizes).toEqual([lists, lists, lists, lists.slice(0, 4), lists.slice(0, 4)].flat());
});

test("the table of apps' operations has its largest row", async ({ signal }) => {
  const { stdout } = await run(signal, [file("growth.ts"), "apps of 200"], { SECONDS: "0.01" });
  const apps = [...stdout.matchAll(/^│ \d +│ (\d+) +│ [\d.]+ +│ [\d.]+ +│/gm)].map(([, count]) =>
    Number(count),
  );
  expect(apps).toEqual([1, 10, 100]);
}, 300_000);

test("a server that runs ends with its bench when another one does not start", async ({ signal }) => {
  const bench = `
    import { listens, startProgram } from "${file("../../support/child-process.ts")}";
    console.log((await listens(startProgram(["${file("upstream.ts")}"]))).href);
    await listens(startProgram(["-e", ""]));`;
  const { stdout: url } = await run(signal, ["--input-type=module", "-e", bench]).catch((error) => error);
  expect(url).toMatch(/^http:/);
  await expect.poll(() => fetch(url).catch(() => "gone")).toBe("gone");
});
