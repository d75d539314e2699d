/**
 * Emits the saved operations for client teams: `generated/documents.ts` has them as typed documents, and
 * `generated/operations-manifest.json` as persisted queries.
 */
import { hash } from "node:crypto";
import { type DefinitionNode, Kind, print } from "graphql";
import type { ScopeRequirement } from "../../shared/operation.ts";
import { callCost, listCalls } from "../bind/call-cost.ts";
import type { Model } from "../bind/model.ts";
import { methodAndPath, type RestOperation } from "../openapi/operation.ts";
import { operationText, type SavedOperation } from "../schema/saved-operations.ts";
import { toolDescription } from "../schema/tool-comment.ts";
import { comment, literal } from "./typescript-text.ts";

/** Prints all saved operations, and each fragment only once. */
export function savedDefinitions(saved: readonly SavedOperation[]): string {
  const definitions = new Map<string, DefinitionNode>();
  for (const { document } of saved) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION)
        definitions.set(`${definition.kind} ${definition.name?.value}`, definition);
    }
  }
  return [...definitions.values()].map(print).join("\n\n");
}

/** Emits the documents as strings, so that clients need no GraphQL parser. */
export function emitDocuments(saved: readonly SavedOperation[]): string {
  const documents = saved.map((operation) => {
    const { name, file } = operation;
    const types = `${operationTypeName(operation)}, ${operationTypeName(operation)}Variables`;
    return `${comment(`${name}, from spec/${file}.`, `Persisted as ${documentId(operation)}.`)}
export const ${name}Document = ${literal(operationText(operation))} as TypedDocumentText<${types}>;`;
  });
  return `
/** A document with the types of its result and its variables. */
export type TypedDocumentText<Result, Variables> = string & { readonly __types?: (variables: Variables) => Result };

${documents.join("\n\n")}
`;
}

/** Returns the name that graphql-codegen gives to the type of the operation's result: for example, `BookListQuery`. */
export const operationTypeName = ({ name, definition }: SavedOperation): string =>
  `${name}${definition.operation === "query" ? "Query" : "Mutation"}`;

/**
 * Emits Apollo's persisted query manifest with additional members: `calls`, `tool` for tools, `hints` for tools that write, and
 * `scopes` for tools that need OAuth scopes.
 */
export function emitManifest(model: Model, saved: readonly SavedOperation[]): string {
  const operations = saved.map((operation) => {
    const tool = toolDescription(operation.definition);
    const isWriting = tool !== undefined && operation.definition.operation === "mutation";
    const scopes = tool === undefined ? [] : scopesOf(model, operation);
    return {
      id: documentId(operation),
      name: operation.name,
      type: operation.definition.operation,
      body: operationText(operation),
      calls: callCost(model, operation),
      tool,
      ...(isWriting && { hints: writeHints(model, operation) }),
      ...(scopes.length > 0 && { scopes }),
    };
  });
  const manifest = { format: "apollo-persisted-query-manifest", version: 1, operations };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * Derives a mutation's tool hints from the HTTP methods of its root fields, because nested fields only read. One PUT or
 * DELETE is idempotent; several in sequence are not always (RFC 9110 §9.2.2). A POST is not destructive if 201 is its only
 * documented success (§15.3.2).
 */
function writeHints(model: Model, operation: SavedOperation) {
  const root = model.schema.getMutationType()?.name;
  const writes = listCalls(model, operation).flatMap(({ field }) =>
    field.type === root ? [field.operation] : [],
  );
  const isCreating = ({ method, successes }: RestOperation): boolean =>
    method === "post" && successes.length > 0 && successes.every(({ status }) => status === "201");
  return {
    idempotentHint: writes.length === 1 && writes.every(({ method }) => /^(?:put|delete)$/.test(method)),
    destructiveHint: !writes.every(isCreating),
  };
}

/** Returns the OAuth scopes that the REST operations of a saved operation require. */
function scopesOf(model: Model, operation: SavedOperation): readonly (readonly ScopeRequirement[])[] {
  const requirements = listCalls(model, operation).flatMap(({ field }) => {
    const { scopes } = model.calledOperations.get(methodAndPath(field.operation)) ?? {};
    return scopes ? [scopes] : [];
  });
  return [...new Map(requirements.map((each) => [JSON.stringify(each), each])).values()];
}

/** Returns the SHA-256 digest of the text, as in automatic persisted queries. */
export const documentId = (operation: SavedOperation): string => hash("sha256", operationText(operation));
