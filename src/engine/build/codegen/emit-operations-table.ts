/**
 * Emits `generated/operations.ts`: the metadata of each bound operation for the REST client, and the request headers that the
 * document declares. The gateway forwards these headers.
 */
import type { Model } from "../bind/model.ts";
import { declaredHeaders } from "../openapi/declared-headers.ts";
import { literal } from "./typescript-text.ts";

export function emitOperations({ calledOperations, document, operations }: Model): string {
  const entries = [...calledOperations].map(
    ([name, operation]) => `${literal(name)}: ${literal(operation)},`,
  );
  return `import type { Operation } from "restbound/rest";

export const operations: Readonly<Record<string, Operation>> = {
${entries.join("\n")}
};

/** The headers of requests that the document declares. */
export const requestHeaders: readonly string[] = ${literal(declaredHeaders(document, operations.values()))};
`;
}
