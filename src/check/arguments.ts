/** The command line of `check`: which base, which formats, where to. */
import { parseArgs } from "node:util";
import { ConfigError } from "../config.ts";

export const formats = ["text", "json", "github", "markdown"] as const;
export type Format = (typeof formats)[number];

export type Output = { readonly format: Format; readonly file?: string };
export type Arguments = {
  readonly base?: string;
  readonly outputs: readonly Output[];
  readonly help: boolean;
};

export const usage = `npm run check -- [--base <git ref>] [--format <format>[=<file>]]…

Proves spec/schema.graphql against spec/openapi.yaml, and generated/ against both.
  --base <git ref>       also report what changed since that commit, and what that breaks
  --format <format>      text (default), json, github or markdown; to a file with =<file>; may be given several times
  --help                 this text

Exit code: 0 nothing to settle, 1 findings, 2 usage or configuration, 3 a spec file cannot be read,
4 a fault of ours (DEBUG=1 shows where).`;

/** Throws `ConfigError` for anything that it does not know. */
export function readArguments(argv: readonly string[]): Arguments {
  const values = parse(argv);
  const outputs = (values.format ?? ["text"]).map(readOutput);
  if (outputs.filter(({ file }) => file === undefined).length > 1)
    throw new ConfigError([
      "--format: only one format can go to the standard output; give the others a file",
    ]);
  if (values.base === "") throw new ConfigError(["--base wants a git ref"]);
  return { outputs, help: values.help === true, ...(values.base !== undefined && { base: values.base }) };
}

function parse(argv: readonly string[]) {
  try {
    const options = {
      base: { type: "string" },
      format: { type: "string", multiple: true },
      help: { type: "boolean" },
    } as const;
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new ConfigError([(error as Error).message.split("\n")[0]?.split(". ")[0] ?? "wrong usage"]);
  }
}

function readOutput(given: string): Output {
  const [name = "", ...rest] = given.split("=");
  const format = formats.find((each) => each === name);
  if (!format) throw new ConfigError([`--format ${name}: the formats are ${formats.join(", ")}`]);
  const file = rest.join("=");
  if (rest.length > 0 && file === "")
    throw new ConfigError([`--format ${given}: wants a file name after the =`]);
  return { format, ...(file !== "" && { file }) };
}
