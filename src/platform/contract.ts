/**
 * Reads the operations of `spec/openapi.yaml` (OpenAPI 3.1). Parses requests, and validates requests and responses, with the
 * library openapi-backend. The handlers of the operations are in `products/`.
 */
import { readFileSync } from "node:fs";
import type { ErrorObject } from "ajv";
import { Ajv2020, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Document, OpenAPIBackend, type Operation, type Request } from "openapi-backend";
import { CodedError, ConfigError } from "restbound";
import { parse } from "yaml";

/** The validated input of a handler, with names and types from the document. */
export type OperationInput = {
  path: Record<string, string>;
  query: Record<string, string | number | boolean | string[] | undefined>;
  /** The headers, by their lower-case names. */
  header: Record<string, string | undefined>;
  body: unknown;
};

export type ContractOperation = {
  id: string;
  method: string;
  /** The path in the syntax of Fastify's router, for example `/v1/crm/contacts/:contactId`. */
  route: string;
  /** The value of `x-permission`. `undefined` if every caller with a valid key may call the operation. */
  permission: string | undefined;
  /** The status of the success response in the document. */
  status: number;
  /** Throws `BAD_USER_INPUT` with the name of the invalid argument. */
  parseRequest(request: Request & { query: string }): OperationInput;
  /** Returns the violations of the document's response schema; each is a bug of the platform. */
  responseFaults(body: unknown): { place: string; message: string }[];
};

const documentUrl = new URL("../../spec/openapi.yaml", import.meta.url);

/**
 * Each operation's validators are compiled at its first request, so that the start is fast. Throws `ConfigError` for an operation
 * without a handler, before the library reads a document that it may not support.
 */
export async function loadContract(
  isHandled: (id: string) => boolean = () => true,
): Promise<ContractOperation[]> {
  const definition = parse(readFileSync(documentUrl, "utf8")) as Document;
  const operations = Object.values(definition.paths ?? {}).flatMap((path) => Object.values(path ?? {}));
  const other = operations
    .map((operation) => Reflect.get(Object(operation), "operationId") as string | undefined)
    .find((id) => id !== undefined && !isHandled(id));
  if (other !== undefined) throw unhandled(other);
  const backend = new OpenAPIBackend({
    definition,
    quick: true, // the library's document validation does not support OpenAPI 3.1
    strict: true, // the library throws errors, instead of printing them as warnings
    ignoreTrailingSlashes: false,
    coerceTypes: true,
    customizeAjv: createAjvFactory(),
  });
  await backend.init();
  return backend.router.getOperations().map((operation) => toContractOperation(backend, operation));
}

/**
 * Creates two instances of Ajv; one of them coerces parameters. The library's default does not support JSON Schema 2020-12, and
 * creates an instance per operation, which triples the start time.
 */
function createAjvFactory(): (ajv: unknown, options: Options) => Ajv2020 {
  const validators = new Map<boolean, Ajv2020>();
  return (_ajv, options) => {
    const coerces = Boolean(options.coerceTypes);
    const ajv =
      validators.get(coerces) ?? addFormats.default(new Ajv2020({ ...options, validateSchema: false }));
    validators.set(coerces, ajv);
    return ajv;
  };
}

export const unhandled = (id: string): ConfigError =>
  new ConfigError([
    `${id}: the embedded platform serves only its own API; set REST_BASE_URL and run npm start -- graphql`,
  ]);

/** Returns all permissions that the operations require, sorted. */
export const permissionsOf = (operations: readonly ContractOperation[]): string[] =>
  [...new Set(operations.flatMap(({ permission }) => permission ?? []))].sort();

