/**
 * `restbound init --name`: adds an OpenAPI document to a project that has one document per product. Leaves the GraphQL schema
 * unchanged, and lists the document's operations in `rest-only.yaml` until they get fields.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import type { Io } from "../../shared/cli/command.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { printable, quoteArgument } from "../../shared/cli/printable.ts";
import { replaceFile, replaceFolders } from "../../shared/cli/replace-files.ts";
import { isRecord } from "../../shared/json-object.ts";
import { generatedFolder } from "../codegen/codegen-command.ts";
import { unreadableSpec } from "../diagnostic.ts";
import { documentFaults } from "../openapi/document-faults.ts";
import { baseUrlVariable } from "../openapi/document-files.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { firstServerUrl, proposedBaseUrl } from "../openapi/server-url.ts";
import { parseYamlFile } from "../openapi/yaml-file.ts";
import { Project } from "../project/project.ts";
import { folderFiles, withTexts } from "../project/spec-files.ts";
import { readSourceDocument, rejectTakenNames } from "../sources/read-source-document.ts";
import { recordSource } from "../sources/recorded-sources.ts";
import { refuseUnconfirmed } from "./confirmations.ts";
import { declareErrors } from "./error-overlay.ts";
import { missingNotFound } from "./missing-not-found.ts";
import { overlayLines } from "./overlay-text.ts";
import { withAddress } from "./project-files.ts";
import type { InitOptions } from "./start-project.ts";

const ledgerFile = "rest-only.yaml";

/** Validates the document. Returns a function that writes it and generates the code, as `prepareProject` does. */
export async function prepareDocument(
  { openapi, name, tag, operation, query, confirm = [] }: InitOptions & { readonly name: string },
  io: Io,
): Promise<() => Promise<number>> {
  const { root, progress, out } = io;
  if (tag || operation || query)
    throw new UsageError([
      "--tag, --operation, --query: for a document that is added, use npm run propose to get fields",
    ]);
  const spec = join(root, "spec");
  const before = folderFiles(spec);
  const { document, files, place, read, fetched } = await readSourceDocument(openapi, io, name);
  documentFaults(document, []); // reads every file that the document refers to
  rejectTakenNames(files.keys(), openapi, place);
  const { text, advice: ofErrors } = declareErrors(document, place.overlay, files.has(place.overlay));
  if (text !== undefined) files.set(place.overlay, text);
  const taken = [...files.keys()].filter((file) => before.read(file) !== undefined);
  if (taken.length > 0) throw new UsageError(taken.map((file) => `spec/${file} already exists`));
  const joined = new Project(withTexts(before, files));
  refuseUnconfirmed(
    { openapi, place, read: (file) => read(file) ?? before.read(file) },
    confirm,
    joined.rest.document,
  );
  const ledger = before.read(ledgerFile);
  if (ledger !== undefined) files.set(ledgerFile, withEntry(ledger, `${name}/*`));
  const project = joined.proved();
  const operations = readOperations(document);
  const [first] = operations.keys();
  const notFound = missingNotFound(operations.values());
  const advice = [...ofErrors, notFound].filter((each) => each !== undefined);
  const mends = overlayLines(advice, place.overlay, files.has(place.overlay));
  const base = firstServerUrl(document);
  const proposed = proposedBaseUrl(document, openapi);
  const variable = baseUrlVariable(name);
  return async () => {
    progress?.("restbound init: generates the code");
    const { generate } = await import("../codegen/generate.ts");
    const generated = await generate(project);
    progress?.("");
    for (const [file, text] of files) replaceFile(join(spec, file), text);
    replaceFolders(new Map([generatedFolder(root, generated)]));
    const packages = join(root, "package.json");
    if (existsSync(packages))
      recordSource(root, readFileSync(packages, "utf8"), { file: place.file, given: openapi, ...fetched });
    const { written, missing } = withAddress(root, variable, base);
    for (const [file, text] of written) replaceFile(join(root, file), text);
    for (const file of files.keys()) out(printable(`wrote spec/${file}`));
    for (const file of written.keys()) out(`wrote ${file}: ${variable}`);
    const elsewhere = missing.length > 0 ? `; add it to ${missing.join(", ")}` : "";
    out(`address:  ${variable}=${proposed}${base === undefined ? ", in the environment" : ""}${elsewhere}`);
    for (const { message } of ofErrors) out(printable(`errors:   ${message}`));
    if (notFound) out(printable(`not found: ${notFound.message}`));
    for (const line of mends) out(printable(line));
    if (first !== undefined)
      out(printable(`fields:   npm run propose -- ${quoteArgument(first)} prints one`));
    return 0;
  };
}

/** Adds an entry and preserves the file's comments. Throws `UnreadableSpec` if the text is not a map. */
function withEntry(text: string, key: string): string {
  const { value } = parseYamlFile(ledgerFile, text);
  if (!isRecord(value ?? {})) throw unreadableSpec(ledgerFile, "must be a map of operationId to reason");
  const ledger = parseDocument(text);
  ledger.set(key, "added, without a field yet");
  return ledger.toString({ lineWidth: 0 });
}
