/** One difference between two OpenAPI documents, as data: what it is, how bad, and what to join it by. */
import type { Direction } from "../spec/model.ts";
import { nodeKey, type RestNode } from "../spec/rest-document.ts";
import type { Path } from "../spec/yaml-file.ts";
import type { ChangeClass } from "./report.ts";

export type RestRule =
  | "rest-operation-removed"
  | "rest-operation-added"
  | "rest-operation-renamed"
  | "rest-operation-moved"
  | "rest-method-changed"
  | "rest-product-changed"
  | "rest-permission-changed"
  | "rest-security-changed"
  | "rest-not-found-changed"
  | "rest-answer-removed"
  | "rest-answer-empty"
  | "rest-body-changed"
  | "rest-parameter-removed"
  | "rest-parameter-added"
  | "rest-parameter-moved"
  | "rest-style-changed"
  | "rest-required-changed"
  | "rest-nullable-changed"
  | "rest-type-changed"
  | "rest-format-changed"
  | "rest-enum-changed"
  | "rest-limit-changed"
  | "rest-default-changed"
  | "rest-property-removed"
  | "rest-property-added"
  | "rest-items-changed"
  | "rest-variants-changed";

export type RestChange = {
  readonly rule: RestRule;
  readonly class: ChangeClass;
  /** The operation and the place in its request or answer. */
  readonly at: string;
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The node as it was, and as it is; where one is missing, the nearest that holds it. */
  readonly old?: RestNode;
  readonly new?: RestNode;
  /** The path below both nodes where the difference stands; as far as it exists. */
  readonly below?: Path;
  /** Which use of the joined nodes it concerns; absent: any. */
  readonly direction?: Direction | undefined;
  /** Old nodes whose coordinates it reaches. */
  readonly joins: readonly RestNode[];
  /** Old operations whose coordinates it reaches, all of them or those that feed or do not feed a parameter. */
  readonly operation?: { readonly id: string; readonly unlessFed?: string };
  /** The same for all of several. */
  readonly operations?: readonly string[];
};

/** Collects changes; a schema that many operations share changes once. */
export class RestChanges {
  readonly #found = new Map<string, RestChange>();

  add(change: RestChange): void {
    const { rule, old, new: now, before, after, at } = change;
    const place = old || now ? `${old ? nodeKey(old) : ""} ${now ? nodeKey(now) : ""}` : at;
    const key = JSON.stringify([rule, change.class, place, before, after, change.operation]);
    const known = this.#found.get(key);
    if (!known) return void this.#found.set(key, change);
    const direction = known.direction === change.direction ? known.direction : undefined;
    this.#found.set(key, { ...known, direction, joins: [...known.joins, ...change.joins] });
  }

  get all(): RestChange[] {
    return [...this.#found.values()];
  }
}
