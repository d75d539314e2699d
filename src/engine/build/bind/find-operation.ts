/** Finds the operation that `@rest` names by `operationId`, or by method and path. */

import { didYouMean } from "../../shared/cli/nearest-suggestion.ts";
import { methodAndPath, type RestOperation } from "../openapi/operation.ts";
import { operationIdOf } from "../openapi/operation-nodes.ts";
import { operationRemoval } from "../openapi/overlays/removals.ts";
import type { RestOperations } from "../openapi/read-operations.ts";
import type { DirectiveCarrier, RestDirective } from "../schema/directives.ts";
import type { Binder } from "./binder.ts";
import { atRestDirective } from "./field-context.ts";
import type { FindingTarget } from "./findings.ts";

/** Returns `; did you mean "…"?` for an unknown name, and `; several have that name: …` for an ambiguous one. */
export function suggestOperations(
  name: string,
  operations: RestOperations,
  names: Iterable<string> = operations.keys(),
): string {
  const sharing = operations.sharing(name).map(({ id }) => id);
  return sharing.length > 0 ? `; several have that name: ${sharing.join(", ")}` : didYouMean(name, names);
}

/** Returns `undefined` after reporting an unknown or ambiguous name. */
export function findOperation(
  { operations, document, findings }: Binder,
  definition: DirectiveCarrier,
  { operation: name }: RestDirective,
  where: FindingTarget,
): RestOperation | undefined {
  const found = operations.named(name);
  if (found) return found;
  const at = atRestDirective({ where, definition }, "operation");
  const sharing = operations.sharing(name);
  const [first] = sharing;
  if (first) {
    const names = sharing.map(methodAndPath);
    const ids = sharing.map(({ id }) => `"${id}"`).join(" or ");
    findings.add(
      "operation-id-duplicate",
      { ...at, rest: first.node, below: ["operationId"] },
      `${operationIdOf(first.node) === name ? "operationId " : ""}"${name}" is shared by ${names.join(" and ")}`,
      names.includes(first.id)
        ? `name one of them by its method and path: ${ids}`
        : `name one of them with its document: ${ids}`,
    );
    return undefined;
  }
  const removedBy = operationRemoval(document, name);
  if (removedBy) {
    findings.add(
      "operation-unknown",
      { ...at, rest: document.root, removedBy },
      `the overlay removes the REST operation "${name}"`,
      "take this action out of the overlay, or remove the field",
    );
    return undefined;
  }
  const names = () => [...operations.keys(), ...[...operations.values()].map(methodAndPath)];
  const named = findings.nearest(name, names);
  const near = named === undefined ? undefined : operations.named(named);
  const [, method = "", path = ""] = /^(\w+) (\/.*)$/.exec(name) ?? [];
  findings.add(
    "operation-unknown",
    near && near.path !== path
      ? { ...at, rest: near.node, below: ["operationId"] }
      : { ...at, rest: document.root, below: ["paths", path, method.toLowerCase()] },
    `there is no REST operation "${name}"${named === undefined ? "" : `; did you mean "${named}"?`}`,
    'name an operationId of the document, or a method and path: "GET /things/{id}"',
  );
  return undefined;
}
