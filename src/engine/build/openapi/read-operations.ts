/**
 * Reads all operations of the documents. The id of an operation is its `operationId`, or its method and path (`GET /things/{id}`)
 * if the `operationId` is missing or not unique. With several documents, ids include the document's name: for example,
 * `shop/getThing` or `GET shop/things/{id}`.
 */
import type { RestDocument } from "./document.ts";
import { isSameOperation, methodAndPath, ownPath, type RestOperation } from "./operation.ts";
import { operationIdOf, operationNodes } from "./operation-nodes.ts";
import { readOperation } from "./read-operation.ts";

/** The operations by id, in document order. */
export class RestOperations extends Map<string, RestOperation> {
  readonly #byPlace: ReadonlyMap<string, RestOperation>;
  /** The operations by `operationId`, and by method and path, without the document's name. */
  readonly #byOwnName: ReadonlyMap<string | undefined, RestOperation[]>;
  /**
   * With several documents, the documents' names and the empty string; with a single document, an empty set. An `operationId`
   * that begins with one of these texts and a slash may look like the id or the path of another operation.
   */
  readonly #starts: ReadonlySet<string>;
  readonly #formerNames: ReadonlyMap<string, RestOperation>;

  /** `formerNames` finds an operation by the name that it had in an earlier version of the document. */
  constructor(
    entries: Iterable<readonly [string, RestOperation]>,
    formerNames: ReadonlyMap<string, RestOperation> = new Map(),
  ) {
    super(entries);
    this.#formerNames = formerNames;
    const all = [...this.values()];
    this.#starts = new Set(all.flatMap(({ root: { name } }) => (name === undefined ? [] : ["", name])));
    this.#byPlace = new Map(all.map((operation) => [methodAndPath(operation), operation]));
    this.#byOwnName = new Map([
      ...Map.groupBy(all, ownPlaceOf),
      ...Map.groupBy(all, (operation) => this.ownIdOf(operation)),
    ]);
  }

  /**
   * Returns the `operationId` as written in the document; `undefined` if it could be confused with the id of another document's
   * operation (`shop/getThing`, `GET shop/things`) or with a path (`GET /things`).
   */
  ownIdOf({ node, root }: RestOperation): string | undefined {
    const id = operationIdOf(node);
    const [, start] = /^(?:[A-Z][A-Z\d-]* )?([^/]*)\//.exec(id ?? "") ?? [];
    return start !== undefined && start !== root.name && this.#starts.has(start) ? undefined : id;
  }

  /** Finds an operation by `operationId`, or by method and path. Without the document's name, the match must be unique. */
  named(name: string): RestOperation | undefined {
    const [own, ...others] = this.#byOwnName.get(name) ?? [];
    const found = this.get(name) ?? this.#byPlace.get(name) ?? (others.length === 0 ? own : undefined);
    return found ?? this.#formerNames.get(name);
  }

  /** Returns the counterpart of an operation from another version of the spec. An operation with the same id takes precedence. */
  versionOf(other: RestOperation): RestOperation | undefined {
    return this.get(other.id) ?? [...this.values()].find((each) => isSameOperation(each, other));
  }

  /** Returns the operations with this name if there are several; otherwise an empty list. */
  sharing(name: string): readonly RestOperation[] {
    const sharing = this.#byOwnName.get(name) ?? [];
    return sharing.length > 1 ? sharing : [];
  }
}

const ownPlaceOf = (operation: RestOperation): string =>
  methodAndPath({ method: operation.method, path: ownPath(operation) });

export function readOperations(document: RestDocument): RestOperations {
  const found = [...operationNodes(document)];
  const byId = Map.groupBy(found, ({ ownId }) => ownId);
  const names = new Set(found.map(methodAndPath));
  return new RestOperations(
    found.map((operation) => {
      const { ownId } = operation;
      const name = methodAndPath(operation);
      const isUsable =
        ownId !== undefined && byId.get(ownId)?.length === 1 && (!names.has(ownId) || ownId === name);
      const id = isUsable ? ownId : name;
      return [id, readOperation(document, id, operation)];
    }),
  );
}
