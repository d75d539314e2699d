/** Generates the desk's code, which is not committed, before tests run on it. `npm run types` does so too. */
import { run } from "../../../src/engine/build/codegen/codegen-command.ts";
import { processIo } from "../../../src/engine/shared/cli/command.ts";

export default async function generateDesk(): Promise<void> {
  const io = { ...processIo, root: import.meta.dirname, out: () => {} };
  if ((await run([], io)) !== 0) throw new Error("the desk's spec has findings");
}
