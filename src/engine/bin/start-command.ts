/** `restbound start`: runs the service that the project's `src/main.ts` exports. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "../server/serve.ts";
import type { Service } from "../server/service.ts";
import type { Io } from "../shared/cli/command.ts";

/** Returns 0 when the roles run. */
export async function run(argv: readonly string[], { root, error }: Io): Promise<number> {
  const path = join(root, "src/main.ts");
  const { service } = existsSync(path)
    ? ((await import(pathToFileURL(path).href)) as { service?: Service })
    : {};
  if (service) {
    await serve(service, argv);
    return 0;
  }
  error("restbound start: src/main.ts exports no service; restbound init writes one");
  return 2;
}
