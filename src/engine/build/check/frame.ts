/** Creates the frame of a location in a spec file: the location with the lines around it. */

import { codeFrame } from "../../shared/cli/code-frame.ts";
import type { FileLocation } from "../diagnostic.ts";
import type { Project } from "../project/project.ts";
import type { Frame } from "./report.ts";

/** The path to display: that of a spec file, or a manifest's path or URL. */
export const displayPath = (file: string): string =>
  isManifest(file) ? file.slice("../".length) : `spec/${file}`;

export const isManifest = (file: string): boolean => file.startsWith("../");

/**
 * Creates the frame. It has no text if the file cannot be read, or is a manifest, which has each operation on a single line.
 */
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
