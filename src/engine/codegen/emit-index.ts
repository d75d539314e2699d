/** `generated/index.ts`: the one value that a start is handed. */

export function emitIndex(hasSavedOperations: boolean): string {
  const manifest = hasSavedOperations
    ? `import manifest from "./operations-manifest.json" with { type: "json" };\n`
    : "";
  return `import type { GeneratedApi } from "restbound";
import { argumentNames, argumentSchemas } from "./arguments.ts";
${manifest}import { operations, requestHeaders } from "./operations.ts";
import * as resolvers from "./resolvers.ts";
import { specHash } from "./spec.ts";

/** All that a start needs of this API. */
export const api: GeneratedApi = {
  schema: new URL("schema.graphql", import.meta.url),
  resolvers,
  operations,
  requestHeaders,
  argumentSchemas,
  argumentNames,
  savedOperations: ${hasSavedOperations ? "manifest.operations" : "[]"},
  specHash,
};
`;
}
