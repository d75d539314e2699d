/**
 * Applies an overlay (OpenAPI Overlay Specification 1.0) to a document. Unchanged values keep their location in the document;
 * added values have a location in the overlay.
 */
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { own } from "../../../shared/own.ts";
import {
  createDiagnostic,
  type Diagnostic,
  type FileLocation,
  type NodePath,
  unreadableSpec,
} from "../../diagnostic.ts";
import type { YamlFile } from "../yaml-file.ts";
import { queryPaths } from "./json-path.ts";

type Action = { readonly target: string; readonly update?: unknown; readonly remove?: boolean };

/** A value that an action removed. `path` is the value's path just before the removal. */
export type Removal = { readonly path: NodePath; readonly value: unknown; readonly action: FileLocation };

/** The overlay set or removed the value at `path` (`Written`), or removed the item `index` of the list at `path`. */
type Change = Written | { readonly path: NodePath; readonly index: number };

/** `path` is in the document, `from` in the overlay. */
type Written = { readonly path: NodePath; readonly from: NodePath };

/** Returns the changed document, the removed values, and a finding for each action that selects nothing. */
export function withOverlay(
  document: YamlFile,
  overlay: YamlFile,
): { file: YamlFile; removals: readonly Removal[]; unused: readonly Diagnostic[] } {
  const overlaid = new OverlaidDocument(document, overlay);
  const removals: Removal[] = [];
  const unused: Diagnostic[] = [];
  for (const [index, action] of actionsOf(overlay).entries()) {
    const target: NodePath = ["actions", index, "target"];
    const place = overlay.place(target);
    // starts with the last value, because the removal of a list item shifts the items after it
    const found = select(action, overlaid.value, place).reverse();
    if (found.length === 0) unused.push(selectsNothing(action, place));
    for (const { location: path, value } of found) {
      if (action.remove === true) {
        removals.push({ path, value, action: place });
        overlaid.remove({ path, from: target });
      } else overlaid.update({ path, from: ["actions", index, "update"] }, action.update);
    }
  }
  const { value } = overlaid;
  return { file: { ...document, value, place: (path) => overlaid.place(path) }, removals, unused };
}

/** Throws `UnreadableSpec` unless the file is an overlay. */
function actionsOf({ value, place }: YamlFile): readonly Action[] {
  const { overlay, actions } = membersOf(value);
  const { file: overlayFile } = place([]);
  if (typeof overlay !== "string" || !/^1\./.test(overlay))
    throw unreadableSpec(overlayFile, "is not an OpenAPI Overlay: it must have `overlay: 1.0.0`");
  if (!Array.isArray(actions)) throw unreadableSpec(overlayFile, "has no list of actions");
  for (const [index, action] of actions.entries()) {
    const { target, update, remove } = membersOf(action);
    if (typeof target !== "string" || (remove !== true && update === undefined))
      throw unreadableSpec(
        overlayFile,
        "an action must have a `target`, and an `update` or `remove: true`",
        place(["actions", index]),
      );
  }
  return actions as readonly Action[];
}

/**
 * Returns the values that the action's target selects (RFC 9535). Throws if one of the values cannot be updated: a list accepts
 * any update, an object accepts only an object, and other values accept none.
 */
function select(
  { target, update, remove }: Action,
  value: unknown,
  place: FileLocation,
): ReturnType<typeof queryPaths> {
  try {
    const nodes = queryPaths(target, value);
    const takes = (node: unknown): boolean => Array.isArray(node) || (isRecord(node) && isRecord(update));
    const wrong = remove ? undefined : nodes.find((node) => !takes(node.value));
    if (wrong)
      throw new Error(`${wrong.getPath()} cannot be updated: it must be a list, or both must be objects`);
    return nodes;
  } catch (error) {
    throw unreadableSpec(place.file, `target ${target}: ${(error as Error).message}`, place);
  }
}

