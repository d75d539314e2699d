/** A process survives a failure that nobody read, tells it, and ends with a fault of the program. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const file = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

const guarding = `
  const { handleUnhandledRejections, unhandledFailures } = await import(${file("../../../src/engine/server/unhandled-rejections.ts")});
  handleUnhandledRejections({
    level: "error",
    error: ({ err }, told) => console.log(...unhandledFailures.entries(), told + ": " + err.message),
  });`;

function run(guard: string, script: string): { status: number | null; stdout: string } {
  const text = `${guard}\n${script}\nsetTimeout(() => process.exit(7), 200);`;
  const args = ["--input-type=module", "-e", text];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout };
}

test("a coded error of an unread promise is counted and logged", () => {
  const script = `Promise.reject((await import(${file("../../../src/engine/runtime/coded-error.ts")})).clientDisconnected());`;
  expect(run("", script).status).toBe(1);
  expect(run(guarding, script)).toEqual({
    status: 7,
    stdout: `[ 'CLIENT_CLOSED_REQUEST', 1 ] unhandled rejection: the client disconnected before the response\n`,
  });
});

test("a fault of the program ends the process", () => {
  expect(run(guarding, `Promise.reject(new TypeError("ours"));`)).toEqual({ status: 1, stdout: "" });
});
