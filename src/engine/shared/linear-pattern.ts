/**
 * Checks `pattern` in linear time by translating ECMA-262's Unicode mode (JSON Schema 2020-12 §6.4) to RE2, whose running time is
 * bounded by the text's length times the pattern's. JavaScript's engine backtracks: `^(\w+\s?)*$` takes seconds for 29 letters.
 * RE2 supports neither lookaround nor backreferences; only REST checks patterns with these.
 *
 * A step is one instruction of the pattern for one character of the text. All checks of a request share one budget of steps, so
 * long lists and repeated values cannot cost more than a single value.
 */
import { RE2JS } from "re2js";

/** A compiled pattern. Ajv uses the result of `toString` as a cache key. */
export type LinearPattern = { test(text: string, steps?: RegexSteps): boolean; toString(): string };

/** The number of steps left in a budget. */
export type RegexSteps = { left: number };

/** Creates the budget of steps for a request. A step takes 2 to 25 ns. */
export const regexStepsPerRequest = (): RegexSteps => ({ left: 1_000_000 });

/** The budget for checking one value outside a request, such as a constant in a spec. */
const stepsOfConstant = 20_000_000;

/** Throws if the pattern is invalid or unsupported by RE2. A text that exceeds the budget passes; REST validates it. */
export function linearPattern(pattern: string): LinearPattern {
  new RegExp(pattern, "u");
  const compiled = RE2JS.compile(toRe2(pattern));
  const instructions = compiled.programSize();
  const test = (text: string, steps: RegexSteps = { left: stepsOfConstant }): boolean => {
    const needed = text.length * instructions;
    if (needed > steps.left) return true;
    steps.left -= needed;
    return compiled.test(text);
  };
  return {
    test,
    toString: () => `linear ${JSON.stringify(pattern)}`,
  };
}

/** Whether the pattern can be checked in linear time. */
export function isLinear(pattern: string): boolean {
  try {
    return linearPattern(pattern) !== undefined;
  } catch {
    return false;
  }
}

const escaped = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\c[A-Za-z]|\\[^]`;
const inClass = new RegExp(`${escaped}|\\[`, "gu");
const token = new RegExp(
  String.raw`\[(?<negated>\^?)(?<members>(?:\\[^]|[^\]\\])*)\]|${escaped}|\(\?<(?![=!])[^>]*>|\(\?[a-z]*-?[a-z]*:|\.`,
  "gu",
);

const everything = String.raw`\x{0}-\x{10FFFF}`;
/** ECMA-262's white space and line terminators (§12.2, §12.3), and their complement; RE2's `\s` covers only ASCII. */
const space = String.raw`\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const notSpace = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10FFFF}`;

function toRe2(pattern: string): string {
  return pattern.replace(token, (found, ...rest) => {
    const { negated, members } = rest.at(-1) as { negated?: string; members?: string };
    if (members !== undefined) return classOf(negated === "^", members);
    if (found === ".") return String.raw`[^\n\r\x{2028}\x{2029}]`;
    if (found === String.raw`\s`) return `[${space}]`;
    if (found === String.raw`\S`) return `[^${space}]`;
    if (found.startsWith("(?<") || found === "(?:") return "(?:";
    if (found.startsWith("(?")) throw new Error("flags inside a pattern");
    return escapeOf(found);
  });
}

function classOf(isNegated: boolean, members: string): string {
  if (members === "") return `[${isNegated ? "" : "^"}${everything}]`;
  const written = members.replace(inClass, (found) => {
    if (found === String.raw`\s`) return space;
    if (found === String.raw`\S`) return notSpace;
    if (found === String.raw`\b`) return String.raw`\x{8}`;
    return found === "[" ? String.raw`\[` : escapeOf(found);
  });
  return `[${isNegated ? "^" : ""}${written}]`;
}

/** Translates an escape that denotes a single code point. Other escapes are the same in RE2 or unsupported. */
function escapeOf(found: string): string {
  const kind = found.charAt(1);
  if (found === String.raw`\0`) return codePoint(0);
  if (kind === "c") return codePoint(found.charCodeAt(2) % 32);
  if (kind !== "u") return found;
  const units = [...found.matchAll(/[0-9a-fA-F]+/g)].map(([digits]) => Number.parseInt(digits, 16));
  const [first = 0, second] = units;
  return codePoint(second === undefined ? first : (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000);
}

const codePoint = (value: number): string => `\\x{${value.toString(16)}}`;
