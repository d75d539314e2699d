/** `generated/index.ts`: the value that a service passes to the engine. */

import type { Model } from "../bind/model.ts";
import { literal } from "./typescript-text.ts";

export function emitIndex({ deprecations }: Model, hasSavedOperations: boolean): string {
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
${ends.length > 0 ? `  deprecations: {\n${ends.join("")}  },\n` : ""}};
`;
}
