/**
 * The documents of requests. A text is parsed and validated once (GraphQL spec §5): an accepted document is remembered, and
 * so is the response to a refused one. The total size of the documents of saved operations is bounded, that of the others,
 * and that of the refusals: the least recently used go first.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  type ValidationContext,
  validate,
} from "graphql";
import { LRUCache } from "lru-cache";
import type { Config } from "../../config.ts";
import { cachedDocumentBytes, cachedRefusalCharacters } from "../../settings/capacity.ts";
import type { Environment } from "../../settings/environment.ts";
import { maskRefusal } from "../errors/mask.ts";
import { type GraphqlResponse, responseWith } from "../over-http.ts";
import { sizeOf } from "../saved/document-size.ts";
import type { ReadDocument } from "../saved/fit-check.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";
import { limitRule } from "./limits.ts";

export function documentReader(schema: GraphQLSchema, { env, production }: Config): ReadDocument {
  const rules = [...specifiedRules, ...(production ? [noIntrospection] : []), limitRule(env)];
  const options = { maxErrors: 10, hideSuggestions: production };
  return (text) => {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: env.MAX_TOKENS });
    } catch (error) {
      return [parseFailure(env, error as Error | GraphQLError)];
    }
    const errors = validate(schema, document, rules, options);
    return errors.length > 0 ? errors : document;
  };
}

function parseFailure(env: Environment, error: Error | GraphQLError): GraphQLError {
  const { message } = error;
  const options = error instanceof GraphQLError ? { source: error.source, positions: error.positions } : {};
  const over = (limit: "MAX_TOKENS" | "MAX_DEPTH", what: string): GraphQLError =>
    new GraphQLError(`${what} (${limit})`, { ...options, extensions: { limit, value: env[limit] } });
  // graphql-js misspells "more than" as "more that"
  if (message.includes("Document contains more tha"))
    return over("MAX_TOKENS", `a document may have at most ${env.MAX_TOKENS} tokens`);
  // the parser recurses once a level, and overflows the stack far beyond the limit
  if (message === "Maximum call stack size exceeded") return over("MAX_DEPTH", "the document is too deep");
  return new GraphQLError(message, { ...options, extensions: { code: "GRAPHQL_PARSE_FAILED" } });
}

/** Production hides the schema. */
const noIntrospection = (context: ValidationContext): ASTVisitor => ({
  Field(node) {
    if (node.name.value !== "__schema" && node.name.value !== "__type") return;
    context.reportError(new GraphQLError("GraphQL introspection is turned off here", { nodes: node }));
  },
});

/** Characters of a refusal's headers. */
const overhead = 500;

export class Documents {
  readonly #saved: SavedOperations;
  readonly #production: boolean;
  readonly #read: ReadDocument;
  readonly #accepted = new LRUCache<string, DocumentNode>({
    maxSize: cachedDocumentBytes,
    sizeCalculation: sizeOf,
  });
  readonly #refusals = new LRUCache<string, GraphqlResponse>({
    maxSize: cachedRefusalCharacters,
    sizeCalculation: ({ result }, text) => JSON.stringify(result).length + text.length + overhead,
  });

  constructor(saved: SavedOperations, { production }: Config, read: ReadDocument) {
    this.#saved = saved;
    this.#production = production;
    this.#read = read;
  }

  /** The response to a text that was refused before. */
  refusal(text: string): GraphqlResponse | undefined {
    return this.#refusals.get(text);
  }

  /** The document of a text that was accepted before. */
  accepted(text: string): DocumentNode | undefined {
    return this.#saved.document(text) ?? this.#accepted.get(text);
  }

  /** The document of a new text, or the response to its client. `refused` is told the errors. */
  read(text: string, refused: (errors: readonly GraphQLError[]) => void): DocumentNode | GraphqlResponse {
    const read = this.#read(text);
    if ("kind" in read) {
      if (!this.#saved.keep(text, read)) this.#accepted.set(text, read);
      return read;
    }
    refused(read);
    const response = responseWith({ errors: read.map((error) => maskRefusal(error, this.#production)) }, 400);
    this.#refusals.set(text, response);
    return response;
  }
}
