/**
 * Fills Node's compile cache for the program while the first tests run. Programs that tests start would not fill it, because a
 * killed process does not write the cache.
 */
import { existsSync } from "node:fs";
import { listens, main, startProgram } from "./child-process.ts";

export default function compileProgram(): () => Promise<void> {
  const compiled = process.env.NODE_COMPILE_CACHE;
  if (compiled !== undefined && existsSync(compiled)) return async () => {};
  const program = startProgram([main]);
  listens(program)
    .then(() => program.stop("SIGINT"))
    .catch(() => {}); // ignored here, because a test that starts the program reports the error
  return () => program.stop();
}
