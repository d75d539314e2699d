/** `npm run dev`: what it must survive, and that it leaves no server behind. */
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { command } from "../../support/project.ts";
import { copyProject } from "../copy-project.ts";
import { get, run, runReady } from "./program.ts";

test("dev survives findings and any error of codegen, starts a server that died, and ends it with itself", async () => {
  const copy = copyProject();
  onTestFinished(copy.remove);
  const { child, url, prints, output, ended } = await runReady(
    ["dev"],
    {},
    [],
    join(copy.root, command),
    copy.root,
  );
  const save = (change: (text: string) => string): void => copy.edit("spec/schema.graphql", change);
  const generated = join(copy.root, "generated");
  const elsewhere = join(copy.root, "elsewhere");
  const servers = (): string => execFileSync("pgrep", ["-P", `${child.pid}`], { encoding: "utf8" }).trim();

  save((text) => text.replace('"getMe"', '"getM"'));
  await prints(/operation-unknown at Query\.me[\s\S]+the roles keep running with the previous spec/);
  renameSync(generated, elsewhere);
  symlinkSync("nowhere", generated);
  save((text) => text.replace('"getM"', '"getMe"'));
  await prints(/generated is a symbolic link/);
  expect((await get(url, "/healthz")).status).toBe(200);

  rmSync(generated);
  renameSync(elsewhere, generated);
  process.kill(Number(servers()), "SIGKILL");
  save((text) => `${text}\n`);
  await prints(/ready on[\s\S]+ready on/);
  expect(output().match(/demo keys:/g)).toHaveLength(1); // the second start is one line
  expect(output()).not.toMatch(/UnhandledPromiseRejection/);

  child.kill("SIGHUP");
  await ended; // what it printed to is closed: nobody is left to write to it
});

test("dev ends where the server refuses its roles", async () => {
  const copy = copyProject();
  onTestFinished(copy.remove);
  const { ended, output } = run(["dev", "gatway"], {}, [], join(copy.root, command), copy.root);
  expect(await ended).toBe(2);
  expect(output()).toMatch(/unknown role "gatway": .*did you mean "gateway"/);
});
