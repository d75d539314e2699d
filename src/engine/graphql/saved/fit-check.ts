/**
 * Finds the operations of apps that do not fit the schema, beside the requests: a slice of 2 ms at a time. Such an
 * operation is refused when a client asks for it, as any invalid document is; the check tells it before.
 */
import { type GraphQLSchema, parse, type ValidationRule, validate } from "graphql";
import type { RefusedOperation, SavedOperations } from "./saved-operations.ts";

const sliceMs = 2;
const pauseMs = 10;

export class FitCheck {
  readonly #saved: SavedOperations;
  readonly #faultOf: (text: string) => string | undefined;
  readonly #told: (refused: readonly RefusedOperation[]) => void;
  /** The faults of the texts that were checked; empty for a text that fits. */
  #faults = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  /** `told` is called at the end of each check with all operations that do not fit. */
  constructor(
    saved: SavedOperations,
    faultOf: (text: string) => string | undefined,
    told: (refused: readonly RefusedOperation[]) => void,
  ) {
    this.#saved = saved;
    this.#faultOf = faultOf;
    this.#told = told;
  }

  /** Checks the operations that the store has now. A check under way ends without telling. */
  begin(): void {
    this.end();
    const texts = [...this.#saved.all].filter(({ owners }) => owners.some(({ app }) => app !== undefined));
    const faults = new Map<string, string>();
    let next = 0;
    const slice = (): void => {
      const until = performance.now() + sliceMs;
      for (; next < texts.length && performance.now() < until; next++) {
        const text = texts[next]?.text ?? "";
        faults.set(text, this.#faults.get(text) ?? this.#faultOf(text) ?? "");
      }
      if (next < texts.length) {
        this.#timer = setTimeout(slice, pauseMs).unref();
        return;
      }
      this.#faults = faults;
      this.#told(
        texts.flatMap(({ text, owners }) => {
          const reason = faults.get(text);
          if (!reason) return [];
          return owners.flatMap(({ app, name }) => (app === undefined ? [] : { app, name, reason }));
        }),
      );
    };
    slice();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** The first reason why a text is not valid. `rules` are those that requests meet. */
export const faultFinder =
  (schema: GraphQLSchema, rules: readonly ValidationRule[], maxTokens: number) =>
  (text: string): string | undefined => {
    try {
      return validate(schema, parse(text, { maxTokens }), rules, { maxErrors: 1 })[0]?.message;
    } catch (error) {
      return (error as Error).message;
    }
  };
