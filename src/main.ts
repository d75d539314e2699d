/**
 * `npm start`, `node src/main.ts [role …]`: has Node keep what it compiles for the next start, then loads the program,
 * all of which is kept because nothing of it is loaded before. Where that cannot be written, nothing is lost.
 */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));
const { processIo } = await import("./cli/command.ts");
const { run } = await import("./process/command.ts");
const exitCode = await run(process.argv.slice(2), processIo);
if (exitCode !== 0) process.exit(exitCode);
