/** Emits `generated/index.ts`: its `api` is passed to the engine. */

import type { Model, Reference } from "../bind/model.ts";
import { literal, objectLiteral } from "./typescript-text.ts";

export function emitIndex(model: Model, hasSavedOperations: boolean): string {
  const { deprecations } = model;
  const dated = [...deprecations].filter(([, days]) => Object.keys(days).length > 0);
  const ends = dated.map(([coordinate, days]) => `    ${literal(coordinate)}: ${literal(days)},\n`);

  const manifest = hasSavedOperations
    ? `import manifest from "./operations-manifest.json" with { type: "json" };\n`
    : "";
  return `import type { GeneratedApi } from "restbound";
import { argumentNames, argumentSchemas } from "./arguments.ts";
${manifest}import { operations, requestHeaders } from "./operations.ts";
import * as resolvers from "./resolvers.ts";
import { specHash } from "./spec.ts";

/** What the roles need to know about this API. */
export const api: GeneratedApi = {
  schema: new URL("schema.graphql", import.meta.url),
  resolvers,
  operations,
  requestHeaders,
  argumentSchemas,
  argumentNames,
  savedOperations: ${hasSavedOperations ? "manifest.operations" : "[]"},
  specHash,
${model.federation ? subgraph(model.references) : ""}${ends.length > 0 ? `  deprecations: {\n${ends.join("")}  },\n` : ""}};
`;
}

/** Prints the URL of the subgraph schema, and how the server resolves the entities of each type. */
function subgraph(references: readonly Reference[]): string {
  const types = [...Map.groupBy(references, ({ type }) => type)].map(
    ([type, own]) => [type, literal(own.map(({ type: _, ...reference }) => reference))] as const,
  );
  return `  subgraph: {
    schema: new URL("subgraph.graphql", import.meta.url),
    references: ${objectLiteral(types)},
  },
`;
}
