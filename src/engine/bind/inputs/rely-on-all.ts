/** Records that a field sends a whole value, with every part that REST describes. */
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";

/** The caller writes the value of a custom scalar as REST takes it: it relies on every part. */
export function relyOnAll(binder: Binder, coordinate: string, shape: Shape, seen = new Set<string>()): void {
  const rely = (below: Shape, ...nodes: readonly RestNode[]): void => {
    const key = [below.node, ...nodes].map(nodeKey).join(" ");
    if (seen.has(key)) return;
    seen.add(key);
    binder.relyOnRequest(coordinate, below.node, ...nodes);
    relyOnAll(binder, coordinate, below, seen);
  };
  // the properties and the items that members share point at nodes of a member, and lack what is that member's alone
  for (const member of shape.variants?.members ?? []) rely(member.shape, member.node);
  for (const member of shape.members ?? []) rely(member);
  for (const property of shape.properties.values())
    if (property.only !== "response") rely(property.shape, property.node);
  if (shape.items) rely(shape.items);
}
