/** The graphql role as a process of its own, as in production, for load that would disturb what it measures. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { listens, main, type Program, pinSelf, startProgram } from "../../support/child-process.ts";

pinSelf(1); // the load comes from another core than the role

export type Role = Program & { readonly url: URL };

export async function startRole(rest: URL, environment: NodeJS.ProcessEnv = {}): Promise<Role> {
  const given = { NODE_ENV: "production", REST_BASE_URL: rest.href, ...environment };
  const program = startProgram([main, "graphql"], given, { core: 0 });
  return { ...program, url: new URL("/v1/graphql", await listens(program)) };
}

/** Starts the REST platform of a file here; every answer of `rest.ts` takes `delayMs`. */
export async function startRest(delayMs = 0, file = "./rest.ts"): Promise<{ url: URL; close(): void }> {
  const worker = new Worker(new URL(file, import.meta.url), { workerData: { delayMs } });
  const [port] = await once(worker, "message");
  return { url: new URL(`http://127.0.0.1:${port}`), close: () => void worker.terminate() };
}
