/** Makes the frame of a place in a spec file: the place and the lines around it. */
import type { SpecFiles } from "../bind/spec-files.ts";
import type { SpecSnapshot } from "../bind/spec-snapshot.ts";
import { type Place, SpecUnreadable } from "../diagnostic.ts";
import { codeFrame } from "./code-frame.ts";
import type { Frame } from "./report.ts";

/** The frame of a file that cannot be read has no text. */
export function frameAt({ files }: SpecSnapshot, role: Frame["role"], { file, line, column }: Place): Frame {
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
