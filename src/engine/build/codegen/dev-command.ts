/**
 * `restbound dev` runs the server. When a file in `spec/` is saved, it regenerates the code and restarts the server. If the spec
 * has errors, it prints them and keeps the server running.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { listFolders } from "../../shared/list-files.ts";
import { watchFolders } from "../../shared/watch-folders.ts";
import { cacheByFiles } from "../project/cache-by-files.ts";
import { readRestApi } from "../project/project.ts";
import { run as codegen } from "./codegen-command.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound dev", argv, io, (line, does) =>
    line
      .description(
        "Runs the roles; regenerates the code and restarts them whenever a file in spec/ is saved.",
      )
      .argument("[role...]", "the roles of npm start; all of them by default")
      .action(does((roles: readonly string[]) => watchSpec(io, roles))),
  );

/** Resolves with the exit code on a signal, or if the server rejects its roles or environment. */
function watchSpec(io: Io, roles: readonly string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let server: ChildProcess | undefined;
  const start = (): void => {
    const brief = server ? ["--brief"] : [];
    const args = [join(io.root, "src/main.ts"), ...brief, "--", ...roles];
    server = spawn(process.execPath, args, { cwd: io.root, env: io.env, stdio: "inherit" });
    server.once("exit", (code) => {
      if (code === 2) resolve(code);
    });
  };
  const isUp = (): boolean => server?.exitCode === null && server.signalCode === null;
  // cached, because most saves do not change the OpenAPI documents
  const restOf = cacheByFiles(readRestApi);
  const regenerate = async (): Promise<void> => {
    if ((await codegen([], io, restOf)) !== 0) {
      io.error(
        `${isUp() ? "the roles keep running with the previous spec" : "no role is running"}; save a fixed spec`,
      );
      return;
    }
    if (server && isUp()) {
      server.kill("SIGINT");
      await once(server, "exit");
    }
    start();
  };
  let regenerating = regenerate();
  const saved = (): void => {
    regenerating = regenerating.then(regenerate);
  };
  watchFolders(
    () => listFolders(join(io.root, "spec")),
    saved,
    (error) => io.error(`restbound dev: spec/ cannot be watched: ${error.message}`),
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve(0));
  process.on("exit", () => server?.kill("SIGINT"));
  return promise;
}
