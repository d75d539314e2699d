/**
 * One side of a comparison: a spec folder as it is, or as it was at the base. Loaded and bound once, and read by every
 * stage; it also cuts the code frames, since it knows its files.
 */
import { type Diagnostic, type Place, SpecUnreadable } from "../spec/diagnostic.ts";
import { loadSpec } from "../spec/load.ts";
import type { Model } from "../spec/model.ts";
import { readSavedOperations, type SavedOperation } from "../spec/saved-operations.ts";
import { type SpecFiles, savedOperationTexts } from "../spec/spec-files.ts";
import { codeFrame } from "./code-frame.ts";
import type { Frame } from "./report.ts";

export type Side = {
  readonly files: SpecFiles;
  readonly model?: Model;
  readonly diagnostics: readonly Diagnostic[];
  readonly saved: readonly SavedOperation[];
  /** A place as a report shows it; `file` becomes relative to the project. */
  readonly frame: (role: Frame["role"], place: Place) => Frame;
};

/** Throws `SpecUnreadable` when there is nothing to check. */
export function loadSide(files: SpecFiles): Side {
  const { model, diagnostics } = loadSpec(files.read);
  const saved = readSavedOperations(model?.schema, savedOperationTexts(files));
  return {
    files,
    ...(model && { model }),
    diagnostics: [...diagnostics, ...saved.diagnostics],
    saved: saved.operations,
    frame: (role, place) => frameOf(files, role, place),
  };
}

/** A frame of a file that may itself be the one that cannot be read. */
function frameOf(files: SpecFiles, role: Frame["role"], { file, line, column }: Place): Frame {
  const text = textOf(files, file);
  return { role, file: `spec/${file}`, line, column, ...(text && { text: codeFrame(text, line, column) }) };
}

function textOf({ read }: SpecFiles, file: string): string | undefined {
  try {
    return read(file);
  } catch (error) {
    if (!(error instanceof SpecUnreadable)) throw error;
    return undefined;
  }
}
