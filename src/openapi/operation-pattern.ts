/**
 * A key that stands for one REST operation, or for all that match its pattern: `tag:billing` for a tag, and a key with `*`
 * for ids, paths, or methods and paths (`admin*`, `/v2/*`, `DELETE *`).
 */
import { isRecord } from "./document.ts";
import { methodAndPath, type RestOperation } from "./operation.ts";
import type { RestOperations } from "./read-operations.ts";

export const isOperationPattern = (key: string): boolean => key.startsWith("tag:") || key.includes("*");

/** The operations that the key stands for. An operation with exactly that name comes before any pattern. */
export function operationsOf(operations: RestOperations, key: string): RestOperation[] {
  const named = operations.named(key);
  if (named) return [named];
  if (!isOperationPattern(key)) return [];
  const takes = key.startsWith("tag:") ? hasTag(key.slice("tag:".length)) : hasName(key);
  return [...operations.values()].filter(takes);
}

const hasTag =
  (tag: string) =>
  ({ node }: RestOperation): boolean =>
    isRecord(node.value) && Array.isArray(node.value.tags) && node.value.tags.includes(tag);

/** A star takes any text. */
function hasName(glob: string): (operation: RestOperation) => boolean {
  const parts = glob.split("*").map((part) => part.replace(/[^\w]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return (operation) =>
    [operation.id, operation.path, methodAndPath(operation)].some((name) => expression.test(name));
}
