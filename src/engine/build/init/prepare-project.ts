/** Creates a project from an OpenAPI document, in a folder without `spec/`, and generates its code. */
import { join } from "node:path";
import type { Io } from "../../shared/cli/command.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { printable, quoteArgument } from "../../shared/cli/printable.ts";
import { rejectSymlink, replaceFolders } from "../../shared/cli/replace-files.ts";
import { escapeControlCharacters } from "../../shared/control-characters.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { generatedFolder } from "../codegen/codegen-command.ts";
import { baseUrlVariable } from "../openapi/document-files.ts";
import { firstServerUrl, isExampleUrl, proposedBaseUrl } from "../openapi/server-url.ts";
import { pathBelowRepository } from "../project/path-below-repository.ts";
import { Project } from "../project/project.ts";
import { folderFiles, textFiles } from "../project/spec-files.ts";
import { ofDocument, readSourceDocument, rejectTakenNames } from "../sources/read-source-document.ts";
import { readSources, recordSource } from "../sources/recorded-sources.ts";
import { prepareDocument } from "./add-document.ts";
import { refuseUnconfirmed } from "./confirmations.ts";
import { declareErrors } from "./error-overlay.ts";
import { isIgnored, keepTarball } from "./keep-tarball.ts";
import { missingNotFound } from "./missing-not-found.ts";
import { nextSteps } from "./next-steps.ts";
import { overlayLines } from "./overlay-text.ts";
import { addFiles, withPackages, workflows } from "./project-files.ts";
import { type InitOptions, startProject } from "./start-project.ts";

/**
 * Reads and validates the input. Returns a function that writes the project or the added document. Call it when the packages
 * for code generation are installed. It writes nothing if the generation fails.
 */
export async function prepareProject(given: InitOptions, io: Io): Promise<() => Promise<number>> {
  const { openapi, name } = given;
  const { root, progress, out } = io;
  const spec = join(root, "spec");
  if (folderFiles(spec).list(".").length > 0) {
    if (name !== undefined) return prepareDocument({ ...given, name }, io);
    throw new UsageError([
      "spec/ already has files; to add a document to those in spec/openapi/, use --name",
    ]);
  }
  const packages = withPackages(root);
  for (const folder of [spec, join(root, "generated")]) rejectSymlink(folder);
  const { files, lines, base, place, fetched } = await startedProject(given, io);
  const project = await ofDocument(openapi, () => new Project(textFiles(files)).proved());
  return async () => {
    progress?.("restbound init: generates the code");
    // defer loading codegen's libraries until the document has been read
    const { generate } = await import("../codegen/generate.ts");
    const generated = await ofDocument(openapi, () => generate(project));
    progress?.("");
    replaceFolders(new Map([[spec, files], generatedFolder(root, generated)]));
    recordSource(root, packages, { file: place.file, given: openapi, ...fetched });
    const tarball = keepTarball(root);
    const added = addFiles(root, {
      base,
      variable: baseUrlVariable(name),
      tarball: tarball?.path,
      hasUrl: isHttpUrl(readSources(root).get(place.file) ?? ""),
    });
    const kept = tarball?.isNew ? [tarball.path] : [];
    for (const path of [...generated.keys(), ...kept, ...added]) out(printable(`wrote ${path}`));
    for (const line of lines) out(printable(line));
    if (tarball && isIgnored(root, tarball.path))
      out(
        printable(`commit it: git add --force ${quoteArgument(tarball.path)}, because .gitignore names it`),
      );
    const moved = workflows.filter((path) => added.includes(path));
    if (pathBelowRepository(root) !== "" && moved.length > 0)
      out(
        `check it:  move ${moved.join(" and ")} to the top of the repository, where GitHub looks for workflows`,
      );
    return 0;
  };
}

/**
 * Creates the files of `spec/` and the lines to print. Returns only strings, so that the parsed document can be
 * garbage-collected.
 */
async function startedProject(
  { openapi, name, tag = [], operation = [], query = [], confirm = [] }: InitOptions,
  io: Io,
) {
  const { progress } = io;
  progress?.("restbound init: reads the document");
  const { document, files, place, read, fetched } = await readSourceDocument(openapi, io, name);
  refuseUnconfirmed({ openapi, place, read }, confirm);
  progress?.("restbound init: creates a field for each operation, and proves it");
  const start = startProject(document, { tag, operation, query });
  rejectTakenNames(files.keys(), openapi, place);
  const errors = declareErrors(document, place.overlay, files.has(place.overlay));
  if (errors.text !== undefined) files.set(place.overlay, errors.text);
  files.set("schema.graphql", escapeControlCharacters(start.schema)).set("rest-only.yaml", start.ledger);
  const base = firstServerUrl(document);
  const isKnown = base !== undefined && !isExampleUrl(base);
  const at = isKnown ? "" : `${baseUrlVariable(place.name)}=${proposedBaseUrl(document, openapi)} `;
  const notFound = missingNotFound(start.bound);
  const advice = [...errors.advice, notFound].filter((each) => each !== undefined);
  const ofErrors = [
    ...(errors.text === undefined
      ? []
      : [`spec/${place.overlay} declares the texts of REST's errors that clients see`]),
    ...errors.advice.map(({ message }) => message),
  ];
  const lines = [
    ...nextSteps(start, at, place, ofErrors),
    ...(notFound ? [`not found: ${notFound.message}`] : []),
    ...overlayLines(advice, place.overlay, files.has(place.overlay)),
  ];
  return { files, place, fetched, lines, base };
}
