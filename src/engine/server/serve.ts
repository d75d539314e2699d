/**
 * Starts a service as a process: enables Node's compile cache, then loads the program. Modules that are loaded before that would
 * not be cached. If the cache cannot be written, the start is only slower.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

/** Runs the roles named on the command line until a signal stops the process. Exits immediately if they cannot start. */
export async function serve(
  service: Service,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // V8 pretenures objects from allocation sites whose objects often survive. Until the next full collection, an object in the old
  // generation keeps alive everything that it refers to: in a server, whole requests. That cost up to 0.5 ms per request.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // V8 collects the young generation in a separate task, between the work of callers, so the time would not be charged to the
  // caller that allocated the garbage (`src/engine/runtime/governor/processor-share.ts`). Without the task, V8 collects during the
  // work that allocates.
  setFlagsFromString("--no-minor-gc-task");
  // after the flags: V8 rejects code compiled with other flags, so Node's cache has a folder for each set of flags
  enableCompileCache(join(service.root, "node_modules/.cache/compiled"));
  const { processIo } = await import("../shared/cli/command.ts");
  const { run } = await import("./roles-command.ts");
  const exitCode = await run(argv, { ...processIo, env: { ...service.defaults, ...process.env } }, service);
  if (exitCode !== 0) process.exit(exitCode);
}

/** Starts roles in this process, for a project's tests: on a free port, without logging. Throws `ConfigError`. */
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
