/**
 * Identifies a shape by the schemas that it consists of. Shapes with the same identity describe the same values, apart from null.
 * Comparing objects or nodes is not enough, because a composed shape is a new object on each read, and several shapes may have
 * the same node.
 */
import { hash } from "node:crypto";
import { unreadableSpec } from "../../diagnostic.ts";
import { nodeKey, type RestNode } from "../document.ts";

type Keyword = "allOf" | "oneOf";

export type ShapeIdentity = {
  readonly text: string;
  readonly keyword?: Keyword;
  /** The identities that compose this one; for a plain schema, only its own. */
  readonly parts: ReadonlySet<string>;
  /** How deeply `allOf` and `oneOf` are nested. */
  readonly depth: number;
};

/** Limits the depth of schemas that contain a new composition of themselves. No real document reaches it. */
const maxDepth = 64;

/** Maximum length of an identity's text. A longer text is replaced by its digest. */
const maxLength = 400;

export function identityOf(node: RestNode): ShapeIdentity {
  const text = node.isBase ? `${nodeKey(node)} without variants` : nodeKey(node);
  return { text, parts: new Set([text]), depth: 0 };
}

/** Returns the identity of a shape that has no schema in the document, such as the entry of a map. */
export const syntheticIdentity = (text: string): ShapeIdentity => ({
  text,
  parts: new Set([text]),
  depth: 0,
});

/** Ignores duplicate parts and their order: `allOf(A, A)` is `A`, and `allOf(B, A)` is `allOf(A, B)`. */
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
