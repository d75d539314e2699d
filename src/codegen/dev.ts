/**
 * `npm run dev`: the server, generated anew and started again when a file below `spec/` is saved. Findings, and
 * whatever else goes wrong, are printed and the server that runs goes on running; it ends with this process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { processIo } from "../spec/command.ts";
import { run } from "./main.ts";

/** Editors save in several steps; these many milliseconds of quiet end one. */
const quietMs = 150;

const start = (): ChildProcess =>
  spawn(process.execPath, ["src/main.ts", ...process.argv.slice(2)], { stdio: "inherit" });

let server: ChildProcess | undefined;
let timer: NodeJS.Timeout | undefined;
let regenerating = regenerate();

const watcher = watch("spec", { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    regenerating = regenerating.then(regenerate);
  }, quietMs);
});
watcher.on("error", console.error);

async function regenerate(): Promise<void> {
  try {
    if ((await run([], processIo)) !== 0) return;
  } catch (error) {
    return console.error(error);
  }
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill("SIGINT");
    await once(server, "exit");
  }
  server = start();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
process.on("exit", () => server?.kill("SIGINT"));
