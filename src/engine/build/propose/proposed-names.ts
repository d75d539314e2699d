/** Derives unique names for proposed fields and types from REST operations, and writes descriptions. */
import { deprecationOf } from "../openapi/deprecation.ts";
import type { RestNode } from "../openapi/document.ts";
import { isSafe, methodAndPath, ownPath, type RestOperation } from "../openapi/operation.ts";
import { splitWords } from "../schema/graphql-names.ts";

/** The `operationId`, or else the path, prefixed with the method unless it is safe. */
export function nameFrom(operation: RestOperation): string {
  const { id, method, root } = operation;
  if (id !== methodAndPath(operation)) return root.name === undefined ? id : id.slice(root.name.length + 1);
  const path = ownPath(operation);
  const steps = splitWords(path).length > 0 ? path : "root";
  return isSafe(method) ? steps : `${method} ${steps}`;
}

/** The name, prefixed with the document's name if there are several documents. */
export const wholeNameFrom = (operation: RestOperation): string =>
  [operation.root.name ?? [], nameFrom(operation)].flat().join(" ");

/** A unique name for each REST name; duplicates are numbered: `userId`, `userId2`. */
export function uniqueNames(
  names: readonly string[],
  make: (name: string) => string,
  taken: Iterable<string> = [],
): string[] {
  const used = new Set(taken);
  return names.map((name) => {
    const free = freeName(make(name), used);
    used.add(free);
    return free;
  });
}

/** The name, numbered if it is taken. */
export function freeName(name: string, taken: Pick<ReadonlySet<string>, "has">): string {
  for (let free = name, number = 2; ; free = `${name}${number++}`) if (!taken.has(free)) return free;
}

/** ` @deprecated(…)` if the document deprecates one of the nodes. */
export const deprecatedDirective = (...nodes: readonly RestNode[]): string =>
  deprecationOf(nodes) ? ' @deprecated(reason: "REST deprecates it.")' : "";

/** A description as SDL lines; none for an empty text. */
export function descriptionLines(text: unknown, indent: string): string[] {
  if (typeof text !== "string" || text.trim() === "") return [];
  return [`${indent}${JSON.stringify(text.trim().replaceAll(/\s+/g, " "))}`];
}
