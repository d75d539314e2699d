/** Makes the frame of a place in a spec file: the place and the lines around it. */
import type { SpecSnapshot } from "../bind/spec-snapshot.ts";
import { codeFrame } from "../cli/code-frame.ts";
import type { Place } from "../diagnostic.ts";
import type { Frame } from "./report.ts";

/** The frame of a file that cannot be read has no text. */
export function frameAt(
  { linesOf }: SpecSnapshot,
  role: Frame["role"],
  { file, line, column }: Place,
): Frame {
  const lines = linesOf(file);
  return { role, file: `spec/${file}`, line, column, ...(lines && { text: codeFrame(lines, line, column) }) };
}
