/**
 * Holds the saved operations by the SHA-256 digest of their text, and their documents once parsed and validated. Apollo
 * Client and urql add `__typename` to an operation before they hash it. urql also prints it in its own format. So each
 * operation has a digest for each of these texts.
 */
import { hash } from "node:crypto";
import { type DocumentNode, Kind, parse, print, visit } from "graphql";
import type { OperationName } from "../../observe/records.ts";
import type { ManifestEntry } from "../../rest/api.ts";

export class SavedOperations {
  readonly #texts = new Map<string, string>();
  readonly #documents = new Map<string, DocumentNode>();
  readonly #names = new Map<string, OperationName>();

  constructor(entries: readonly ManifestEntry[]) {
    for (const { id, name, body } of entries)
      for (const text of [body, withTypeNames(body)])
        for (const sent of [text, printedByUrql(text)]) {
          this.#texts.set(hash("sha256", sent), sent);
          this.#names.set(sent, { name, id });
        }
  }

  /** The saved operation with this text. */
  nameOf(text: string): OperationName | undefined {
    return this.#names.get(text);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The text of the saved operation with this digest. */
  text(id: string): string | undefined {
    return this.#texts.get(id);
  }

  /** The document of a saved operation, once it was validated. The process keeps it until its end. */
  document(text: string): DocumentNode | undefined {
    return this.#documents.get(text);
  }

  /** Keeps the valid document of a saved operation. Returns `false` if the operation is not saved. */
  keep(text: string, document: DocumentNode): boolean {
    if (!this.#names.has(text)) return false;
    this.#documents.set(text, document);
    return true;
  }
}

const typeName = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } } as const;

/** The text that a client's cache sends: each selection set except the root's ends with `__typename`. */
const withTypeNames = (text: string): string =>
  print(
    visit(parse(text, { noLocation: true }), {
      SelectionSet(set, _key, parent) {
        const isRoot = parent !== undefined && "kind" in parent && parent.kind === Kind.OPERATION_DEFINITION;
        const hasIt = set.selections.some(
          (node) => node.kind === Kind.FIELD && node.name.value === "__typename",
        );
        return isRoot || hasIt ? undefined : { ...set, selections: [...set.selections, typeName] };
      },
    }),
  );

const string = /("{3}[\s\S]*"{3}|"(?:\\.|[^"])*")/;

/** urql removes empty lines and starts a new line at each string (`stringifyDocument` of `@urql/core`). */
const printedByUrql = (text: string): string =>
  text
    .split(string)
    .map((part, index) => (index % 2 === 0 ? part.replace(/\n+|$/g, "\n") : part))
    .join("")
    .trim();
