/** Creates code frames: a location in a spec file and the lines around it. */

import { codeFrame } from "../../shared/cli/code-frame.ts";
import type { FileLocation } from "../diagnostic.ts";
import type { Project } from "../project/project.ts";
import type { Frame } from "./report.ts";

/** The path of a spec file, or the path or URL of a manifest. */
export const displayPath = (file: string): string =>
  isManifest(file) ? file.slice("../".length) : `spec/${file}`;

export const isManifest = (file: string): boolean => file.startsWith("../");

/** Omits the lines of an unreadable file, and those of a manifest, where each line is a whole operation. */
export function frameAt(
  { linesOf }: Project,
  role: Frame["role"],
  { file, line, column }: FileLocation,
): Frame {
  const lines = isManifest(file) ? undefined : linesOf(file);
  return {
    role,
    file: displayPath(file),
    line,
    column,
    ...(lines && { text: codeFrame(lines, line, column) }),
  };
}
