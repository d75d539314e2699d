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
      for (const method of methods) {
        const node = document.child(item, method);
        if (!item || !node || !isRecord(node.value)) continue;
        const id = operationIdOf(node);
        const ownId = id !== undefined && name !== "" ? `${name}/${id}` : id;
        yield { root, ownId, path: name + path, method, item, node };
      }
    }
  }
}

/** The `operationId` as written in the document. */
export const operationIdOf = ({ value }: RestNode): string | undefined =>
  isRecord(value) && typeof value.operationId === "string" && value.operationId !== ""
    ? value.operationId
    : undefined;
