/**
 * Starts a service as a process. Enables Node's compile cache before it loads the rest of the program, because Node does not
 * cache modules that are loaded earlier. If the cache folder is not writable, the start is slower but succeeds.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Service } from "./service.ts";

/** Runs the roles that `argv` names until a signal stops the process. Ends the process if the roles cannot start. */
export async function serve(
  service: Service,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // By default, V8 allocates an object directly in the old generation if earlier objects from the same place in the code often
  // survived. Until the next full garbage collection, an object in the old generation keeps everything alive that it refers to,
  // for example a whole request. This cost up to 0.5 ms per request.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // By default, V8 collects the young generation in a separate task between the requests. The task's time would not be charged to
  // the client whose request allocated the garbage (`src/engine/runtime/governor/processor-share.ts`). Without this task, V8
  // collects garbage during the request that allocates memory.
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
  /** @internal The servers of the roles. The first is the one that clients connect to. */
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
