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

/** A property is gone once, however many schemas had it by `allOf`: which of them holds it no more is no other change. */
function keyOf(change: RestChange): string {
  const { rule, class: kind, old, before, after, at, message } = change;
  const now = rule === "rest-property-removed" ? undefined : change.new;
  const place = old || now ? `${old ? nodeKey(old) : ""} ${now ? nodeKey(now) : ""}` : at;
  // an enum that has one value for another has two changes, each safe in one direction
  return JSON.stringify([rule, kind, place, before, after, message.slice(at.length)]);
}
