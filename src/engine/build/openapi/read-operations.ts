/**
 * Reads all operations of the documents. An operation is known by its `operationId`. Where it has none, or shares it with
 * another of its document, it is known by its method and path: `GET /things/{id}`. Of several documents, both stand behind
 * the document's name: `shop/getThing`, `GET shop/things/{id}`.
 */
import type { RestDocument } from "./document.ts";
import { methodAndPath, ownPath, type RestOperation } from "./operation.ts";
import { operationIdOf, operationNodes } from "./operation-nodes.ts";
import { readOperation } from "./read-operation.ts";

/** The operations of the documents by id, in the order of the documents. */
export class RestOperations extends Map<string, RestOperation> {
  readonly #byPlace: ReadonlyMap<string, RestOperation>;
  /** By `operationId`, and by method and path, without the document's name. */
  readonly #byOwnName: ReadonlyMap<string | undefined, RestOperation[]>;
  /** How the names of other documents' operations begin: none of one document alone. */
  readonly #starts: ReadonlySet<string>;

  constructor(entries: Iterable<readonly [string, RestOperation]>) {
    super(entries);
    const all = [...this.values()];
    this.#starts = new Set(all.flatMap(({ root: { name } }) => (name === undefined ? [] : ["", name])));
    this.#byPlace = new Map(all.map((operation) => [methodAndPath(operation), operation]));
    this.#byOwnName = new Map([
      ...Map.groupBy(all, ownPlaceOf),
      ...Map.groupBy(all, (operation) => this.ownIdOf(operation)),
    ]);
  }

  /**
   * The `operationId` as the document writes it, unless it reads as the name of an operation of another: `shop/getThing`,
   * `GET shop/things`, `GET /things`.
   */
  ownIdOf({ node, root }: RestOperation): string | undefined {
    const id = operationIdOf(node);
    const [, start] = /^(?:[A-Z]+ )?([^/]*)\//.exec(id ?? "") ?? [];
    return start !== undefined && start !== root.name && this.#starts.has(start) ? undefined : id;
  }

  /** The operation of this `operationId`, or of this method and path; of one document, its name may be left out. */
  named(name: string): RestOperation | undefined {
    const [own, ...others] = this.#byOwnName.get(name) ?? [];
    return this.get(name) ?? this.#byPlace.get(name) ?? (others.length === 0 ? own : undefined);
  }

  /** The operations that share this name; none if it is the name of one operation or of none. */
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
