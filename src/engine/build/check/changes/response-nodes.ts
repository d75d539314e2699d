/**
 * The nodes of REST's answers behind a coordinate. Where an answer has another schema, or another media type, than at the
 * base, nothing below it need say something else: only the way there does.
 */
import type { Model } from "../../bind/model.ts";
import type { NodeLocation } from "../../diagnostic.ts";
import { fieldOf } from "../../schema/schema-coordinate.ts";

/** `restedOn`: the nodes that a coordinate reads. The nearest come first. */
export function responseNodes(
  base: Model,
  head: Model,
  coordinate: string,
  restedOn: (coordinate: string) => readonly NodeLocation[],
  seen = new Set<string>(),
): NodeLocation[] {
  const at = fieldOf(coordinate);
  if (seen.has(at)) return [];
  seen.add(at);
  const field = base.fields.get(at);
  if (field?.kind === "bound")
    return field.operation.successes.flatMap(({ node, media }): NodeLocation[] => {
      if (!node) return [];
      const content = { file: node.file, path: [...node.path, "content"] };
      const schema = { file: node.file, path: [...content.path, media ?? "", "schema"] };
      return [head.document.valueAt(schema) === undefined ? content : schema];
    });
  const bringing = (base.backings.get(field?.type ?? "") ?? []).map(({ from }) => from);
  return bringing.flatMap((from) => [
    ...(base.fields.get(from)?.kind === "plain" ? restedOn(from) : []),
    ...responseNodes(base, head, from, restedOn, seen),
  ]);
}
