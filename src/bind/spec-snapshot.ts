/**
 * A spec folder, loaded and bound once: from disk, or at a git ref. All stages of `check` read it, and `explain` does.
 */
import type { Diagnostic } from "../diagnostic.ts";
import { readSavedOperations, type SavedOperation } from "../schema/saved-operations.ts";
import { loadSpec } from "./load.ts";
import type { Model } from "./model.ts";
import { type SpecFiles, savedOperationTexts } from "./spec-files.ts";

export type SpecSnapshot = {
  readonly files: SpecFiles;
  /** Absent if the schema is not valid. */
  readonly model?: Model;
  readonly diagnostics: readonly Diagnostic[];
  readonly saved: readonly SavedOperation[];
};

/** Throws `SpecUnreadable` if a spec file cannot be read. */
export function loadSnapshot(files: SpecFiles): SpecSnapshot {
  const { model, diagnostics } = loadSpec(files.read);
  const saved = readSavedOperations(model?.schema, savedOperationTexts(files));
  return {
    files,
    ...(model && { model }),
    diagnostics: [...diagnostics, ...saved.diagnostics],
    saved: saved.operations,
  };
}
