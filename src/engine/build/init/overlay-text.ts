/** Writes OpenAPI Overlays (Overlay Specification 1.0.0) for the documents of a new project. */
import { stringify } from "yaml";

export type OverlayAction = { readonly target: string; readonly update: object };

/** A sentence about a flaw of the document, and the overlay actions that fix it. */
export type OverlayAdvice = { readonly message: string; readonly actions: readonly OverlayAction[] };

const yaml = (value: object): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

export const overlayText = (title: string, actions: readonly OverlayAction[]): string =>
  yaml({ overlay: "1.0.0", info: { title, version: "1.0.0" }, actions });

/**
 * Returns the lines that show the overlay actions of all advice. If the overlay exists, the lines are items for its `actions`;
 * otherwise they are a whole overlay. The user may paste the lines with their indentation.
 */
export function overlayLines(all: readonly OverlayAdvice[], overlay: string, exists: boolean): string[] {
  const actions = all.flatMap((each) => each.actions);
  if (actions.length === 0) return [];
  const text = exists ? yaml(actions) : overlayText("What the document omits", actions);
  return [
    `mend it:   ${exists ? `add to the actions of spec/${overlay}` : `write spec/${overlay}`}, and run npm run codegen:`,
    ...text
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
  ];
}

/** Returns the names as a bracketed selection of a JSONPath (RFC 9535 §2.3.1), without duplicates. */
export const quotedNames = (names: Iterable<string | number>): string =>
  [...new Set(names)].map((name) => `'${String(name).replaceAll(/['\\]/g, "\\$&")}'`).join(",");
