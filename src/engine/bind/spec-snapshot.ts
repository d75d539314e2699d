/**
 * A spec folder, loaded and bound once: from disk, or at a git ref. All stages of `check` read it, and `explain` does.
 */
import { linesOf } from "../cli/code-frame.ts";
import { type Diagnostic, SpecUnreadable } from "../diagnostic.ts";
import type { Manifest } from "../manifests/manifests.ts";
import { documentFaults } from "../openapi/document-faults.ts";
import { readAppOperations, readSavedOperations, type SavedOperation } from "../schema/saved-operations.ts";
import { loadSpec, readDocument } from "./load.ts";
import type { Model } from "./model.ts";
import { readOnce, type SpecFiles, savedOperationTexts } from "./spec-files.ts";

export type SpecSnapshot = {
  readonly files: SpecFiles;
  /** The lines of a file, split once for all findings in it; `undefined` if the file cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | undefined;
  /** Absent if the schema is not valid. */
  readonly model?: Model;
  readonly diagnostics: readonly Diagnostic[];
  readonly saved: readonly SavedOperation[];
};

/** A snapshot with a valid schema. */
export type BoundSnapshot = SpecSnapshot & { readonly model: Model };

/** Throws `SpecUnreadable` if a spec file cannot be read. `manifests` are those of apps. */
export function loadSnapshot(
  files: SpecFiles,
  manifests: readonly Manifest[] = [],
  documentOf = readDocument,
  faultsOf = documentFaults,
): SpecSnapshot {
  const { model, diagnostics } = loadSpec(files, documentOf, faultsOf);
  const saved = readSavedOperations(model?.schema, savedOperationTexts(files));
  const apps = readAppOperations(model?.schema, manifests);
  return {
    files,
    linesOf: readOnce((file) => readLines(files, file)),
    ...(model && { model }),
    diagnostics: [...diagnostics, ...saved.diagnostics, ...apps.diagnostics],
    saved: [...saved.operations, ...apps.operations],
  };
}

function readLines({ read }: SpecFiles, file: string): readonly string[] | undefined {
  try {
    const text = read(file);
    return text ? linesOf(text) : undefined;
  } catch (error) {
    if (!(error instanceof SpecUnreadable)) throw error;
    return undefined;
  }
}
