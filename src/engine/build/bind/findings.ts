/** Collects the diagnostics of binding, without duplicates and with locations in both files. */
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
  /** The value's name in messages. The default is the coordinate. */
  readonly subject?: string;
  readonly schema?: FileLocation | undefined;
  readonly rest?: RestNode | undefined;
  /** Other nodes of the document that may cause the finding. */
  readonly also?: readonly (RestNode | undefined)[];
  /** The overlay action that removed the node that the schema refers to; the finding points at the action instead of `rest`. */
  readonly removedBy?: FileLocation | undefined;
  /** The path below `rest` that the finding points at. If part of it does not exist, the finding points at the part that does. */
  readonly below?: NodePath;
  /** As in `Diagnostic`. */
  readonly facts?: readonly string[];
};

/**
 * Maximum number of names that misspelt names are compared with in a run, to bound the time: with 1,000 operations, a single
 * misspelt name is compared with 2,000 names.
 */
const mostCompared = 200_000;

export class Findings {
  readonly #document: RestDocument;
  readonly #found = new Map<string, Diagnostic>();
  readonly #errors = new Set<string>();
  #compared = 0;

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** Adds the finding, unless there is one with the same rule, coordinate and message. */
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

  /** The number of coordinates with an error. */
  get errorCount(): number {
    return this.#errors.size;
  }

  hasErrorAt(coordinate: string): boolean {
    return this.#errors.has(coordinate);
  }

  /** Like the function `didYouMean`, but returns an empty string once `mostCompared` names have been compared. */
  didYouMean(wrong: string, names: () => readonly string[]): string {
    const near = this.nearest(wrong, names);
    return near === undefined ? "" : didYouMean(wrong, [near]);
  }

  /** Like the function `nearestName`, but returns `undefined` once `mostCompared` names have been compared. */
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
