/**
 * Fills Node's compile cache for the program in a fresh clone, while the first tests run. A process that a test kills does not
 * write the cache, so most programs that tests start would find it empty.
 */
import { existsSync } from "node:fs";
import { listens, main, startProgram } from "./child-process.ts";

export default function compileProgram(): () => Promise<void> {
  const compiled = process.env.NODE_COMPILE_CACHE;
  if (compiled !== undefined && existsSync(compiled)) return async () => {};
  const program = startProgram([main]);
  listens(program)
    .then(() => program.stop("SIGINT"))
    .catch(() => {}); // a test that starts the program reports the error
  return () => program.stop();
}
