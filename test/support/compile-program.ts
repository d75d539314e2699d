/**
 * Has Node keep the compiled code of the program in a fresh clone, while the first tests run. A process that a test kills
 * keeps nothing of what it compiled, so hardly any start of the tests would find something.
 */
import { existsSync } from "node:fs";
import { listens, main, startProgram } from "./child-process.ts";

export default function compileProgram(): () => Promise<void> {
  const compiled = process.env.NODE_COMPILE_CACHE;
  if (compiled !== undefined && existsSync(compiled)) return async () => {};
  const program = startProgram([main]);
  listens(program)
    .then(() => program.stop("SIGINT"))
    .catch(() => {}); // a test will tell why
  return () => program.stop();
}
