/** The scripts that `restbound init` writes: npm starts the program itself, so a signal to npm ends it. */
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addPackages } from "../../../../src/engine/build/init/project-files.ts";
import { listens, startProgram } from "../../../support/child-process.ts";
import { projectOf } from "../../../support/project.ts";

test.each(["start", "dev"])("SIGTERM ends the server of npm run %s", { timeout: 120_000 }, async (name) => {
  const project = projectOf(join(import.meta.dirname, "../../another-api/spec"));
  onTestFinished(() => project.remove());
  addPackages(project.root);
  await project.codegen();
  const { scripts } = JSON.parse(project.read("package.json"));
  const PATH = `${join(project.root, "node_modules/.bin")}:${process.env.PATH}`;
  const environment = { PATH, REST_BASE_URL: "http://127.0.0.1:9" };
  const program = startProgram(["-c", scripts[name]], environment, { cwd: project.root, executable: "sh" });
  const url = await listens(program);
  const ended = once(program.child, "exit");
  program.child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await program.ended; // what it started holds its output
  await expect(fetch(new URL("/healthz", url))).rejects.toThrow();
});
