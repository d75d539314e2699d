/** `generated/rest.ts`: openapi-typescript's types of the bound operations. */
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { unreadable } from "../../diagnostic.ts";
import type { RestDocument } from "../../openapi/document.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import { bundled } from "./bundle.ts";
import { unguarded } from "./inherited-names.ts";
import { shortNames, withLongPaths } from "./long-paths.ts";
import { readPlainly } from "./read-plainly.ts";

export async function emitRestTypes(
  document: RestDocument,
  operations: readonly RestOperation[],
): Promise<string> {
  try {
    const names = shortNames(operations);
    const whole = readPlainly(await bundled(document, operations, names)) as unknown as OpenAPI3;
    const types = astToString(await openapiTS(whole, { defaultNonNullable: false, silent: true }));
    return withLongPaths(unguarded(types), names);
  } catch (error) {
    throw unreadable(
      document.root.file,
      error instanceof URIError
        ? "a path, an operationId, a component or a property has a % in its name that openapi-typescript cannot read"
        : `openapi-typescript cannot write types for it: ${(error as Error).message}`,
    );
  }
}
