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
  /** The name of the value in messages; by default its coordinate. */
  readonly subject?: string;
  readonly schema?: FileLocation | undefined;
  readonly rest?: RestNode | undefined;
  /** Other nodes that may cause the finding. */
  readonly also?: readonly (RestNode | undefined)[];
  /** The overlay action that removed the node that the schema refers to; the finding points at the action instead of `rest`. */
  readonly removedBy?: FileLocation | undefined;
  /** The path below `rest` that the finding points at, as far as it exists. */
  readonly below?: NodePath;
  /** The names and values that an approval covers, in addition to rule and coordinate. */
  readonly facts?: readonly string[];
};

/** Maximum number of name comparisons in a run. With 1,000 operations, each misspelt name is compared with 2,000 names. */
const mostCompared = 200_000;

export class Findings {
  readonly #document: RestDocument;
  readonly #found = new Map<string, Diagnostic>();
  readonly #errors = new Set<string>();
  #compared = 0;

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** Ignores a second finding with the same rule, coordinate and message. */
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

  /** Like the function `didYouMean`, but empty once the run has compared `mostCompared` names, to bound the time. */
  didYouMean(wrong: string, names: () => readonly string[]): string {
    const near = this.nearest(wrong, names);
    return near === undefined ? "" : didYouMean(wrong, [near]);
  }

  /** Like the function `nearestName`, but `undefined` once the run has compared `mostCompared` names. */
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
