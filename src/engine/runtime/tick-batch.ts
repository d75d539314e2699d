/**
 * Runs the work of one kind that becomes ready in the same tick of the event loop together, at the end of the tick. If each
 * request ran all its steps alone, the machine code of a step would be evicted from the processor's caches before the next
 * request reaches that step. In a batch, the code is loaded once for all requests.
 */
import { AsyncResource } from "node:async_hooks";

/** A flush that takes longer yields to the event loop, so that timers and health checks stay on time. */
const budgetMs = 10;

type Entry<Item> = { readonly item: Item; readonly context: AsyncResource };

export class TickBatch<Item> {
  readonly #run: (item: Item) => void;
  #entries: Entry<Item>[] = [];
  #isScheduled = false;

  /** Each item runs once, in the order of `add` and in the async context of its `add`. */
  constructor(run: (item: Item) => void) {
    this.#run = run;
  }

  add(item: Item): void {
    this.#entries.push({ item, context: new AsyncResource("TickBatch") });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Runs all waiting items now, for code that already runs at the end of a tick. */
  flush(): void {
    const entries = this.#entries;
    this.#entries = [];
    const endsAt = performance.now() + budgetMs;
    let done = 0;
    for (const { item, context } of entries) {
      done++;
      try {
        context.runInAsyncScope(this.#run, undefined, item);
      } catch (error) {
        queueMicrotask(() => {
          throw error; // an uncaught exception, as without a batch; the other items still run
        });
      }
      if (performance.now() >= endsAt) break;
    }
    if (done === entries.length) return;
    this.#entries = entries.slice(done).concat(this.#entries);
    this.#schedule();
  }
}
