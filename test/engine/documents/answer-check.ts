/**
 * Holds an answer of the mock server against the document with Ajv. Prism does not tell of every answer of its own that the
 * document does not allow. Nothing of `src/` is used.
 */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { jsonMedia } from "./oracle/ways.ts";

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const member = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
const pointer = (steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

export class AnswerCheck {
  readonly #root: Json;
  readonly #ajv: Ajv;

  constructor(root: Json) {
    const options = {
      strict: false,
      validateSchema: false,
      validateFormats: false,
      unicodeRegExp: false,
      inlineRefs: false, // each schema is compiled once, and not again wherever it is referred to
    };
    const isOld = String(root.openapi).startsWith("3.0");
    this.#root = root;
    this.#ajv = isOld ? new Ajv(options) : new Ajv2020(options);
    this.#ajv.addSchema(isOld ? (asJsonSchema(root) as Json) : withoutNullable(root), "document:/");
  }

  /** What the document does not allow in the body of this operation's answer. */
  breach(operation: string, status: number, body: unknown): string | undefined {
    const schema = this.#schemaOf(operation, String(status));
    if (schema === undefined) return undefined;
    const validate = this.#ajv.getSchema(`document:/#${schema}`);
    if (!validate) throw new Error(`the document has no schema at ${schema}`);
    return validate(body) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar: "body" });
  }

  /** The success that the document gives a body, or else its first. */
  success(operation: string): string | undefined {
    const responses = member(this.#found(operation)?.value, "responses");
    const keys = Object.keys(isRecord(responses) ? responses : {}).filter((key) => /^2\d\d$/.test(key));
    return (
      keys.find((key) => member(this.#response(member(responses, key)), "content") !== undefined) ?? keys[0]
    );
  }

  /** Whether the request, such as `GET /a/1?b=2`, calls the operation: among the paths that fit, its own has the fewest parameters. */
  isCall(operation: string, request: string): boolean {
    const [method = "", path = ""] = (/^[^?]*/.exec(request)?.[0] ?? "").split(" ");
    const fitting = Object.keys((this.#root.paths ?? {}) as Json).filter((template) => {
      const item = member(this.#root.paths, template);
      return member(item, method.toLowerCase()) !== undefined && isPathOf(template, path);
    });
    const [best] = fitting.sort((one, other) => parametersIn(one) - parametersIn(other));
    const [, own, ownMethod] = this.#found(operation)?.steps ?? [];
    return own === best && ownMethod === method.toLowerCase();
  }

  #schemaOf(operation: string, status: string): string | undefined {
    const found = this.#found(operation);
    const responses = member(found?.value, "responses");
    const key = [status, `${status[0]}XX`, "default"].find((each) => member(responses, each) !== undefined);
    if (!found || key === undefined) return undefined;
    const response = member(responses, key);
    const reference = member(response, "$ref");
    const steps = typeof reference === "string" ? stepsOf(reference) : [...found.steps, "responses", key];
    const content = member(this.#response(response), "content");
    const media = jsonMedia(isRecord(content) ? content : {});
    const hasSchema = media !== undefined && member(member(content, media), "schema") !== undefined;
    return hasSchema ? pointer([...steps, "content", media, "schema"]) : undefined;
  }

  #response(written: unknown): unknown {
    const reference = member(written, "$ref");
    return typeof reference === "string" ? stepsOf(reference).reduce<unknown>(member, this.#root) : written;
  }

  /** The operation by its id, or its method and path. */
  #found(operation: string): { value: unknown; steps: string[] } | undefined {
    for (const [path, item] of Object.entries((this.#root.paths ?? {}) as Json))
      for (const [method, value] of Object.entries((item ?? {}) as Json))
        if (member(value, "operationId") === operation || `${method.toUpperCase()} ${path}` === operation)
          return { value, steps: ["paths", path, method] };
    return undefined;
  }
}

const parametersIn = (template: string): number => template.split("{").length;

const isPathOf = (template: string, path: string): boolean => {
  const steps = template.split("/");
  const given = path.split("/");
  const fits = (step: string, index: number) => step.includes("{") || step === given[index];
  return steps.length === given.length && steps.every(fits);
};

const stepsOf = (reference: string): string[] => reference.split("/").slice(1);

/** OpenAPI 3.1 has no `nullable`, and Ajv refuses one without a type. */
const withoutNullable = (root: Json): Json =>
  JSON.parse(JSON.stringify(root), (key, value) =>
    key === "nullable" && typeof value === "boolean" ? undefined : value,
  );

/** Schemas of OpenAPI 3.0 in the words of JSON Schema: `nullable`, exclusive limits, and `$ref` without what stands beside it. */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema);
  if (!isRecord(value)) return value;
  if (typeof value.$ref === "string") return { $ref: value.$ref };
  const { nullable, ...others } = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, asJsonSchema(each)]),
  );
  const made: Record<string, unknown> = others;
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof made[flag] !== "boolean") continue;
    if (made[flag]) made[flag] = made[limit];
    else delete made[flag];
  }
  if (nullable !== true) return nullable === undefined ? made : { ...made, nullable };
  return { anyOf: [{ type: "null" }, made] };
}
