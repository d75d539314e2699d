/** `npm run explain -- <field or saved operation>…`. Exit codes are those of `check`. */
import { join } from "node:path";
import { ConfigError } from "../config.ts";
import { SpecUnreadable } from "../spec/diagnostic.ts";
import { folderFiles } from "../spec/spec-files.ts";
import { explain } from "./explain.ts";
import { failureOf, type Io } from "./failure.ts";
import { loadSide, type Side } from "./side.ts";

const usage = "npm run explain -- <Type.field or saved operation>…";

export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    if (argv.length === 0 || argv.some((name) => name.startsWith("-"))) throw new ConfigError([usage]);
    const side = loadSide(folderFiles(join(io.root, "spec")));
    const model = provedModel(side);
    io.out(argv.map((name) => explain(model, side.saved, name).join("\n")).join("\n\n"));
    return 0;
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    for (const line of failure.lines) io.error(line);
    return failure.exitCode;
  }
}

/** Throws `SpecUnreadable` where the mapping has errors: what is not proved cannot be explained. */
export function provedModel({ model, diagnostics }: Side) {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!model || errors.length > 0) throw new SpecUnreadable(errors);
  return model;
}

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), {
    root: process.cwd(),
    out: console.log,
    error: console.error,
  });
}
