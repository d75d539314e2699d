/**
 * The identity of a shape: the schemas that it consists of. Shapes with the same identity describe the same values, apart from
 * null. Neither the object nor the node identifies a shape: a composed shape is a new object on each read, and several shapes may
 * have the same node.
 */
import { hash } from "node:crypto";
import { unreadableSpec } from "../../diagnostic.ts";
import { nodeKey, type RestNode } from "../document.ts";

type Keyword = "allOf" | "oneOf";

export type ShapeIdentity = {
  readonly text: string;
  readonly keyword?: Keyword;
  /** The identities that this one is composed of. A plain schema has only its own. */
  readonly parts: ReadonlySet<string>;
  /** The depth to which `allOf` and `oneOf` are nested. */
  readonly depth: number;
};

/**
 * Maximum depth, more than any real document needs. A schema that composes itself again below each property would grow without
 * end.
 */
const maxDepth = 64;

/** Longer texts are replaced by their digest. */
const maxLength = 400;

export function identityOf(node: RestNode): ShapeIdentity {
  const text = node.isBase ? `${nodeKey(node)} without variants` : nodeKey(node);
  return { text, parts: new Set([text]), depth: 0 };
}

/** The identity of a shape without a schema in the document. */
export const syntheticIdentity = (text: string): ShapeIdentity => ({
  text,
  parts: new Set([text]),
  depth: 0,
});

/** Duplicates and order of parts do not matter: `A and A` is `A`, `A and B` is `B and A`. */
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
