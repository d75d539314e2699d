/**
 * Holds an answer of the mock server against the document with Ajv. Prism does not tell of every answer of its own that the
 * document does not allow. Nothing of `src/` is used.
 */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

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
    const options = { strict: false, validateSchema: false, validateFormats: false, unicodeRegExp: false };
    const isOld = String(root.openapi).startsWith("3.0");
    this.#root = root;
    this.#ajv = isOld ? new Ajv(options) : new Ajv2020(options);
    this.#ajv.addSchema(isOld ? (asJsonSchema(root) as Json) : root, "document:/");
  }

  /** What the document does not allow in the body of this operation's answer. `operation`: its id, or its method and path. */
  breach(operation: string, status: number, body: unknown): string | undefined {
    const schema = this.#schemaOf(operation, String(status));
    if (schema === undefined) return undefined;
    const validate = this.#ajv.compile({ $ref: `document:/#${schema}` });
    return validate(body) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar: "body" });
  }

  #schemaOf(operation: string, status: string): string | undefined {
    for (const [path, item] of Object.entries((this.#root.paths ?? {}) as Json)) {
      for (const [method, found] of Object.entries((item ?? {}) as Json)) {
        if (member(found, "operationId") !== operation && `${method.toUpperCase()} ${path}` !== operation)
          continue;
        const responses = member(found, "responses");
        const key = [status, `${status[0]}XX`, "default"].find(
          (each) => member(responses, each) !== undefined,
        );
        if (key === undefined) return undefined;
        const response = member(responses, key);
        const reference = member(response, "$ref");
        const steps =
          typeof reference === "string"
            ? reference.split("/").slice(1)
            : ["paths", path, method, "responses", key];
        const own = typeof reference === "string" ? steps.reduce<unknown>(member, this.#root) : response;
        const content = member(own, "content");
        const media = Object.keys(isRecord(content) ? content : {}).find((each) => /json/.test(each));
        const hasSchema = media !== undefined && member(member(content, media), "schema") !== undefined;
        return hasSchema ? pointer([...steps, "content", media, "schema"]) : undefined;
      }
    }
    return undefined;
  }
}

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
