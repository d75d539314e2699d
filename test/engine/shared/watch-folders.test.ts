/** What `npm run dev` watches: every save, whatever way the editor takes. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listFolders } from "../../../src/engine/shared/list-files.ts";
import { watchFolders } from "../../../src/engine/shared/watch-folders.ts";

function watched() {
  const root = mkdtempSync(join(tmpdir(), "messaging-graphql-watched-"));
  writeFileSync(join(root, "schema.graphql"), "0");
  let next = Promise.withResolvers<void>();
  const failures: string[] = [];
  const stop = watchFolders(
    () => listFolders(root),
    () => next.resolve(),
    (error) => failures.push(error.message),
  );
  onTestFinished(() => {
    stop();
    rmSync(root, { recursive: true, force: true });
  });
  /** Resolves when the save was noticed; a save that is lost ends the test by its time. */
  const noticed = async (save: () => void): Promise<void> => {
    next = Promise.withResolvers();
    save();
    await next.promise;
  };
  return { root, noticed, failures };
}

test("a file that is replaced, as many editors save, is noticed each time", { timeout: 20_000 }, async () => {
  const { root, noticed, failures } = watched();
  for (let turn = 1; turn <= 6; turn++) {
    await noticed(() => {
      writeFileSync(join(root, "schema.graphql~"), String(turn));
      renameSync(join(root, "schema.graphql~"), join(root, "schema.graphql"));
    });
  }
  for (let turn = 1; turn <= 2; turn++)
    await noticed(() => writeFileSync(join(root, "schema.graphql"), `in place ${turn}`));
  expect(failures).toEqual([]);
});

test("a folder that is new, or made anew, is watched too", { timeout: 20_000 }, async () => {
  const { root, noticed, failures } = watched();
  const folder = join(root, "operations");
  for (let turn = 1; turn <= 2; turn++) {
    await noticed(() => mkdirSync(folder));
    await noticed(() => writeFileSync(join(folder, "one.graphql"), String(turn)));
    await noticed(() => rmSync(folder, { recursive: true }));
  }
  expect(failures).toEqual([]);
});

test("saves without a pause between them are noticed too", { timeout: 20_000 }, async () => {
  const { root, noticed } = watched();
  let count = 0;
  const timer = setInterval(() => writeFileSync(join(root, "schema.graphql"), `${count++}`), 20);
  onTestFinished(() => clearInterval(timer));
  await noticed(() => {});
  await noticed(() => {});
});
