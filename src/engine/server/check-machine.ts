/** What `--check-config` finds on this machine, as a start would: the address, the folder of the data, the manifests. */
import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { type Config, ConfigError } from "../runtime/settings/config.ts";
import { Manifests } from "../shared/manifests/manifests.ts";
import { listenError } from "./program.ts";

/** Throws `ConfigError` where a start would. Returns one line for each manifest that a start would go on without. */
export async function checkMachine({ roles, env }: Config): Promise<readonly string[]> {
  await checkHost(env.HOST);
  if (roles.has("platform") && env.DATA_FILE !== undefined) checkDataFile(env.DATA_FILE);
  if (!roles.has("graphql")) return [];
  const { faults } = await new Manifests(env.OPERATIONS_FROM).refresh();
  return faults.map(({ source, reason }) => `OPERATIONS_FROM: ${source} cannot be read (${reason})`);
}

/** Listens for a moment, on a free port: the service itself may hold `PORT`. */
function checkHost(host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer();
  server.once("error", (error) => reject(listenError(error, host, 0, "PORT")));
  server.listen({ host, port: 0 }, () => server.close(() => resolve()));
  return promise;
}

function checkDataFile(file: string): void {
  try {
    if (existsSync(file)) closeSync(openSync(file, "r+"));
    else accessSync(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError([`DATA_FILE: cannot be opened as a SQLite file (${(error as Error).message})`]);
  }
}
