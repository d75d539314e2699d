/** Generates the desk's code, which is not committed, before tests run on it. `npm run types` does so too. */
import { processIo } from "../../../src/engine/cli/command.ts";
import { run } from "../../../src/engine/codegen/main.ts";

export default async function generateDesk(): Promise<void> {
  const io = { ...processIo, root: import.meta.dirname, out: () => {} };
  if ((await run([], io)) !== 0) throw new Error("the desk's spec has findings");
}
