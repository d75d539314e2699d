/**
 * The JSON Schema 2020-12 validator. The proof and the running server share it, so a value that passes at build time
 * passes at run time.
 */
import { _, str } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats, { type FormatName } from "ajv-formats";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { linearPattern, type RegexSteps } from "./linear-pattern.ts";

export type JsonSchema = { [keyword: string]: unknown };

/** Codegen makes the schemas of limits that are known to be sound, so Ajv does not check the schemas again. */
export const ajv = new Ajv2020({
  strict: false,
  meta: false,
  validateSchema: false,
  logger: false,
  passContext: true,
  code: { regExp: Object.assign(linearPattern, { code: "linearPattern" }) },
});

/** `url` is no format of JSON Schema, and its check is quadratic (20 kB: 0.6 s). `regex` compiles what a client sends. */
const leftToRest: readonly string[] = ["url", "regex"];
const formats = Object.keys(fullFormats) as FormatName[];
addFormats.default(
  ajv,
  formats.filter((name) => !leftToRest.includes(name)),
);

/** The `this` of a validator. Without it, each pattern has the steps of a constant. */
type Checking = { readonly steps?: RegexSteps };

/** Ajv hands no context to an expression of its own `pattern`. */
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

/** Ajv compares each item with each other one; an argument may hold as many as a request body does. */
ajv.removeKeyword("uniqueItems");
ajv.addKeyword({
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  error: { message: "must NOT have duplicate items" },
  validate: (isUnique: boolean, items: readonly unknown[]) =>
    !isUnique || new Set(items.map(identityOf)).size === items.length,
});

/** The same for equal values only; the order of an object's members makes no difference (JSON Schema 2020-12 §4.2.2). */
const identityOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? `\0${JSON.stringify(value, inOrder)}` : value;

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value;
