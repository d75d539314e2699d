/**
 * Collects work of one kind during a tick of the event loop, and runs it together at the end of the tick. If each request ran all
 * its steps alone, the machine code of a step would be evicted from the CPU's caches before the next request reaches that step.
 * In a batch, the CPU loads the code of the step once for all requests.
 */
import { AsyncResource } from "node:async_hooks";

/** After this time, the remaining items wait for the next tick, so that timers and health checks stay on time. */
const budgetMs = 10;

type Entry<Item> = { readonly item: Item; readonly context: AsyncResource };

export class TickBatch<Item> {
  readonly #run: (item: Item) => void;
  #entries: Entry<Item>[] = [];
  #isScheduled = false;

  /** Each item runs once, in the order of `add` and in the async context of its `add` call. */
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

  /** Runs the waiting items now. Called by code that already runs at the end of a tick. */
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
          throw error; // becomes an uncaught exception, so that the other items still run
        });
      }
      if (performance.now() >= endsAt) break;
    }
    if (done === entries.length) return;
    this.#entries = entries.slice(done).concat(this.#entries);
    this.#schedule();
  }
}
