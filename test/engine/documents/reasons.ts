/** The operations that a table of documents does not count as shown, and why: a row for each kind of reason. */
import type { Measured } from "./measure.ts";

type Kind = { operations: number; values: number; documents: Set<string>; example: string };

export class Reasons {
  /** Operations that have no answer which a field can show. */
  unshowable = 0;
  readonly #kinds = new Map<string, Kind>();

  add(
    document: string,
    { failures, typeErrors, served }: Pick<Measured, "failures" | "typeErrors" | "served">,
  ): void {
    for (const { operation, reason } of failures) {
      const isUnshowable = /no field can (?:show|send)/.test(reason);
      if (isUnshowable) this.unshowable++;
      const stage = /^(?:alone|together): [^:]+/.exec(reason)?.[0];
      this.#count(
        document,
        stage ? `not bound ${stage}` : `not proposed: ${reason}`,
        `${operation}: ${reason}`,
      );
    }
    for (const error of typeErrors) this.#count(document, "does not type-check", error);
    for (const { operation, kind, text, values } of served.reasons)
      this.#count(document, kind, `${operation}: ${text}`, values);
  }

  /** The kind, its operations and values, the documents that have it, an example. */
  get rows(): string[][] {
    return [...this.#kinds].map(([kind, { operations, values, documents, example }]) => [
      kind,
      String(operations),
      String(values),
      [...documents].join(", "),
      cell(example),
    ]);
  }

  #count(document: string, kind: string, example: string, values = 0): void {
    const known = this.#kinds.get(kind) ?? { operations: 0, values: 0, documents: new Set(), example };
    known.operations++;
    known.values += values;
    known.documents.add(document);
    this.#kinds.set(kind, known);
  }
}

const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 300);
