/**
 * What an answer may still come to, in bytes, about. Links that lead back and forth unfold to any size from a few calls,
 * and so do errors: REST sends each thing once, and the answer repeats it for each parent.
 */
import { CodedError } from "../../errors.ts";

export type Budget = { left: number; readonly limit: number };

/** An error counts for what it costs to make, not only to send. */
export const bytesPerError = 2_000;

export class AnswerTooLarge extends CodedError {
  constructor(value: number) {
    super("LIMIT_EXCEEDED", `an answer may have at most ${value} bytes`, {
      limit: "MAX_ANSWER_BYTES",
      value,
    });
  }
}

/** Throws `AnswerTooLarge` when there is not as much left. */
export function spend(budget: Budget, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw new AnswerTooLarge(budget.limit);
}
