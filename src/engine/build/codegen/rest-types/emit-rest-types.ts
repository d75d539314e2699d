/** `generated/rest.ts`: openapi-typescript's types for the bound operations, from the same shapes that binding checks. */
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
import { plainDocument, queryKey } from "./plain-document.ts";

export async function emitRestTypes(
  document: RestDocument,
  operations: readonly RestOperation[],
): Promise<string> {
  try {
    const names = shortenPaths(operations);
    const whole = plainDocument(document, operations, names) as unknown as OpenAPI3;
    const types = unguarded(astToString(transformSchema(whole, contextFor(whole))));
    return restoreLongPaths(withQueryOperations(types), names);
  } catch (error) {
    throw unreadableSpec(
      document.roots.length > 1 ? documentsFolder : document.root.file,
      error instanceof URIError
        ? "a path, an operationId, a component or a property has a % in its name that openapi-typescript cannot read"
        : `openapi-typescript cannot write types for it: ${(error as Error).message}`,
    );
  }
}

/** Gives QUERY operations their key in the type `paths`, where members of a path item are indented by eight spaces. */
const withQueryOperations = (types: string): string =>
  types.replace(/^export interface paths \{.*?^\}/ms, (paths) =>
    paths.replaceAll(new RegExp(`^ {8}${queryKey}(?=: )`, "gm"), "query"),
  );

type Context = Parameters<typeof transformSchema>[1];

/**
 * The context that `openapiTS` creates. `openapiTS` itself would first lint and bundle the document, a third of its time, which
 * is not needed for the plain document. Omitted options are off.
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

// Short names for long paths. openapi-typescript stores the location of each node as a string in a Set. V8 hashes strings of
// more than 16,383 characters by their length alone, so thousands of nodes below a long path would be compared pairwise.

/** Longer than the paths of all known documents. */
const longest = 2_000;

/** Long path → its name in the plain document. */
function shortenPaths(operations: readonly RestOperation[]): ReadonlyMap<string, string> {
  const paths = new Set(operations.map(({ path }) => path));
  let prefix = "/long-path-";
  while ([...paths].some((path) => path.startsWith(prefix))) prefix += "-";
  const long = [...paths].filter(({ length }) => length > longest);
  return new Map(long.map((path, index) => [path, `${prefix}${index}`]));
}

/** Replaces the short names in the generated types by the paths. */
function restoreLongPaths(types: string, names: ReadonlyMap<string, string>): string {
  let text = types;
  for (const [path, name] of names) text = text.replaceAll(JSON.stringify(name), () => JSON.stringify(path));
  return text;
}
