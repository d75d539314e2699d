/** Collects diagnostics while binding: every finding once, with its place in both files and the nearest name. */
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { type Diagnostic, diagnosed, type Place, type Rule } from "./diagnostic.ts";
import type { RestDocument, RestNode } from "./rest-document.ts";
import type { Path } from "./yaml-file.ts";

/** Where a finding belongs: its schema coordinate and its places. */
export type Where = {
  readonly coordinate: string;
  readonly schema?: Place | undefined;
  readonly rest?: RestNode | undefined;
  /** The path below `rest` where the position is taken; as far as it exists. */
  readonly below?: Path;
};

export class Findings {
  readonly #document: RestDocument;
  readonly #found = new Map<string, Diagnostic>();

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** A finding that is there already, by rule, coordinate and message, is not added again. */
  add(rule: Rule, where: Where, message: string, hint: string, facts?: readonly string[]): void {
    const key = `${rule} ${where.coordinate} ${message}`;
    if (this.#found.has(key)) return;
    const rest = where.rest && this.#document.place(where.rest, ...(where.below ?? []));
    const places = { ...(where.schema && { schema: where.schema }), ...(rest && { rest }) };
    const found = { rule, coordinate: where.coordinate, message, hint, ...places, ...(facts && { facts }) };
    this.#found.set(key, diagnosed(found));
  }

  hasErrorAt(coordinate: string): boolean {
    return this.all.some((found) => found.severity === "error" && found.coordinate === coordinate);
  }

  get all(): Diagnostic[] {
    return [...this.#found.values()];
  }
}

/** `; did you mean "…"?` with the nearest of `names`; empty if none is near. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const near = nearest(wrong, names);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** The name that `wrong` most likely stands for, if one is near. */
export const nearest = (wrong: string, names: Iterable<string>): string | undefined =>
  wrong.length > 1 ? suggestionList(wrong, [...names])[0] : undefined;
