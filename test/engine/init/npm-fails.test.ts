/** `restbound init` in an empty folder where npm cannot install the packages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../src/engine/init/begin.ts";

test("where npm fails, the refusal says how to go on with a tarball", async () => {
  const root = mkdtempSync(join(tmpdir(), "npm-fails-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin/npm"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  writeFileSync(join(root, "openapi.json"), "{}");
  const errors: string[] = [];
  const io = { env: { PATH: join(root, "bin") }, root, out: () => undefined };
  const code = await init(["--openapi", "openapi.json"], { ...io, error: (line) => errors.push(line) });
  expect([code, errors]).toEqual([
    1,
    [expect.stringMatching(/^npm could not install them\. .*npm install its tarball, and run init again$/)],
  ]);
});