function toContractOperation({ router, validator }: OpenAPIBackend, operation: Operation): ContractOperation {
  const id = operation.operationId ?? "";
  const status = Number(Object.keys(operation.responses ?? {}).find((key) => key.startsWith("2")));
  const permission: unknown = Reflect.get(operation, "x-permission");
  return {
    id,
    method: operation.method.toUpperCase(),
    route: operation.path.replace(/\{(\w+)\}/g, ":$1"),
    permission: typeof permission === "string" ? permission : undefined,
    status,
    parseRequest(request) {
      // if the body is a JSON string, the library would parse the text inside it as JSON
      if (typeof request.body === "string") throw new CodedError("BAD_USER_INPUT", "body: must be object");
      const read = { ...request, query: readQuery(operation, request.query) };
      const { errors, coerced } = validator.validateRequest(read, operation);
      const [error] = errors ?? [];
      if (error) throw inputRefusal(operation, error);
      const parsed = router.parseRequest(coerced ?? read, operation);
      return {
        path: parsed.params as OperationInput["path"],
        query: parsed.query as OperationInput["query"],
        header: parsed.headers as OperationInput["header"],
        body: parsed.requestBody,
      };
    },
    responseFaults(body) {
      const { errors } = validator.validateResponse(body, operation, status);
      return (errors ?? []).map(({ instancePath: place, message = "" }) => ({ place, message }));
    },
  };
}

/** Converts a validation error to `BAD_USER_INPUT`, with the name of the invalid argument but without its value. */
function inputRefusal(operation: Operation, error: ErrorObject): CodedError {
  const [place, name] = error.instancePath.split("/").slice(1);
  const argument = name === undefined ? namedIn(error) : unescapePointer(name);
  const shown = place === "header" && argument ? declaredName(operation, argument) : argument;
  const fallback = place === undefined || place === "requestBody" ? "body" : place;
  return new CodedError(
    "BAD_USER_INPUT",
    `${shown ?? fallback}: ${explain(error)}`,
    shown ? { argument: shown } : {},
  );
}

/** Returns the name of the property if the validation error says that a property is missing or unknown. */
function namedIn({ params }: ErrorObject): string | undefined {
  const name: unknown = params.missingProperty ?? params.additionalProperty;
  return typeof name === "string" && name !== "requestBody" ? name.slice(0, 64) : undefined;
}

/** Returns the name of a header as the document spells it. The validator's errors contain the name in lower case. */
function declaredName({ parameters = [] }: Operation, lowerCase: string): string {
  const names = parameters.flatMap((parameter) =>
    "name" in parameter && parameter.name ? [parameter.name] : [],
  );
  return names.find((name) => name.toLowerCase() === lowerCase) ?? lowerCase;
}

function explain({ keyword, params, message }: ErrorObject): string {
  if (keyword === "enum") return `must be one of ${(params.allowedValues as unknown[]).join(", ")}`;
  if (keyword === "required") return "is required";
  if (keyword === "additionalProperties") return "is not known here";
  return message ?? "is refused";
}

/** Decodes a token of a JSON pointer (RFC 6901 §4). */
const unescapePointer = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

type QueryParameters = Record<string, string | string[]>;

/**
 * Parses a query string into an operation's parameters by name (OpenAPI 3.1 §4.8.12). Throws `BAD_USER_INPUT` for an unknown
 * parameter, and for an integer that is not written in decimal digits. The library's own parser guesses: brackets create objects,
 * names of `Object.prototype` and the first `?` of a value are dropped, and `0x10` is an integer.
 */
function readQuery({ parameters = [] }: Operation, text: string): QueryParameters {
  const declared = new Map(
    parameters.flatMap((one) => ("in" in one && one.in === "query" ? [[one.name, one.schema]] : [])),
  );
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const schema = declared.get(name);
    if (schema === undefined) throw refused(name, "is not known here");
    if (isInteger(schema) && !/^-?[0-9]+$/.test(value)) throw refused(name, "must be integer");
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]),
  );
}

const isInteger = (schema: object): boolean => Reflect.get(schema, "type") === "integer";

function refused(name: string, problem: string): CodedError {
  const argument = name.slice(0, 64);
  return new CodedError("BAD_USER_INPUT", `${argument || '""'}: ${problem}`, argument ? { argument } : {});
}
