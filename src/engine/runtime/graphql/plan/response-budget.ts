/**
 * Limits the size of a response while it is built. The budget is an estimate in bytes; `responseLimitError` counts the exact
 * bytes of the serialized response. A few REST calls can expand to a response of any size, because types refer to each other in
 * cycles, and because the response repeats an object or an error for each parent.
 */
import { CodedError } from "../../coded-error.ts";
import { ContractViolation } from "../errors/field-error.ts";

export type ResponseBudget = {
  left: number;
  readonly limit: number;
  /**
   * While at least this much is left, a string costs its length: even at `mostBytes` per code unit, the strings so far could
   * not exceed the limit. Below this amount, a string costs the bytes of its JSON.
   */
  readonly exactBelow: number;
  /** The bytes of lists and objects of custom scalars, by identity, because a response may repeat a value many times. */
  bytesByValue: Map<object, number> | undefined;
};

/** Maximum bytes for one UTF-16 code unit of a string: a control character becomes `\u0001`. */
const mostBytes = 6;

export const createResponseBudget = (limit: number): ResponseBudget => ({
  left: limit,
  limit,
  exactBelow: limit - limit / mostBytes,
  bytesByValue: undefined,
});

/** Subtracts the bytes of a string's JSON in excess of the string's length. The length was subtracted before. */
export function weigh(budget: ResponseBudget, text: string): void {
  if (!/^[ !#-[\]-~]*$/.test(text)) budget.left -= Buffer.byteLength(JSON.stringify(text)) - text.length;
}

/** The budget for an error: more bytes than it takes, because creating it also costs processor time. */
export const bytesPerError = 2_000;

export class ResponseTooLarge extends CodedError {
  constructor(value: number) {
    super("LIMIT_EXCEEDED", `an answer may have at most ${value} bytes`, {
      limit: "MAX_ANSWER_BYTES",
      value,
    });
  }
}

/** Returns an error if the response is too large. A UTF-16 code unit takes at most three bytes in UTF-8. */
export const responseLimitError = (limit: number, text: string): ResponseTooLarge | undefined =>
  3 * text.length <= limit || Buffer.byteLength(text) <= limit ? undefined : new ResponseTooLarge(limit);

/** Subtracts `bytes` from the budget. Throws `ResponseTooLarge` if fewer are left. */
export function spend(budget: ResponseBudget, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw new ResponseTooLarge(budget.limit);
}

/** Maximum nesting of lists and objects in a custom scalar. `JSON.stringify` throws from about 5,000 levels on. */
const mostNesting = 1_000;

/**
 * Subtracts the bytes of a leaf's JSON and returns the leaf. A custom scalar may contain any JSON from REST. Throws
 * `ResponseTooLarge`, or `ContractViolation` for a value that is nested too deeply.
 */
export function spendLeaf(budget: ResponseBudget, leaf: unknown): unknown {
  if (typeof leaf !== "object" || leaf === null) spendJson(budget, leaf, 0);
  else {
    const { left } = budget;
    budget.bytesByValue ??= new Map();
    const counted = budget.bytesByValue.get(leaf);
    if (counted === undefined) spendJson(budget, leaf, 0);
    else spend(budget, counted);
    budget.bytesByValue.set(leaf, left - budget.left);
  }
  return leaf;
}

function spendJson(budget: ResponseBudget, value: unknown, nesting: number): void {
  if (typeof value === "string") {
    if (budget.left < budget.exactBelow) weigh(budget, value);
    return spend(budget, value.length);
  }
  if (typeof value === "number" && !Number.isFinite(value))
    throw new ContractViolation("A number of a custom scalar is too large for JSON."); // JSON.stringify would replace it by null
  if (typeof value !== "object" || value === null) return spend(budget, String(value).length);
  if (nesting === mostNesting)
    throw new ContractViolation("A value of a custom scalar is nested too deeply.");
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    spend(budget, typeof key === "number" ? 1 : key.length);
    spendJson(budget, member, nesting + 1);
  }
}
