/**
 * Starts a service as a process. Enables Node's compile cache before it loads the program, because modules that are already
 * loaded are not cached. Without a writable cache, the start is only slower.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

/** Runs the roles named on the command line until a signal stops the process. Exits if they cannot start. */
export async function serve(
  service: Service,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // V8 allocates objects in the old generation if objects from the same allocation site often survived. Until the next full
  // collection, such an object keeps everything alive that it refers to, for example a whole request. This took up to 0.5 ms per
  // request.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // V8 collects the young generation in a separate task between the work of callers, so the time would not be charged to the
  // caller that allocated the garbage (`src/engine/runtime/governor/processor-share.ts`). Without the task, V8 collects garbage
  // during the work that allocates it.
  setFlagsFromString("--no-minor-gc-task");
  // called after the flags are set: V8 rejects code compiled with other flags, so Node's cache has a folder per set of flags
  enableCompileCache(join(service.root, "node_modules/.cache/compiled"));
  const { processIo } = await import("../shared/cli/command.ts");
  const { run } = await import("./roles-command.ts");
  const exitCode = await run(argv, { ...processIo, env: { ...service.defaults, ...process.env } }, service);
  if (exitCode !== 0) process.exit(exitCode);
}

/** Starts roles in this process for tests of a project: on a free port, without logging. Throws `ConfigError`. */
export async function open(
  service: Service,
  environment: NodeJS.ProcessEnv = {},
  roles: readonly string[] = ["graphql"],
): Promise<{
  readonly url: URL;
  readonly close: () => Promise<void>;
  /** @internal The front comes first. */
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
