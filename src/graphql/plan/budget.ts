/**
 * Bounds the size of a response while it is built. The budget is an estimate in bytes; `answerExcess` counts the exact
 * bytes of the text. A few calls can unfold to a response of any size, because links lead back and forth and errors
 * repeat: REST sends an object once, and the response repeats it for each parent.
 */
import { CodedError } from "../../errors.ts";

export type Budget = {
  left: number;
  readonly limit: number;
  /** A string counts by its length. Once less than `wary` is left, it counts by its bytes as JSON. */
  readonly wary: number;
};

/** One UTF-16 unit of a string takes at most this many bytes: a control character is sent as `\u0001`. */
const mostBytes = 6;

export const budgetOf = (limit: number): Budget => ({
  left: limit,
  limit,
  wary: limit - limit / mostBytes,
});

/** Spends the bytes that a string's JSON needs beyond its length. */
export function weigh(budget: Budget, text: string): void {
  if (!/^[ !#-[\]-~]*$/.test(text)) budget.left -= Buffer.byteLength(JSON.stringify(text)) - text.length;
}

/** An error counts for more bytes than it sends, because creating it costs processor time. */
export const bytesPerError = 2_000;

export class AnswerTooLarge extends CodedError {
  constructor(value: number) {
    super("LIMIT_EXCEEDED", `an answer may have at most ${value} bytes`, {
      limit: "MAX_ANSWER_BYTES",
      value,
    });
  }
}

/** Throws `AnswerTooLarge` if fewer bytes are left. */
export function spend(budget: Budget, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw new AnswerTooLarge(budget.limit);
}
