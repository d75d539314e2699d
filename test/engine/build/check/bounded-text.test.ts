/** What `check` reads from elsewhere is bounded: by bytes, and by time. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../../../../src/engine/runtime/settings/config.ts";
import { ran, repository } from "./run.ts";

/** A server whose answers begin, and go on as `more` sends pieces. */
async function unending(coding: string, more: (out: Writable) => void): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": coding });
    more(response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(["identity", "gzip"] as const)(
  "an answer without an end is refused, sent as %s",
  async (coding) => {
    const spaces = Buffer.alloc(1_048_576, " ");
    const piece = coding === "gzip" ? gzipSync(spaces) : spaces; // a gzip stream is any number of these, RFC 1952 §2.2
    const url = await unending(coding, (out) => {
      const more = (): void => {
        while (out.write(piece));
        out.once("drain", more); // no drain comes once the client has left
      };
      more();
    });
    const { code, error } = await ran(repository(), ["--base", url]);
    expect([code, error]).toEqual([2, expect.stringContaining(`--base ${url}: is larger than 32 MiB`)]);
  },
);

test("a response that stalls is refused in time", async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const asked = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(500));
  onTestFinished(() => asked.mockRestore());
  const url = await unending("identity", (out) => out.write("{"));
  const { code, error } = await ran(repository(), ["--base", url]);
  expect([code, error]).toEqual([2, expect.stringMatching(/aborted due to timeout/)]);
  expect(asked).toHaveBeenCalled();
});

const fifo = (path: string): void => void execFileSync("mkfifo", [path]);

test.each([
  ["a FIFO", (root: string) => fifo(join(root, "usage"))],
  ["a device", (root: string) => symlinkSync("/dev/zero", join(root, "usage"))],
  ["a terminal", (root: string) => symlinkSync("/dev/tty", join(root, "usage"))],
] as const)("what is no regular file is refused, and not waited for: %s", async (_, make) => {
  const root = repository();
  make(root);
  const { code, error } = await ran(root, ["--base", "HEAD", "--usage", "usage"]);
  expect([code, error]).toEqual([2, expect.stringMatching(/--usage usage: (?:is not a regular file|E)/)]);
  renameSync(join(root, "usage"), join(root, "spec/openapi.yaml"));
  expect(await ran(root, [])).toMatchObject({ code: 3 });
  const secret = { GATEWAY_SECRET_FILE: join(root, "spec/openapi.yaml") };
  expect(() => readConfig(secret, [])).toThrow(/GATEWAY_SECRET_FILE: the file cannot be read/);
});

test("a file that is too large is refused", async () => {
  const root = repository();
  writeFileSync(join(root, "large"), "");
  truncateSync(join(root, "large"), 33_554_433);
  const { code, error } = await ran(root, ["--base", "HEAD", "--usage", "large"]);
  expect([code, error]).toEqual([2, expect.stringContaining("--usage large: is larger than 32 MiB")]);
});
