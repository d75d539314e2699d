/** The size of V8's young generation: each start that is deployed sets it, and one without it in a small container says so. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addFiles } from "../../../src/engine/build/init/project-files.ts";
import { youngGeneration } from "../../../src/engine/runtime/settings/capacity.ts";
import { findSmallYoungGeneration } from "../../../src/engine/server/check-config.ts";

const { option } = youngGeneration;
const root = join(import.meta.dirname, "../../..");

test.each([
  ["package.json", `exec node ${option} src/main.ts`],
  ["deploy/Dockerfile", `ENTRYPOINT ["node", "${option}", "dist/bundle/main.js"]`],
  ["deploy/systemd/messaging-graphql@.service", `ExecStart=/usr/bin/node ${option} src/main.ts`],
])("%s starts Node with it", (file, start) => {
  expect(readFileSync(join(root, file), "utf8")).toContain(start);
});

test("so does the image of a project of init", () => {
  const project = mkdtempSync(join(tmpdir(), "project-"));
  onTestFinished(() => rmSync(project, { recursive: true }));
  addFiles(project, { variable: "REST_BASE_URL" });
  expect(readFileSync(join(project, "Dockerfile"), "utf8")).toContain(`ENTRYPOINT ["node", "${option}",`);
});

const mib = (count: number): number => count * 1_048_576;

test("in a small container, a start without it logs what to set", () => {
  expect(findSmallYoungGeneration(mib(512), "")).toEqual([
    `NODE_OPTIONS: set ${option}; with the 512 MiB of this container, V8 collects garbage so often that a request takes up to twice the CPU time`,
  ]);
  for (const other of ["--max-old-space-size=768", "--min-semi-space-size=32"])
    expect(findSmallYoungGeneration(mib(1_024), other)).toHaveLength(1);
});

test("with it, with room, or without a bound, there is nothing to say", () => {
  expect(findSmallYoungGeneration(mib(512), option)).toEqual([]);
  expect(findSmallYoungGeneration(mib(2_048), "")).toEqual([]);
  expect(findSmallYoungGeneration(0, "")).toEqual([]);
  expect(findSmallYoungGeneration(2 ** 63, "")).toEqual([]);
});
