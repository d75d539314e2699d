/**
 * What client teams get of the saved operations: `generated/documents.ts`, each with the types of its result and
 * variables, and `generated/operations-manifest.json`, the persisted queries with the REST calls that each one costs.
 */
import { hash } from "node:crypto";
import { type DefinitionNode, Kind, print } from "graphql";
import { callCost } from "../spec/call-cost.ts";
import type { Model } from "../spec/model.ts";
import type { SavedOperation } from "../spec/saved-operations.ts";

/** All definitions once, as graphql-codegen wants them. */
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

/** The documents below their types: text, so that no client needs a parser. */
export function emitDocuments(saved: readonly SavedOperation[]): string {
  const documents = saved.map((operation) => {
    const { name, file } = operation;
    const types = `${typeName(operation)}, ${typeName(operation)}Variables`;
    return `/** ${name}, from spec/${file}; persisted as ${idOf(operation)} */
export const ${name}Document = ${JSON.stringify(textOf(operation))} as TypedDocumentText<${types}>;`;
  });
  return `
/** A document with the types of its result and its variables. */
export type TypedDocumentText<Result, Variables> = string & { readonly __types?: (variables: Variables) => Result };

${documents.join("\n\n")}
`;
}

/** graphql-codegen's names: `TeamInboxQuery`, `AnswerMutation`. */
const typeName = ({ name, definition }: SavedOperation): string =>
  `${name}${definition.operation === "query" ? "Query" : "Mutation"}`;

/** Apollo's manifest format, with `calls` beside what it knows. */
export function emitManifest(model: Model, saved: readonly SavedOperation[]): string {
  const operations = saved.map((operation) => ({
    id: idOf(operation),
    name: operation.name,
    type: operation.definition.operation,
    body: textOf(operation),
    calls: callCost(model, operation),
  }));
  const manifest = { format: "apollo-persisted-query-manifest", version: 1, operations };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const textOf = ({ document }: SavedOperation): string => print(document);

/** SHA-256 of the text, as automatic persisted queries have it. */
const idOf = (operation: SavedOperation): string => hash("sha256", textOf(operation));
