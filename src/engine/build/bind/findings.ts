/** Collects the findings of `bind` without duplicates. */
import { didYouMean, nearestName } from "../../shared/cli/nearest-suggestion.ts";
import {
  createDiagnostic,
  type Diagnostic,
  type FileLocation,
  type NodePath,
  type Rule,
} from "../diagnostic.ts";
import type { RestDocument, RestNode } from "../openapi/document.ts";

/** The schema coordinate and the locations of a finding. */
export type FindingTarget = {
  readonly coordinate: string;
  /** The value's name in messages; by default, the coordinate. */
  readonly subject?: string;
  readonly schema?: FileLocation | undefined;
  readonly rest?: RestNode | undefined;
  /** Other nodes of the document that may cause the finding. */
  readonly also?: readonly (RestNode | undefined)[];
  /** The overlay action that removed the node; replaces `rest` as the finding's location. */
  readonly removedBy?: FileLocation | undefined;
  /** Path below `rest` to which the finding points. If the path does not exist, the finding points to its nearest ancestor. */
  readonly below?: NodePath;
  readonly facts?: readonly string[];
};

/** Limits the time for spelling suggestions: with 1,000 operations, one misspelt name already needs 2,000 comparisons. */
const mostCompared = 200_000;

export class Findings {
  readonly #document: RestDocument;
  readonly #found = new Map<string, Diagnostic>();
  readonly #errors = new Set<string>();
  #compared = 0;

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** Ignores a finding that repeats the rule, coordinate and message of an earlier one. */
  add(rule: Rule, where: FindingTarget, message: string, hint: string): void {
    const key = `${rule} ${where.coordinate} ${message}`;
    if (this.#found.has(key)) return;
    const { coordinate, schema, rest: node, also = [], below, removedBy, facts } = where;
    const rest = removedBy ?? (node && this.#document.place(node, ...(below ?? [])));
    const nodes = [node, ...also].filter((each) => each !== undefined);
    const diagnostic = createDiagnostic({
      rule,
      coordinate,
      message,
      hint,
      schema,
      rest,
      facts,
      nodes,
      below,
      ...(removedBy && { isRemoved: true }),
    });
    this.#found.set(key, diagnostic);
    if (diagnostic.severity === "error") this.#errors.add(coordinate);
  }

  get errorCount(): number {
    return this.#errors.size;
  }

  hasErrorAt(coordinate: string): boolean {
    return this.#errors.has(coordinate);
  }

  /** Like the exported `didYouMean`, but returns an empty string after `mostCompared` comparisons. */
  didYouMean(wrong: string, names: () => readonly string[]): string {
    const near = this.nearest(wrong, names);
    return near === undefined ? "" : didYouMean(wrong, [near]);
  }

  /** Like `nearestName`, but returns `undefined` after `mostCompared` comparisons. */
  nearest(wrong: string, names: () => readonly string[]): string | undefined {
    if (this.#compared >= mostCompared) return undefined;
    const all = names();
    this.#compared += all.length;
    return nearestName(wrong, all);
  }

  get all(): Diagnostic[] {
    return [...this.#found.values()];
  }
}
