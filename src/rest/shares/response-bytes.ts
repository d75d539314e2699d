/** The bytes that one response takes from its request's budget. */
import type { CodedError } from "../../errors.ts";

type ByteBudget = { hold(bytes: number, isRead: boolean): CodedError | undefined; drop(bytes: number): void };

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
}
