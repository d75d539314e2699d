/**
 * A map for keys that come and go with requests. V8 can free it without a full collection. When a `Map` replaces its hash
 * table, V8 links the old table to the new one. An old table in the old generation keeps all later tables and their
 * contents in memory until the next full collection. In a `TransientMap`, a deleted key leaves an empty entry. The entry is
 * reused when the key is set again, for example for a client that polls. When most entries are empty, the entries with a value
 * move to a new `Map`, to which no old table refers.
 */
type Entry<V> = { value: V | undefined };

/** While the map has at most this many empty entries, they are not removed. */
const mostEmpty = 64;

export class TransientMap<V> {
  #entries = new Map<string, Entry<V>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: V & {}): void {
    const entry = this.#entries.get(key);
    if (entry?.value === undefined) this.#size++;
    if (entry) entry.value = value;
    else this.#entries.set(key, { value });
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.value === undefined) return;
    entry.value = undefined;
    this.#size--;
    const empty = this.#entries.size - this.#size;
    if (empty > Math.max(mostEmpty, this.#size)) this.#sweep();
  }

  #sweep(): void {
    const entries = new Map<string, Entry<V>>();
    for (const [key, entry] of this.#entries) if (entry.value !== undefined) entries.set(key, entry);
    this.#entries = entries;
  }
}
