/** Writes a project on a document into a folder that has no `spec/`, and generates it. */
import { basename, dirname, join } from "node:path";
import { folderFiles, textFiles } from "../bind/spec-files.ts";
import type { Io } from "../cli/command.ts";
import { ExpectedFailure, withoutPlace } from "../cli/failure.ts";
import { asWord } from "../cli/printable.ts";
import { replaceFolders } from "../cli/replace.ts";
import { UsageError } from "../cli/usage-error.ts";
import { generatedFolder } from "../codegen/main.ts";
import { SpecUnreadable } from "../diagnostic.ts";
import { type ReadFile, RestDocument } from "../openapi/document.ts";
import { escaped } from "../standards/steering.ts";
import { converted } from "./converted.ts";
import { documentPath, fetchDocument, isUrl } from "./fetch-document.ts";
import { addFiles, addPackages } from "./project-files.ts";
import { type Choice, type Given, type StartedProject, startProject } from "./start-project.ts";

/** Returns 0 once the project is written. */
export async function init({ openapi, tag = [], operation = [] }: Given, io: Io): Promise<number> {
  const spec = join(io.root, "spec");
  if (folderFiles(spec).list(".").length > 0)
    throw new UsageError(["spec/ has files: a project starts where there is none"]);
  const { files, lines, base } = await startedProject(openapi, io, { tag, operation });
  // nothing is written before all is generated
  io.progress?.("restbound init: generates the code");
  const generated = await generateFrom(files, openapi);
  io.progress?.("");
  replaceFolders(new Map([[spec, files], generatedFolder(io.root, generated)]));
  addPackages(io.root);
  for (const path of [...generated.keys(), ...addFiles(io.root, base)]) io.out(`wrote ${path}`);
  for (const line of lines) io.out(line);
  return 0;
}

/** Codegen's libraries are loaded for a document that can be read. */
async function generateFrom(files: ReadonlyMap<string, string>, given: string): Promise<Map<string, string>> {
  const codegen = await import("../codegen/generate.ts");
  return ofDocument(given, () => codegen.generateFrom(codegen.readSources(textFiles(files))));
}

/**
 * The files of a spec folder that are no parts of a document. A vendor's document that refers to such a name could bring
 * approvals of its own, or operations that the server then runs as saved ones.
 */
const ownNames = /^(?:(?:schema\.graphql|rest-only\.yaml|approvals\.yaml)(?:\/|$)|operations\/.*\.graphql$)/;

/** The files of the document keep their names below `spec/`, because its references name them. */
function refuseOwnNames(names: Iterable<string>, given: string): void {
  const taken = [...names].filter((name) => ownNames.test(name));
  if (taken.length > 0)
    throw new UsageError(
      taken.map(
        (name) =>
          `--openapi ${given}: a $ref names the file ${name}, which has a meaning of its own in spec/: give it another name, there and in the $ref`,
      ),
    );
}

/** The files of the new `spec/`, and the lines that tell of them. Only texts, so that codegen has the memory of the rest. */
async function startedProject(openapi: string, { root, progress }: Io, choice: Choice) {
  progress?.("restbound init: reads the document");
  const { document, files } = await readDocument(openapi, root);
  progress?.("restbound init: makes a field for each operation, and proves it");
  const start = startProject(document, choice);
  refuseOwnNames(files.keys(), openapi);
  files.set("schema.graphql", escaped(start.schema)).set("rest-only.yaml", start.ledger);
  const base = addressOf(document);
  return { files, lines: summary(start, base), base };
}

/** The document under the name that it has in a spec folder, and the texts of all files that it consists of. */
async function readDocument(given: string, root: string) {
  const files = new Map<string, string>();
  const source = isUrl(given)
    ? textFiles(new Map([["openapi.yaml", await fetchDocument(given)]])).read
    : filesBeside(documentPath(given, root));
  const main = await converted(source("openapi.yaml") ?? "");
  const read = (name: string): string | undefined => {
    const text = name === "openapi.yaml" ? main : source(name);
    if (text !== undefined) files.set(name, text);
    return text;
  };
  return { document: await ofDocument(given, () => new RestDocument("openapi.yaml", read)), files };
}

function filesBeside(path: string): ReadFile {
  const { read } = folderFiles(dirname(path));
  return (name) => read(name === "openapi.yaml" ? basename(path) : name);
}

async function ofDocument<T>(given: string, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    throw error instanceof SpecUnreadable ? unreadableDocument(error, given) : error;
  }
}

/** The places of its faults are not below `spec/` yet: they are told by the name that the user gave. */
function unreadableDocument({ failure }: SpecUnreadable, given: string): ExpectedFailure {
  const faults = failure.faults.map(({ message, places }) => {
    const [at] = places.map(
      ({ file, line, column }) => `${file.replace(/^openapi\.yaml$/, () => given)}:${line}:${column}`,
    );
    return withoutPlace(`${at ?? given}: ${message}`);
  });
  return new ExpectedFailure(given, { exitCode: failure.exitCode, faults });
}

/**
 * The address of the document's first server. Files of the project have it, so the vendor's text is no part of them unless it
 * is an address alone.
 */
function addressOf(document: RestDocument): string | undefined {
  const server = document.child(document.child(document.root, "servers"), 0);
  const url = server && (server.value as { url?: unknown }).url;
  return typeof url === "string" && /^https?:\/\/[\w.:/~-]+$/.test(url) ? url : undefined;
}

function summary({ fields, leftOut, links, keyLinks }: StartedProject, base: string | undefined): string[] {
  const at = base === undefined ? "REST_BASE_URL=https://api.example.com " : "";
  return [
    `spec/schema.graphql has ${fields} field${fields === 1 ? "" : "s"}, spec/rest-only.yaml the other operations`,
    ...[...leftOut].map(([id, reason]) => escaped(`left out: ${id}: ${reason}`)),
    ...(leftOut.size > 0
      ? [
          "mend it:   write what the document says wrongly into spec/overlay.yaml; npm run propose prints a field then",
        ]
      : []),
    `start it:  ${at}npm start`,
    `shape it:  ${at}npm run dev`,
    ...linkedLines(keyLinks),
    ...(links.length > 0
      ? [
          escaped(
            `link it:   npm run propose -- ${links.map(asWord).join(" ")} prints a link below a type of the schema for each`,
          ),
        ]
      : []),
    "prove it:  npm run check",
    "test it:   npm test",
  ];
}

/** The links that stand in the schema already. */
function linkedLines({ fields, comments }: StartedProject["keyLinks"]): string[] {
  const told = [
    ...(fields > 0 ? [`${fields} as field${fields === 1 ? "" : "s"}`] : []),
    ...(comments > 0
      ? [`${comments} as comment${comments === 1 ? "" : "s"}, which make a call for each parent`]
      : []),
  ];
  return told.length > 0 ? [`linked by keys at the end of spec/schema.graphql: ${told.join("; ")}`] : [];
}
