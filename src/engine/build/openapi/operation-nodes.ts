/** Finds the operations of all documents. Reads only the location and the `operationId` of each operation. */
import { isRecord } from "../../shared/json-object.ts";
import { keysOf, type RestDocument, type RestNode, type RootNode } from "./document.ts";
import { itemMethods } from "./operation.ts";

/** With several documents, `ownId` and `path` are prefixed with the document's name: `shop/listThings`, `shop/things`. */
export type OperationNode = {
  readonly root: RootNode;
  readonly ownId: string | undefined;
  readonly path: string;
  /** The field of the path item, such as `get`, or the key in `additionalOperations`, such as `COPY`. */
  readonly method: string;
  readonly item: RestNode;
  readonly node: RestNode;
};

/**
 * Requires a leading slash (OpenAPI 3.1 §4.8.8). Without the slash, the path `2/x` in a document `shop` and the path `/x` in a
 * document `shop2` would both become `shop2/x`. Rejects dot segments, which would lead out of the base URL.
 */
const isPath = /^\/(?!(?:.*\/)?(?:\.|%2e){1,2}(?:[/?#]|$))/is;

export const operationNodes = (document: RestDocument): Generator<OperationNode> =>
  operationsAt(document, ([first]) => (first ? [first] : []));

/** Yields the ignored entries of `additionalOperations`, such as `POST` beside `post` (OpenAPI 3.2, Path Item Object). */
export const shadowedOperations = (document: RestDocument): Generator<OperationNode> =>
  operationsAt(document, (written) => written.slice(1));

/** `choose` gets all operations of a path item with the same method, and returns those to yield. */
function* operationsAt(
  document: RestDocument,
  choose: (written: readonly ItemOperation[]) => readonly ItemOperation[],
): Generator<OperationNode> {
  for (const root of document.roots) {
    const { name = "" } = root;
    const paths = document.child(root, "paths");
    for (const path of keysOf(paths)) {
      if (!isPath.test(path)) continue;
      const item = document.child(paths, path);
      if (!item) continue;
      for (const { method, node } of [...itemOperations(document, item).values()].flatMap(choose)) {
        const id = operationIdOf(node);
        const ownId = id !== undefined && name !== "" ? `${name}/${id}` : id;
        yield { root, ownId, path: name + path, method, item, node };
      }
    }
  }
}

type ItemOperation = { readonly method: string; readonly node: RestNode };

/**
 * Groups the operations of a path item by method. In each group, the operation in a field of the path item comes before the one
 * in `additionalOperations`. Both `additionalOperations` and the field `query` are new in OpenAPI 3.2.
 */
function itemOperations(document: RestDocument, item: RestNode): Map<string, ItemOperation[]> {
  const is32 = document.versions.is32(item.file);
  const others = is32 ? document.child(item, "additionalOperations") : undefined;
  const fixed = itemMethods.filter((method) => is32 || method !== "query");
  const all = [
    ...fixed.map((method) => ({ method, node: document.child(item, method) })),
    ...keysOf(others).map((method) => ({ method: itemMethod(method), node: document.child(others, method) })),
  ];
  const written = all.flatMap(({ method, node }) => (node && isRecord(node.value) ? [{ method, node }] : []));
  return Map.groupBy(written, ({ method }) => method);
}

/** `POST` in `additionalOperations` → `post`, because the path item has a field for this method. Other methods are unchanged. */
const itemMethod = (method: string): string =>
  itemMethods.find((each) => each.toUpperCase() === method) ?? method;

export const operationIdOf = ({ value }: RestNode): string | undefined =>
  isRecord(value) && typeof value.operationId === "string" && value.operationId !== ""
    ? value.operationId
    : undefined;
