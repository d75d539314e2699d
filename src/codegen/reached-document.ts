/**
 * The part of the OpenAPI document that operations reach, as a root file of its own, in the document's order. REST types
 * are generated from it, so their size follows what is bound and not what the document offers.
 */
import { isRecord, type RestDocument, type RestNode } from "../openapi/document.ts";
import type { RestOperation } from "../openapi/operation.ts";
import { nodeBelow } from "../openapi/shape.ts";
import { mappedSchema } from "../openapi/variants.ts";
import type { NodePath } from "../openapi/yaml-file.ts";

/** The methods of a path item (OpenAPI 3.1 §4.8.9). Its other members concern each of them. */
const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

/** The root file, with the operations and with what their references reach in it. */
export function reachedDocument(
  document: RestDocument,
  operations: Iterable<Pick<RestOperation, "path" | "method">>,
): Record<string, unknown> {
  const { root } = document;
  const kept = new Set<string>();
  const waiting: RestNode[] = [];
  const keep = (...steps: NodePath): void => {
    if (kept.has(keyOf(steps))) return;
    kept.add(keyOf(steps));
    waiting.push(nodeBelow(root, ...steps));
  };
  for (const { path, method } of operations) {
    const item = (root.value as { paths: Record<string, object> }).paths[path] ?? {};
    if ("$ref" in item) keep("paths", path);
    for (const key of Object.keys(item)) if (key === method || !methods.has(key)) keep("paths", path, key);
  }
  const visited = new Set<unknown>();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { file, path, value } = node;
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    for (const target of targetsOf(document, node)) {
      if (target.file === root.file) keep(...holderOf(target.path));
      else waiting.push(target);
    }
    for (const member of Object.values(value)) waiting.push({ file, path, value: member });
  }
  return reached(root.value as Members, kept);
}

type Members = Readonly<Record<string, unknown>>;

const keyOf = (steps: NodePath): string => JSON.stringify(steps.map(String));

/** The component, the path item or the member of the root file that holds the target of a reference. */
const holderOf = (path: NodePath): NodePath =>
  path.slice(0, path[0] === "components" ? 3 : path[0] === "paths" ? 2 : 1);

function targetsOf(document: RestDocument, node: RestNode): RestNode[] {
  const target = document.refTarget(node);
  const { discriminator } = isRecord(node.value) ? node.value : {};
  const mapping = isRecord(discriminator) && isRecord(discriminator.mapping) ? discriminator.mapping : {};
  const mapped = Object.values(mapping).flatMap((reference) =>
    typeof reference === "string" ? (mappedSchema(document, node, reference) ?? []) : [],
  );
  return [...(target ? [target] : []), ...mapped];
}

/** The members whose steps are kept, and those on the way to them. */
function reached(root: Members, kept: ReadonlySet<string>): Record<string, unknown> {
  const below = (value: unknown, steps: readonly string[]): unknown => {
    if (kept.has(keyOf(steps))) return value;
    if (steps.length > 2 || !isRecord(value)) return undefined;
    const members = Object.entries(value).map(
      ([key, member]) => [key, below(member, [...steps, key])] as const,
    );
    const found = members.filter(([, member]) => member !== undefined);
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  };
  const { openapi, info } = root;
  const members = Object.keys(root).map((key) => [key, below(root[key], [key])] as const);
  return { openapi, info, ...Object.fromEntries(members.filter(([, member]) => member !== undefined)) };
}
