/** Makes the frame of a place in a spec file: the place and the lines around it. */
import type { SpecFiles } from "../bind/spec-files.ts";
import type { SpecSnapshot } from "../bind/spec-snapshot.ts";
import { codeFrame, linesOf } from "../cli/code-frame.ts";
import { type Place, SpecUnreadable } from "../diagnostic.ts";
import type { Frame } from "./report.ts";

/** The lines of each file, split once for all findings in it. */
const split = new WeakMap<SpecFiles, Map<string, readonly string[] | undefined>>();

/** The frame of a file that cannot be read has no text. */
export function frameAt({ files }: SpecSnapshot, role: Frame["role"], { file, line, column }: Place): Frame {
  const known = split.get(files) ?? new Map<string, readonly string[] | undefined>();
  split.set(files, known);
  if (!known.has(file)) known.set(file, readLines(files, file));
  const lines = known.get(file);
  return { role, file: `spec/${file}`, line, column, ...(lines && { text: codeFrame(lines, line, column) }) };
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
