/**
 * Limits the size of an operation's arguments, counted at each use. Without this limit, 20 root fields could use one variable
 * of 1 MiB: each field would check and encode it, and REST would receive 20 MiB.
 */
import { type CodedError, limitExceeded } from "../../coded-error.ts";

/** Added to the characters of each value, because checking and encoding a value takes time even if it is short. */
const charactersPerValue = 8;
/** From this many characters on, checking and encoding arguments takes long enough to be measured. */
const large = 1_000;

export class ArgumentBudget {
  readonly #limit: number;
  #left: number;
  /** The characters of lists and objects, by identity: each use of a variable passes the same object. */
  #charactersByValue: Map<object, number> | undefined;

  /** `limit` is the value of MAX_BODY_BYTES. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  get isLarge(): boolean {
    return this.#limit - this.#left > large;
  }

  /** Subtracts the characters of `args`. If too few are left, subtracts nothing and throws LIMIT_EXCEEDED. */
  spend(args: Readonly<Record<string, unknown>>): void {
    const characters = this.#weigh(Object.values(args));
    if (characters > this.#left) throw tooLarge(this.#limit);
    this.#left -= characters;
  }

  #weigh(values: readonly unknown[]): number {
    let characters = 0;
    for (const value of values) {
      characters += charactersPerValue;
      if (typeof value === "string") characters += value.length;
      else if (typeof value === "object" && value !== null) characters += this.#weighMembers(value);
    }
    return characters;
  }

  #weighMembers(value: object): number {
    this.#charactersByValue ??= new Map();
    const characters = this.#charactersByValue.get(value) ?? this.#weigh(Object.values(value));
    this.#charactersByValue.set(value, characters);
    return characters;
  }
}

const tooLarge = (limit: number): CodedError =>
  limitExceeded(
    "MAX_BODY_BYTES",
    limit,
    `the arguments of an operation may hold at most ${limit} characters, counted at each use`,
  );
