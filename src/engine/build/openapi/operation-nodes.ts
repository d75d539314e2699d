/** Finds the operations of all documents; reads only their location and `operationId`. */
import { isRecord } from "../../shared/json-object.ts";
import { keysOf, type RestDocument, type RestNode, type RootNode } from "./document.ts";

/** With several documents, id and path are prefixed with the document's name: `shop/listThings`, `shop/things`. */
export type OperationNode = {
  readonly root: RootNode;
  readonly ownId: string | undefined;
  readonly path: string;
  readonly method: string;
  readonly item: RestNode;
  readonly node: RestNode;
};

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/** OpenAPI 3.2 §4.9 adds `query`. */
const methods32 = [...methods, "query"];

/**
 * A path must begin with a slash (§4.8.8): `2/x` of the document `shop` would otherwise be `/x` of the document `shop2`. A dot
 * segment would lead out of the base URL.
 */
const isPath = /^\/(?!(?:.*\/)?(?:\.|%2e){1,2}(?:[/?#]|$))/is;

export function* operationNodes(document: RestDocument): Generator<OperationNode> {
  for (const root of document.roots) {
    const { name = "" } = root;
    const paths = document.child(root, "paths");
    for (const path of keysOf(paths)) {
      if (!isPath.test(path)) continue;
      const item = document.child(paths, path);
      for (const [method, node] of operationsOf(document, item)) {
        if (!item || !isRecord(node.value)) continue;
        const id = operationIdOf(node);
        const ownId = id !== undefined && name !== "" ? `${name}/${id}` : id;
        yield { root, ownId, path: name + path, method, item, node };
      }
    }
  }
}

/** The operations of a path item by method, in lower case: the fixed fields and `additionalOperations` (OpenAPI 3.2 §4.9). */
function operationsOf(
  document: RestDocument,
  item: RestNode | undefined,
): (readonly [method: string, node: RestNode])[] {
  const is32 = item !== undefined && document.versions.is32(item.file);
  const fixed = (is32 ? methods32 : methods).flatMap((method) => {
    const node = document.child(item, method);
    return node ? [[method, node] as const] : [];
  });
  const others = is32 ? document.child(item, "additionalOperations") : undefined;
  const additional = keysOf(others).flatMap((method) => {
    const node = document.child(others, method);
    return node && !methods32.includes(method.toLowerCase()) ? [[method.toLowerCase(), node] as const] : [];
  });
  return [...fixed, ...additional];
}

/** The `operationId` as written in the document. */
export const operationIdOf = ({ value }: RestNode): string | undefined =>
  isRecord(value) && typeof value.operationId === "string" && value.operationId !== ""
    ? value.operationId
    : undefined;
