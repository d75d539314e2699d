/**
 * Starts a service as a process: has Node keep what it compiles for the next start, then loads the program, all of which
 * is kept because nothing of it is loaded before. Where that cannot be written, nothing is lost.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

/** Runs the roles that the command line names until a signal ends the process. Ends it at once if they cannot start. */
export async function serve(
  service: Service,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // V8 allocates in the old generation what often survives. There, an object keeps all that it refers to until the next
  // full collection, and in a server that is whole requests: in some processes their collection took 0.5 ms of each request.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // V8 collects the young generation in a task of its own, between the work of callers. Then no caller pays for the
  // collection of its garbage (`src/engine/runtime/governor/fair-share.ts`). Without the task, V8 collects within the work that
  // allocates.
  setFlagsFromString("--no-minor-gc-task");
  // V8 refuses code that was compiled under other flags, so the flags come first: Node keeps a folder for each set of flags
  enableCompileCache(join(service.root, "node_modules/.cache/compiled"));
  const { processIo } = await import("../shared/cli/command.ts");
  const { run } = await import("./roles-command.ts");
  const exitCode = await run(argv, { ...processIo, env: { ...service.defaults, ...process.env } }, service);
  if (exitCode !== 0) process.exit(exitCode);
}

/** Starts roles in this process, for a test of the project: on a free port, without a log. Throws `ConfigError`. */
export async function open(
  service: Service,
  environment: NodeJS.ProcessEnv = {},
  roles: readonly string[] = ["graphql"],
): Promise<{
  readonly url: URL;
  readonly close: () => Promise<void>;
  /** @internal The front first. */
  readonly servers: readonly FastifyInstance[];
}> {
  const { readConfig } = await import("../runtime/settings/config.ts");
  const { start } = await import("./program.ts");
  const env = { PORT: "0", LOG_LEVEL: "silent", ...service.defaults, ...environment };
  const { url, servers } = await start(readConfig(env, roles, service.platform !== undefined), service);
  const close = async (): Promise<void> => {
    for (const server of servers) await server.close();
  };
  return { url, close, servers };
}
