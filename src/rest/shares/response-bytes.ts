/** The bytes that one response takes from its request's budget, and the processor time that reading them takes. */
import type { CodedError } from "../../errors.ts";

type ByteBudget = {
  hold(bytes: number, isRead: boolean): CodedError | undefined;
  drop(bytes: number): void;
  worked(ms: number): void;
  measured<T>(run: () => T): T;
  decompressed<T>(run: () => Promise<T>): Promise<T>;
};

export class ResponseBytes {
  readonly #budget: ByteBudget;
  readonly #isRead: boolean;
  #bytes = 0;

  constructor(budget: ByteBudget, isRead: boolean) {
    this.#budget = budget;
    this.#isRead = isRead;
  }

  /** Raises the bytes of this response to at least `bytes`. Returns the failure if the budget has less left. */
  raise(bytes: number): CodedError | undefined {
    if (!(bytes > this.#bytes)) return undefined; // also when an announced length is not a number
    const failure = this.#budget.hold(bytes - this.#bytes, this.#isRead);
    if (!failure) this.#bytes = bytes;
    return failure;
  }

  /** Gives all of them back. */
  drop(): void {
    this.#budget.drop(this.#bytes);
    this.#bytes = 0;
  }

  /** Decompresses the response when its caller's turn has come. */
  decompressed<T>(run: () => Promise<T>): Promise<T> {
    return this.#budget.decompressed(run);
  }

  /** Charges processor time to the caller. */
  worked(ms: number): void {
    this.#budget.worked(ms);
  }

  /** Runs work, and charges the processor time that it takes. */
  measured<T>(run: () => T): T {
    return this.#budget.measured(run);
  }
}
