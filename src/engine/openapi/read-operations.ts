/**
 * Reads all operations of a document. An operation is known by its `operationId`. Where it has none, or shares it with
 * another, it is known by its method and path: `GET /things/{id}`.
 */
import { isRecord } from "../standards/json-object.ts";
import { keysOf, type RestDocument, type RestNode } from "./document.ts";
import { methodAndPath, type RestOperation } from "./operation.ts";
import { readOperation } from "./read-operation.ts";

/** The operations of a document by id, in the order of the document. */
export class RestOperations extends Map<string, RestOperation> {
  readonly #byPlace: ReadonlyMap<string, RestOperation>;
  readonly #byOwnId: ReadonlyMap<string | undefined, RestOperation[]>;

  constructor(entries: Iterable<readonly [string, RestOperation]>) {
    super(entries);
    const all = [...this.values()];
    this.#byPlace = new Map(all.map((operation) => [methodAndPath(operation), operation]));
    this.#byOwnId = Map.groupBy(all, ({ node }) => ownIdOf(node));
  }

  /** The operation of this `operationId`, or of this method and path. */
  named(name: string): RestOperation | undefined {
    return this.get(name) ?? this.#byPlace.get(name);
  }

  /** The operations that share this `operationId`; none if it is the id of one operation or of none. */
  sharing(operationId: string): readonly RestOperation[] {
    const sharing = this.#byOwnId.get(operationId) ?? [];
    return sharing.length > 1 ? sharing : [];
  }
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export function readOperations(document: RestDocument): RestOperations {
  const found = [...operationNodes(document)];
  const byId = Map.groupBy(found, ({ ownId }) => ownId);
  const names = new Set(found.map(methodAndPath));
  return new RestOperations(
    found.map(({ ownId, method, path, item, node }) => {
      const name = methodAndPath({ method, path });
      const isUsable =
        ownId !== undefined && byId.get(ownId)?.length === 1 && (!names.has(ownId) || ownId === name);
      const id = isUsable ? ownId : name;
      return [id, readOperation(document, id, method, path, item, node)];
    }),
  );
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
