/**
 * Selects operations by a key: a name, a tag with its nested tags (`tag:billing`), or a pattern with `*` that matches ids, paths,
 * or methods with paths (`admin*`, `/v2/*`, `DELETE *`).
 */
import { methodAndPath, ownPath, type RestOperation } from "./operation.ts";
import type { RestOperations } from "./read-operations.ts";
import { nestedTagsOf } from "./tags.ts";

export const isOperationPattern = (key: string): boolean => key.startsWith("tag:") || key.includes("*");

/** A key that is exactly an operation's name selects only this operation. */
export function operationsOf(operations: RestOperations, key: string): RestOperation[] {
  const named = operations.named(key);
  if (named) return [named];
  if (!isOperationPattern(key)) return [];
  const takes = key.startsWith("tag:") ? hasTag(key.slice("tag:".length)) : hasName(operations, key);
  return [...operations.values()].filter(takes);
}

const hasTag =
  (tag: string) =>
  (operation: RestOperation): boolean =>
    nestedTagsOf(operation).has(tag);

function hasName(operations: RestOperations, glob: string): (operation: RestOperation) => boolean {
  const parts = glob.split("*");
  return (operation) => namesOf(operation, operations).some((name) => consistsOf(name, parts));
}

/** Returns the names of an operation, with and without the document's name. */
const namesOf = (operation: RestOperation, operations: RestOperations): string[] => {
  const { id, method, path } = operation;
  const own = { method, path: ownPath(operation) };
  return [
    id,
    path,
    methodAndPath(operation),
    operations.ownIdOf(operation) ?? id,
    own.path,
    methodAndPath(own),
  ];
};

/**
 * Whether the name starts with the first part, ends with the last, and contains the others in order between them. The search
 * takes linear time, whereas a regular expression would backtrack at each `*`.
 */
function consistsOf(name: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop() ?? "";
  const end = name.length - last.length;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}
