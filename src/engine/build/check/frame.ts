/** Creates the frame of a location in a spec file: the location with the lines around it. */

import { codeFrame } from "../../shared/cli/code-frame.ts";
import type { FileLocation } from "../diagnostic.ts";
import type { Project } from "../project/project.ts";
import type { Frame } from "./report.ts";

/** The path of a file of the spec folder, or a manifest's path or URL. */
export const displayPath = (file: string): string =>
  isManifest(file) ? file.slice("../".length) : `spec/${file}`;

export const isManifest = (file: string): boolean => file.startsWith("../");

/** The frame has no text for a file that cannot be read or a manifest, in which operations are single lines. */
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
