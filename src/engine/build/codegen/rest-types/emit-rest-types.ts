/** `generated/rest.ts`: openapi-typescript's types of the bound operations, as the proof reads them. */
import {
  astToString,
  type OpenAPI3,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from "openapi-typescript";
import { unreadableSpec } from "../../diagnostic.ts";
import type { RestDocument } from "../../openapi/document.ts";
import { documentsFolder } from "../../openapi/document-files.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import { unguarded } from "../inherited-names.ts";
import { restoreLongPaths, shortenPaths } from "./long-paths.ts";
import { plainDocument } from "./plain-document.ts";

export async function emitRestTypes(
  document: RestDocument,
  operations: readonly RestOperation[],
): Promise<string> {
  try {
    const names = shortenPaths(operations);
    const whole = plainDocument(document, operations, names) as unknown as OpenAPI3;
    return restoreLongPaths(unguarded(astToString(transformSchema(whole, contextFor(whole)))), names);
  } catch (error) {
    throw unreadableSpec(
      document.roots.length > 1 ? documentsFolder : document.root.file,
      error instanceof URIError
        ? "a path, an operationId, a component or a property has a % in its name that openapi-typescript cannot read"
        : `openapi-typescript cannot write types for it: ${(error as Error).message}`,
    );
  }
}

type Context = Parameters<typeof transformSchema>[1];

/**
 * The context that `openapiTS` makes. It lints and bundles the document first, which is a third of its time: here the
 * document is proved and written plainly. An option that is left out is off.
 */
function contextFor(whole: OpenAPI3): Context {
  const silent = { silent: true };
  const context: Partial<Context> = {
    ...silent,
    discriminators: scanDiscriminators(whole, silent),
    injectFooter: [],
    resolve: (reference) => resolveRef(whole, reference, silent),
  };
  return context as Context;
}
