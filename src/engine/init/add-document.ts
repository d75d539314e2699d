/**
 * `restbound init --name` in a project whose products have documents of their own: adds one. The schema stays as it is; the
 * ledger takes the operations of the document until they have fields.
 */
import { join } from "node:path";
import { parseDocument } from "yaml";
import type { Io } from "../cli/command.ts";
import { asWord } from "../cli/printable.ts";
import { replaceFile, replaceFolders } from "../cli/replace.ts";
import { UsageError } from "../cli/usage-error.ts";
import { generatedFolder } from "../codegen/main.ts";
import { documentFaults } from "../openapi/document-faults.ts";
import { baseVariable } from "../openapi/document-files.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { Project } from "../project/project.ts";
import { folderFiles, withTexts } from "../project/spec-files.ts";
import { escaped } from "../standards/steering.ts";
import { addressOf, readGiven, refuseTakenNames } from "./read-given.ts";
import type { Given } from "./start-project.ts";

const ledgerFile = "rest-only.yaml";

/** Returns 0 once the document is written, and the project generated. Nothing is written before. */
export async function addDocument(
  { openapi, name, tag, operation }: Given & { readonly name: string },
  io: Io,
): Promise<number> {
  if (tag || operation)
    throw new UsageError(["--tag, --operation: a document that is added gets fields by npm run propose"]);
  const spec = join(io.root, "spec");
  const before = folderFiles(spec);
  const { document, files, place } = await readGiven(openapi, io.root, name);
  documentFaults(document, []); // reads each file that the document refers to
  refuseTakenNames(files.keys(), openapi, place);
  const taken = [...files.keys()].filter((file) => before.read(file) !== undefined);
  if (taken.length > 0) throw new UsageError(taken.map((file) => `spec/${file} is there already`));
  const ledger = before.read(ledgerFile);
  if (ledger !== undefined) files.set(ledgerFile, withEntry(ledger, `${name}/*`));
  io.progress?.("restbound init: generates the code");
  const { generate } = await import("../codegen/generate.ts");
  const generated = await generate(new Project(withTexts(before, files)).proved());
  io.progress?.("");
  for (const [file, text] of files) replaceFile(join(spec, file), text);
  replaceFolders(new Map([generatedFolder(io.root, generated)]));
  for (const file of files.keys()) io.out(`wrote spec/${file}`);
  const [first] = readOperations(document).keys();
  const base = addressOf(document) ?? "https://api.example.com";
  io.out(`address:  ${baseVariable(name)}=${base}, in the environment or in the defaults of src/main.ts`);
  if (first !== undefined) io.out(escaped(`fields:   npm run propose -- ${asWord(first)} prints one`));
  return 0;
}

/** The ledger with an entry more. Comments stay. */
function withEntry(text: string, key: string): string {
  const ledger = parseDocument(text);
  ledger.set(key, "added, without a field yet");
  return ledger.toString({ lineWidth: 0 });
}
