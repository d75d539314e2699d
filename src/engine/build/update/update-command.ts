/**
 * `restbound update` fetches each OpenAPI document again, and reports client-breaking changes since a commit. `--write` replaces
 * the documents and `generated/` even if there are such changes, so that a developer can repair the schema on a branch.
 */
import { join } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { nonEmpty } from "../../shared/cli/command-line.ts";
import { printable } from "../../shared/cli/printable.ts";
import { replaceFile, replaceFolders } from "../../shared/cli/replace-files.ts";
import { check } from "../check/check.ts";
import {
  checkSingleStdout,
  formatOption,
  type Output,
  rejectInputFiles,
} from "../check/format/format-option.ts";
import { printReport } from "../check/format/print-report.ts";
import { gitFiles } from "../check/git-files.ts";
import { readManifests } from "../check/read-manifests.ts";
import { generatedFolder } from "../codegen/codegen-command.ts";
import { UnreadableSpec } from "../diagnostic.ts";
import { documentFaults } from "../openapi/document-faults.ts";
import { Project } from "../project/project.ts";
import { folderFiles, withTexts } from "../project/spec-files.ts";
import { readSourceDocument, rejectTakenNames } from "../sources/read-source-document.ts";
import {
  digestOf,
  type LockedDocument,
  lockDocuments,
  readLock,
  readSources,
  sourcesField,
} from "../sources/recorded-sources.ts";

type Fetched = {
  readonly changed: Map<string, string>;
  readonly locked: Map<string, LockedDocument>;
  /** Documents that someone edited in `spec/` after they were fetched. */
  readonly edited: string[];
};

type Given = { readonly base: string; readonly write?: boolean; readonly format: readonly Output[] };

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound update", argv, io, (line, does) =>
    line
      .description(
        `Fetches the documents again from the sources in package.json ("${sourcesField}"), and reports what their changes break. Only restbound check also verifies that generated/ is up to date.`,
      )
      .option("--base <git ref>", "reports the changes since that commit", nonEmpty, "HEAD")
      .option("--write", "replaces the documents and generated/, even if the changes break something")
      .addOption(formatOption())
      .action(does((given: Given) => update(given, io))),
  );

async function update({ base, write = false, format }: Given, io: Io): Promise<number> {
  const { root, env, today, out, progress } = io;
  rejectInputFiles(format, root, undefined);
  const outputs = checkSingleStdout(format);
  const spec = join(root, "spec");
  const before = folderFiles(spec);
  const { changed, locked, edited } = await fetchDocuments(io, before.read).finally(() => progress?.(""));
  const files = withTexts(before, changed);
  const committed = gitFiles(root, base);
  if (!committed) throw new UsageError([`--base ${base}: has no spec/schema.graphql`]);
  const report = await check({
    files,
    manifests: await readManifests(root, env.OPERATIONS_FROM),
    base: { name: base, files: committed },
    freshness: async () => [], // skips this check, because generated/ still matches the old documents
    today: today ?? new Date().toISOString().slice(0, 10),
  });
  for (const output of outputs) printReport(report, output, io);
  const exitCode = report.summary.unapproved === 0 ? 0 : 1;
  // if a machine-readable report goes to the standard output, all other lines go to the standard error
  const say = outputs.some(({ format, file }) => file === undefined && format !== "text") ? io.error : out;
  for (const file of changed.keys()) say(printable(`${write ? "wrote" : "differs:"} spec/${file}`));
  for (const file of edited)
    say(
      printable(
        `spec/${file} was edited after it was fetched, and ${write ? "is replaced" : "--write replaces it"}: put your changes into its overlay`,
      ),
    );
  if (changed.size === 0) say("the documents are up to date");
  if (!write || changed.size === 0) return exitCode;
  for (const [file, text] of changed) replaceFile(join(spec, file), text);
  lockDocuments(root, locked);
  await writeGenerated(root, new Project(files), say);
  return exitCode;
}

/**
 * Returns the fetched files that differ from those in `spec/`, and the new entries of the lock file. Skips overlays, because they
 * belong to the project.
 */
async function fetchDocuments(
  { root, env, progress }: Io,
  read: (file: string) => string | undefined,
): Promise<Fetched> {
  const sources = readSources(root);
  if (sources.size === 0)
    throw new UsageError([
      `package.json has no "${sourcesField}": add where each document comes from, such as { "openapi.yaml": "https://api.example.com/openapi.json" }`,
    ]);
  const lock = readLock(root);
  const fetched: Fetched = { changed: new Map(), locked: new Map(), edited: [] };
  for (const [own, source] of sources) {
    progress?.(printable(`restbound update: reads ${own}`));
    const name = /^openapi\/([^/]+)\.(?:ya?ml|json)$/.exec(own)?.[1];
    const text = read(own);
    if (text === undefined)
      throw new UsageError([`package.json: "${sourcesField}" names spec/${own}, which does not exist`]);
    const last = lock.get(own);
    const isAsFetched = last?.digest === digestOf(text);
    const stored =
      last?.source === source && isAsFetched && last.etag !== undefined
        ? { etag: last.etag, text }
        : undefined;
    const {
      document,
      files,
      place,
      fetched: now,
    } = await readSourceDocument(source, { root, env }, name, stored);
    documentFaults(document, []); // reads all files that the document refers to
    rejectTakenNames(files.keys(), source, place);
    const before = fetched.changed.size;
    for (const [file, given] of files) {
      const written = file === place.file ? own : file;
      if (file !== place.overlay && read(written) !== given) fetched.changed.set(written, given);
    }
    if (fetched.changed.size === before) continue;
    fetched.locked.set(own, { source, ...now });
    if (last && !isAsFetched) fetched.edited.push(own);
  }
  return fetched;
}

async function writeGenerated(root: string, project: Project, say: (line: string) => void): Promise<void> {
  const { generate } = await import("../codegen/generate.ts");
  try {
    const generated = await generate(project.proved());
    replaceFolders(new Map([generatedFolder(root, generated)]));
  } catch (error) {
    if (!(error instanceof UnreadableSpec)) throw error;
    say("generated/ is unchanged: the spec has errors, which the report lists");
  }
}
