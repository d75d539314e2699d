/** Collects the changes between two OpenAPI documents. */
import { nodeKey } from "../../openapi/document.ts";
import type { RestChange } from "./rest-change.ts";

export class RestChangeCollector {
  readonly #changes = new Map<string, RestChange>();

  /** A change of a part that several operations share is one change. It reaches the coordinates of all of them. */
  add(change: RestChange): void {
    const key = keyOf(change);
    const known = this.#changes.get(key);
    if (!known) return void this.#changes.set(key, change);
    const direction = known.direction === change.direction ? known.direction : undefined;
    const joins = [...known.joins, ...change.joins];
    const operations = [...(known.operations ?? []), ...(change.operations ?? [])];
    this.#changes.set(key, { ...known, direction, joins, operations });
  }

  has(change: RestChange): boolean {
    return this.#changes.has(keyOf(change));
  }

  all(): RestChange[] {
    return [...this.#changes.values()];
  }
}

function keyOf({ rule, class: kind, old, new: now, before, after, at }: RestChange): string {
  const place = old || now ? `${old ? nodeKey(old) : ""} ${now ? nodeKey(now) : ""}` : at;
  return JSON.stringify([rule, kind, place, before, after]);
}
