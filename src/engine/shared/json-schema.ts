/**
 * The JSON Schema 2020-12 validator, shared by `check` and the running server, so that a value that passes at build time also
 * passes at run time.
 */
import { _, str } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats, { type FormatName } from "ajv-formats";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { linearPattern, type RegexSteps } from "./linear-pattern.ts";

export type JsonSchema = { [keyword: string]: unknown };

/**
 * The formats that this validator ignores, so that only REST checks them. `url`: JSON Schema does not define it, and Ajv checks
 * it in quadratic time (20 kB: 0.6 s). `regex`: to check it, Ajv would compile untrusted input.
 */
const leftToRest: readonly string[] = ["url", "regex"];
const formats = Object.keys(fullFormats) as FormatName[];

/** Creates an instance of Ajv. `validateSchema` is `false`, because codegen generates only valid schemas. */
const validator = (allErrors: boolean): Ajv2020 => {
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    passContext: true,
    allErrors,
    code: { regExp: Object.assign(linearPattern, { code: "linearPattern" }) },
  });
  addFormats.default(
    ajv,
    formats.filter((name) => !leftToRest.includes(name)),
  );
  replaceKeywords(ajv);
  return ajv;
};

/** The `this` value of a validator call. Without `steps`, each pattern has the budget `stepsOfConstant`. */
type Checking = { readonly steps?: RegexSteps };

/**
 * Replaces Ajv's implementations of two keywords. Ajv's `pattern` cannot count steps. Ajv's `uniqueItems` compares all pairs of
 * items, which takes quadratic time.
 */
function replaceKeywords(ajv: Ajv2020): void {
  ajv.removeKeyword("pattern");
  ajv.addKeyword({
    keyword: "pattern",
    type: "string",
    schemaType: "string",
    error: {
      message: ({ schemaCode }) => str`must match pattern "${schemaCode}"`,
      params: ({ schemaCode }) => _`{pattern: ${schemaCode}}`,
    },
    compile: (pattern: string) => {
      const { test } = linearPattern(pattern);
      return function (this: Checking | undefined, text: string) {
        return test(text, this?.steps);
      };
    },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    validate: (isUnique: boolean, items: readonly unknown[]) =>
      !isUnique || new Set(items.map(identityOf)).size === items.length,
  });
}

/** Returns the same key for equal values, regardless of the order of an object's members (JSON Schema 2020-12 §4.2.2). */
const identityOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? `\0${JSON.stringify(value, inOrder)}` : value;

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value;

/** Validators of this instance stop at the first error. */
export const ajv = validator(false);

/**
 * Validators of this instance report all errors. Callers must limit the size of the validated value, because each item in it can
 * cause an error.
 */
export const createExhaustiveAjv = (): Ajv2020 => validator(true);
