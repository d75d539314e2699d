/** Writes OpenAPI Overlays (Overlay Specification 1.0.0) for the documents of a new project. */
import { stringify } from "yaml";

type OverlayAction = { readonly target: string; readonly update: object };

export const overlayText = (title: string, actions: readonly OverlayAction[]): string =>
  stringify({ overlay: "1.0.0", info: { title, version: "1.0.0" }, actions }, { lineWidth: 0 });

/** The lines of an overlay to paste, indented, which YAML permits for a whole file. */
export const overlayLines = (title: string, actions: readonly OverlayAction[]): string[] =>
  overlayText(title, actions)
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);

/** The names in a bracketed selection of a JSONPath (RFC 9535 §2.3.1), each once. */
export const quotedNames = (names: Iterable<string | number>): string =>
  [...new Set(names)].map((name) => `'${String(name).replaceAll(/['\\]/g, "\\$&")}'`).join(",");
