/** The reason why a variable's value is refused: graphql-js's message with the value shortened. */
import { isRecord } from "../../../shared/json-object.ts";

/** Characters of a name or a value in an error. */
const maxQuoted = 60;

/** Whether an error shortens the text. */
export const isLong = (text: string): boolean => text.length > maxQuoted;

export const shortenText = (text: string): string => (isLong(text) ? `${text.slice(0, maxQuoted)}…` : text);

export class InputError {
  readonly reason: string;
  readonly value: string | undefined;
  /** The path from the variable's value down. Each level adds its key when the fault passes through it. */
  readonly path: (string | number)[] = [];

  /** Without a value, the message is `reason` alone. */
  constructor(reason: string, ...value: unknown[]) {
    this.reason = reason;
    this.value = value.length > 0 ? quoted(value[0]) : undefined;
  }

  /** The part of graphql-js's message that follows the variable's name. */
  describe(variable: string): string {
    if (this.value === undefined) return this.reason;
    const path = this.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
    return `got invalid value ${this.value}${path && ` at "${variable}${path}"`}; ${this.reason}`;
  }
}

function quoted(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shortenText(value));
  if (Array.isArray(value)) return value.length > 0 ? "[…]" : "[]";
  return isRecord(value) ? "{…}" : String(value);
}
