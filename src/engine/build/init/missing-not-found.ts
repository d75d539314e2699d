/**
 * Finds operations for which the document declares other 4xx responses but no 404, so that clients would see a 404 as
 * `UPSTREAM_ERROR`. Proposes an overlay action that adds the missing 404.
 */
import { documentedStatus, listsRefusals } from "../../shared/refusals.ts";
import { refusalsOf } from "../bind/requests/called-operations.ts";
import type { RestOperation } from "../openapi/operation.ts";
import { type OverlayAdvice, quotedNames } from "./overlay-text.ts";

/** Whether REST may respond with an undocumented 404: the path has a parameter, and the document declares other 4xx responses. */
function isMissing404(operation: RestOperation): boolean {
  const refusals = refusalsOf(operation);
  return (
    operation.parameters.some((parameter) => parameter.in === "path") &&
    listsRefusals(refusals) &&
    documentedStatus(refusals, 404) === undefined
  );
}

/** Returns `undefined` if no 404 is missing. */
export function missingNotFound(operations: Iterable<RestOperation>): OverlayAdvice | undefined {
  const found = [...operations].filter(isMissing404);
  const paths = found.flatMap(({ item, root }) =>
    item.path.length === 2 && item.path[0] === "paths" && item.file === root.file
      ? [item.path[1] as string]
      : [],
  );
  if (found.length === 0) return undefined;
  const [operation, declare] = found.length === 1 ? ["operation", "declares"] : ["operations", "declare"];
  const target = `$.paths[${quotedNames(paths)}].*.responses`;
  return {
    message: `${found.length} ${operation} with a path parameter ${declare} no 404, so clients see REST's 404 as UPSTREAM_ERROR instead of null or NOT_FOUND`,
    actions: paths.length > 0 ? [{ target, update: { "404": { description: "not found" } } }] : [],
  };
}
