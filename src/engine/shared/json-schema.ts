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
 * Formats that only REST validates. JSON Schema does not define `url`, and Ajv checks it in quadratic time (20 kB: 0.6 s). To
 * check `regex`, Ajv would compile untrusted input.
 */
const leftToRest: readonly string[] = ["url", "regex"];
const formats = Object.keys(fullFormats) as FormatName[];

/** `validateSchema: false`: codegen generates only valid schemas, so Ajv need not validate them again. */
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
 * Replaces two keywords of Ajv: `pattern`, which cannot count steps, and `uniqueItems`, which compares all pairs of items, so
 * that a long list would take quadratic time.
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
 * Validators of this instance report all errors. Callers must limit the size of a value, because each of its items can cause an
 * error.
 */
export const createExhaustiveAjv = (): Ajv2020 => validator(true);
