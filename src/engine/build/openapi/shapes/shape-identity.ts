/**
 * The identity of a shape: the schemas that it is composed of. Two shapes of one identity describe the same values
 * besides null. A composed shape is made anew on each read, and several may point at one node, so neither the object
 * nor the node tells two shapes apart.
 */
import { hash } from "node:crypto";
import { unreadableSpec } from "../../diagnostic.ts";
import { nodeKey, type RestNode } from "../document.ts";

type Keyword = "allOf" | "oneOf";

export type ShapeIdentity = {
  readonly text: string;
  readonly keyword?: Keyword;
  /** The texts of the composed identities; a schema of the document is its own only part. */
  readonly parts: ReadonlySet<string>;
  /** The number of `allOf` and `oneOf` inside each other. */
  readonly depth: number;
};

/** No document needs more; a schema that composes itself anew below each property grows without end. */
const maxDepth = 64;

/** Longer texts are replaced by their digest. */
const maxLength = 400;

export function identityOf(node: RestNode): ShapeIdentity {
  const text = nodeKey(node);
  return { text, parts: new Set([text]), depth: 0 };
}

/** The identity of a shape that no schema of the document describes. */
export const syntheticIdentity = (text: string): ShapeIdentity => ({
  text,
  parts: new Set([text]),
  depth: 0,
});

/** A part counts once, and the order of the parts does not count: `A and A` is `A`, `A and B` is `B and A`. */
export function composedIdentity(
  keyword: Keyword,
  identities: readonly ShapeIdentity[],
  node: RestNode,
): ShapeIdentity {
  const parts = new Set(
    identities.flatMap((each) => (each.keyword === keyword ? [...each.parts] : [each.text])),
  );
  const [first] = identities;
  if (parts.size === 1 && first) return first;
  const depth =
    1 + Math.max(...identities.map((each) => (each.keyword === keyword ? each.depth - 1 : each.depth)));
  if (depth > maxDepth)
    throw unreadableSpec(node.file, `#/${node.path.join("/")} composes itself without end`);
  const written = `${keyword}(${[...parts].sort().join(", ")})`;
  const text = written.length > maxLength ? `${keyword}(${hash("sha256", written)})` : written;
  return { text, keyword, parts, depth };
}
