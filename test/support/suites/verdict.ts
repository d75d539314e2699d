/**
 * Compares the values that a suite measures with its bars. A bar without a measured value counts as missed, so that a suite
 * cannot pass without measuring.
 */
import { type Bar, bars } from "./bars.ts";

export class Verdict<Suite extends keyof typeof bars> {
  readonly #bars: Readonly<Record<string, Bar>>;
  readonly #measured = new Set<string>();
  #passed = 0;
  #failed = 0;

  /** When the process exits, prints the counts and sets the exit code to 1 if a bar was missed. */
  constructor(suite: Suite) {
    this.#bars = bars[suite];
    process.on("exit", () => this.#end());
  }

  /**
   * Prints the value with its bar, and returns whether the value meets the bar. `of` names what was measured, if several values
   * have the same bar.
   */
  hold(bar: keyof (typeof bars)[Suite] & string, value: number, of?: string): boolean {
    const limits = this.#bars[bar] ?? {};
    // NaN meets no bar
    const passes =
      value >= (limits.atLeast ?? Number.NEGATIVE_INFINITY) &&
      value <= (limits.atMost ?? Number.POSITIVE_INFINITY);
    this.#measured.add(bar);
    this.#note(
      passes,
      `${of === undefined ? bar : `${of}: ${bar}`}: ${show(value, limits)} (${words(limits)})`,
    );
    return passes;
  }

  #note(passes: boolean, line: string): void {
    if (passes) this.#passed++;
    else this.#failed++;
    process.stdout.write(`${passes ? "pass" : "FAIL"}  ${line}\n`);
  }

  #end(): void {
    for (const bar of Object.keys(this.#bars))
      if (!this.#measured.has(bar)) this.#note(false, `${bar}: not measured`);
    process.stdout.write(`tally: ${this.#passed} passed, ${this.#failed} failed\n`);
    if (this.#failed > 0) process.exitCode ||= 1;
  }
}

const show = (value: number, { unit }: Bar): string =>
  unit === "%" ? `${(100 * value).toFixed(1)} %` : `${Number(value.toFixed(1))}${unit ? ` ${unit}` : ""}`;

const words = (bar: Bar): string =>
  [
    bar.atLeast === undefined ? [] : `at least ${show(bar.atLeast, bar)}`,
    bar.atMost === undefined ? [] : `at most ${show(bar.atMost, bar)}`,
  ]
    .flat()
    .join(", ");
