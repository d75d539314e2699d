/** Collects the changes between two OpenAPI documents. */
import { nodeKey } from "../../openapi/document.ts";
import type { RestChange } from "./rest-change.ts";

export class RestChangeCollector {
  readonly #changes = new Map<string, RestChange>();

  /** A change of what several operations share is one change. It reaches the coordinates of all of them. */
  add(change: RestChange): void {
    const { rule, old, new: now, before, after, at } = change;
    const place = old || now ? `${old ? nodeKey(old) : ""} ${now ? nodeKey(now) : ""}` : at;
    const key = JSON.stringify([rule, change.class, place, before, after]);
    const known = this.#changes.get(key);
    if (!known) return void this.#changes.set(key, change);
    const direction = known.direction === change.direction ? known.direction : undefined;
    const joins = [...known.joins, ...change.joins];
    const operations = [...(known.operations ?? []), ...(change.operations ?? [])];
    this.#changes.set(key, { ...known, direction, joins, operations });
  }

  all(): RestChange[] {
    return [...this.#changes.values()];
  }
}
