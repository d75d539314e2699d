/**
 * A file whose changes are applied while the process runs. The path of the file stays the same: editors and deployment tools
 * rename a new file to this path, and Kubernetes replaces the symbolic link `..data` to which the path leads. File system events
 * miss some of these changes. Therefore, the file is opened again when its value is used, but at most once a second.
 *
 * Content that cannot be read or parsed is not applied: the last valid content stays in use, so a file that is absent for a
 * moment or half-written has no effect.
 */
const rereadMs = 1_000;

export type WatchedFileOptions<Value> = {
  readonly read: () => string;
  readonly parse: (text: string) => Value;
  /** Called when changed content is applied, and when a file that failed is valid again. */
  readonly onApplied?: (value: Value, previous: Value | undefined) => void;
  /**
   * Called when a read fails, unless the previous read failed with the same message. `inUse` is the value that stays in use.
   */
  readonly onFailure?: (failure: Error, inUse: Value | undefined) => void;
};

/** Files that are read at the same moment, because their values must change together. */
export type WatchGroup = Set<{ reread(): void }>;

export class WatchedFile<Value> {
  readonly #options: WatchedFileOptions<Value>;
  readonly #group: WatchGroup;
  #current: { readonly text: string; readonly value: Value } | undefined;
  #failure: Error | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: WatchedFileOptions<Value>, group: WatchGroup = new Set()) {
    this.#options = options;
    this.#group = group.add(this);
    this.reread();
  }

  /** The value of the last valid content. Throws the current failure if no content was valid yet. */
  get value(): Value {
    this.#rereadIfDue();
    if (!this.#current) throw this.#failure;
    return this.#current.value;
  }

  /** Why the current content is not applied; `undefined` if it is applied. */
  get failure(): Error | undefined {
    this.#rereadIfDue();
    return this.#failure;
  }

  reread(): void {
    const { read, parse, onApplied, onFailure } = this.#options;
    const before = this.#current;
    const failedBefore = this.#failure;
    this.#readAt = performance.now();
    try {
      const text = read();
      const current = text === before?.text ? before : { text, value: parse(text) };
      this.#current = current;
      this.#failure = undefined;
      if (failedBefore || (before && before !== current)) onApplied?.(current.value, before?.value);
    } catch (error) {
      this.#failure = error as Error;
      if (this.#failure.message !== failedBefore?.message) onFailure?.(this.#failure, before?.value);
    }
  }

  /** Reads synchronously, so that no request uses a value that was replaced more than a second ago. */
  #rereadIfDue(): void {
    if (performance.now() - this.#readAt < rereadMs) return;
    for (const file of this.#group) file.reread();
  }
}
