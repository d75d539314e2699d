/** The tags of operations, which OpenAPI 3.2 nests (`parent`) and classifies (`kind`, Tag Object). */
import { isRecord, membersOf } from "../../shared/json-object.ts";
import type { RootNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";

export const tagsOf = ({ node }: Pick<RestOperation, "node">): string[] =>
  isRecord(node.value) && Array.isArray(node.value.tags)
    ? node.value.tags.filter((tag) => typeof tag === "string")
    : [];

/** Returns the operation's tags and all their ancestors. */
export function nestedTagsOf(operation: Pick<RestOperation, "node" | "root">): Set<string> {
  const found = new Set(tagsOf(operation));
  for (const tag of found) {
    const { parent } = declaredTag(operation.root, tag);
    if (typeof parent === "string") found.add(parent); // the loop visits the added tag later
  }
  return found;
}

/**
 * The tag that is the operation's product: the first one without a `kind` or with the kind `nav`. Tags of other kinds, such as
 * `badge` or `audience`, only inform readers.
 */
export const productTagOf = (operation: Pick<RestOperation, "node" | "root">): string | undefined =>
  tagsOf(operation).find((tag) => {
    const { kind } = declaredTag(operation.root, tag);
    return kind === undefined || kind === "nav";
  });

function declaredTag({ value }: RootNode, name: string): Record<string, unknown> {
  const { tags } = membersOf(value);
  return membersOf(Array.isArray(tags) ? tags.find((tag) => membersOf(tag).name === name) : undefined);
}
