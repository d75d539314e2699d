/**
 * `npm run dev`: the server, generated anew and started again when a file below `spec/` is saved. Findings are printed
 * and the server that runs goes on running.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { run } from "./main.ts";

/** Editors save in several steps; these many milliseconds of quiet end one. */
const quietMs = 150;

const root = process.cwd();
const io = { out: console.log, error: console.error };
const start = (): ChildProcess =>
  spawn(process.execPath, ["src/main.ts", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });

let server = (await run(root, io)) === 0 ? start() : undefined;
let timer: NodeJS.Timeout | undefined;
let regenerating = Promise.resolve();

watch("spec", { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    regenerating = regenerating.then(regenerate, regenerate);
  }, quietMs);
});

async function regenerate(): Promise<void> {
  if ((await run(root, io)) !== 0) return;
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill("SIGINT");
    await once(server, "exit");
  }
  server = start();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server?.kill(signal);
    process.exit(0);
  });
}