const selectsNothing = ({ target }: Action, place: FileLocation): Diagnostic =>
  createDiagnostic({
    rule: "overlay-unused",
    coordinate: target,
    message: `the overlay's target ${target} selects nothing in the document`,
    hint: "correct the target, or remove the action",
    rest: place,
    facts: [],
  });

/** Returns a copy of `value`, changed at the path. Does not modify objects in place, because YAML aliases may share them. */
function changedAt(
  value: unknown,
  [step, ...below]: NodePath,
  change: (before: unknown) => unknown,
): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.with(Number(step), changedAt(value[Number(step)], below, change));
  const object = value as Record<string, unknown>;
  return { ...object, [step]: changedAt(own(object, step), below, change) };
}

/** The document's value while the overlay is applied, and the changes so far. */
class OverlaidDocument {
  value: unknown;
  readonly #document: YamlFile;
  readonly #overlay: YamlFile;
  readonly #changes: Change[] = [];

  constructor(document: YamlFile, overlay: YamlFile) {
    this.value = document.value;
    this.#document = document;
    this.#overlay = overlay;
  }

  remove({ path, from }: Written): void {
    const parent = path.slice(0, -1);
    const last = path.at(-1);
    const place = this.#overlay.place(from);
    if (last === undefined) throw unreadableSpec(place.file, "removes the whole document", place);
    this.value = changedAt(this.value, parent, (before) => {
      if (Array.isArray(before)) {
        this.#changes.push({ path: parent, index: Number(last) });
        return before.toSpliced(Number(last), 1);
      }
      this.#changes.push({ path, from });
      const members = Object.entries(before as Record<string, unknown>);
      return Object.fromEntries(members.filter(([name]) => name !== String(last)));
    });
  }

  update(at: Written, update: unknown): void {
    this.value = changedAt(this.value, at.path, (before) => this.#merged(at, before, update));
  }

  /**
   * Merges two objects member by member. Appends the update to a list (its items, if the update is a list too). Replaces any
   * other value with the update.
   */
  #merged({ path, from }: Written, before: unknown, update: unknown): unknown {
    if (Array.isArray(before)) {
      const items = Array.isArray(update) ? update : [update];
      for (const index of items.keys())
        this.#changes.push({
          path: [...path, before.length + index],
          from: Array.isArray(update) ? [...from, index] : from,
        });
      return [...before, ...items];
    }
    if (!isRecord(before) || !isRecord(update)) {
      this.#changes.push({ path, from });
      return update;
    }
    const members = Object.entries(update).map(([key, value]) => {
      const at = { path: [...path, key], from: [...from, key] };
      return [key, this.#merged(at, own(before, key), value)] as const;
    });
    return { ...before, ...Object.fromEntries(members) };
  }

  /**
   * Returns the location of the value at the path. The location is in the overlay if the overlay set or removed the value or an
   * ancestor of it, or if the value is a schema whose type the overlay changed. Otherwise it is in the document. Searches the
   * changes backwards, because the path in a change was valid only at the time of this change.
   */
  place(path: NodePath): FileLocation {
    let at = path;
    for (const change of this.#changes.toReversed()) {
      const { length } = change.path;
      const isAbove = length > at.length && startsWith(change.path, at);
      if ("from" in change && isAbove && ofValues.test(change.path.slice(at.length).join("/")))
        return this.#overlay.place(change.from);
      if (!startsWith(at, change.path)) continue;
      if ("from" in change) return this.#overlay.place([...change.from, ...at.slice(length)]);
      const step = at[length];
      if (step !== undefined && Number(step) >= change.index) at = at.with(length, Number(step) + 1);
    }
    return this.#document.place(at);
  }
}

/** Keywords that restrict values. Findings about a schema point at the overlay if it changed one of these keywords. */
const ofValues = /^(?:schema\/)?(?:type|format|nullable|enum(?:\/\d+)?)$/;

const startsWith = (path: NodePath, start: NodePath): boolean =>
  start.every((step, index) => String(path[index]) === String(step));
