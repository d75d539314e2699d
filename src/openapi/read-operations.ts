/**
 * Reads all operations of a document. An operation is known by its `operationId`. Where it has none, or shares it with
 * another, it is known by its method and path: `GET /things/{id}`.
 */
import { isRecord, keysOf, type RestDocument, type RestNode } from "./document.ts";
import { methodAndPath, type RestOperation } from "./operation.ts";
import { readOperation } from "./read-operation.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** By id, in the order of the document. */
export function readOperations(document: RestDocument): Map<string, RestOperation> {
  const found = [...operationNodes(document)];
  const byId = Map.groupBy(found, ({ ownId }) => ownId);
  const names = new Set(found.map(methodAndPath));
  return new Map(
    found.map(({ ownId, method, path, item, node }) => {
      const name = methodAndPath({ method, path });
      const isUsable =
        ownId !== undefined && byId.get(ownId)?.length === 1 && (!names.has(ownId) || ownId === name);
      const id = isUsable ? ownId : name;
      return [id, readOperation(document, id, method, path, item, node)];
    }),
  );
}

type Names = {
  readonly byPlace: ReadonlyMap<string, RestOperation>;
  readonly byOwnId: ReadonlyMap<string | undefined, RestOperation[]>;
};

const names = new WeakMap<ReadonlyMap<string, RestOperation>, Names>();

function namesOf(operations: ReadonlyMap<string, RestOperation>): Names {
  const known = names.get(operations);
  if (known) return known;
  const all = [...operations.values()];
  const made = {
    byPlace: new Map(all.map((operation) => [methodAndPath(operation), operation])),
    byOwnId: Map.groupBy(all, ({ node }) => ownIdOf(node)),
  };
  names.set(operations, made);
  return made;
}

/** The operation of this `operationId`, or of this method and path. */
export const operationNamed = (
  operations: ReadonlyMap<string, RestOperation>,
  name: string,
): RestOperation | undefined => operations.get(name) ?? namesOf(operations).byPlace.get(name);

/** The operations that share this `operationId`; none if it is the id of one operation or of none. */
export function operationsSharing(
  operations: ReadonlyMap<string, RestOperation>,
  name: string,
): RestOperation[] {
  const sharing = namesOf(operations).byOwnId.get(name) ?? [];
  return sharing.length > 1 ? sharing : [];
}

const ownIdOf = ({ value }: RestNode): string | undefined =>
  isRecord(value) && typeof value.operationId === "string" && value.operationId !== ""
    ? value.operationId
    : undefined;

type OperationNode = {
  readonly ownId: string | undefined;
  readonly path: string;
  readonly method: string;
  readonly item: RestNode;
  readonly node: RestNode;
};

/** Reads nothing of an operation but its place and its own id. */
export function* operationNodes(document: RestDocument): Generator<OperationNode> {
  const paths = document.child(document.root, "paths");
  for (const path of keysOf(paths)) {
    const item = document.child(paths, path);
    for (const method of methods) {
      const node = document.child(item, method);
      if (item && node && isRecord(node.value)) yield { ownId: ownIdOf(node), path, method, item, node };
    }
  }
}
