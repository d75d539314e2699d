/** Creates the code frames of a difference between the old and the new OpenAPI document. */

import { isDeepStrictEqual } from "node:util";
import type { NodeLocation, NodePath } from "../../diagnostic.ts";
import type { ValidProject } from "../../project/project.ts";
import { frameAt } from "../frame.ts";
import type { Frame } from "../report.ts";

/** The node in the old and the new document, and the path from the node to the difference. */
type DifferingNodes = { readonly old: NodeLocation; readonly new: NodeLocation; readonly below: NodePath };

/**
 * Returns one frame for each document that has the node. If the value is a list, such as an enum, the frame shows the first item
 * that the other document lacks.
 */
export function restFrames(
  base: ValidProject,
  head: ValidProject,
  { old, new: now, below }: DifferingNodes,
): Frame[] {
  const valueIn = ({ model: { document } }: ValidProject, { file, path }: NodeLocation): unknown =>
    document.valueAt({ file, path: [...path, ...below] });
  const is = valueIn(head, now);
  const was = valueIn(base, old);
  const frames = (
    project: ValidProject,
    role: Frame["role"],
    node: NodeLocation,
    item: NodePath,
  ): Frame[] => {
    const { document } = project.model;
    return document.valueAt(node) !== undefined
      ? [frameAt(project, role, document.place(node, ...below, ...item))]
      : [];
  };
  return [
    ...frames(head, "rest", now, ownItem(is, was)),
    ...frames(base, "base rest", old, ownItem(was, is)),
  ];
}

function ownItem(list: unknown, other: unknown): NodePath {
  if (!Array.isArray(list) || !Array.isArray(other)) return [];
  const index = list.findIndex((item) => !other.some((each) => isDeepStrictEqual(item, each)));
  return index < 0 ? [] : [index];
}
