/** Reads all operations of a document. An operation without an `operationId` of its own is a finding. */
import { type Diagnostic, diagnosed } from "../diagnostic.ts";
import { isRecord, keysOf, type RestDocument, type RestNode } from "./document.ts";
import { methodAndPath, type RestOperation } from "./operation.ts";
import { readOperation } from "./read-operation.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export function readOperations(document: RestDocument): {
  operations: Map<string, RestOperation>;
  diagnostics: Diagnostic[];
} {
  const operations = new Map<string, RestOperation>();
  const diagnostics: Diagnostic[] = [];
  for (const { path, method, item, node } of operationNodes(document)) {
    const id = (node.value as Record<string, unknown>).operationId;
    const at = methodAndPath({ method, path });
    if (typeof id !== "string" || id === "") {
      diagnostics.push(
        finding(
          "operation-id-missing",
          at,
          `${at} has no operationId`,
          "give it one: a binding names it",
          document,
          node,
        ),
      );
      continue;
    }
    const other = operations.get(id);
    if (other) {
      const message = `operationId "${id}" of ${at} is taken by ${methodAndPath(other)}`;
      diagnostics.push(
        finding("operation-id-duplicate", id, message, "give each operation its own", document, node),
      );
      continue;
    }
    operations.set(id, readOperation(document, id, method, path, item, node));
  }
  return { operations, diagnostics };
}

function* operationNodes(
  document: RestDocument,
): Generator<{ path: string; method: string; item: RestNode; node: RestNode }> {
  const paths = document.child(document.root, "paths");
  for (const path of keysOf(paths)) {
    const item = document.child(paths, path);
    for (const method of methods) {
      const node = document.child(item, method);
      if (item && node && isRecord(node.value)) yield { path, method, item, node };
    }
  }
}

const finding = (
  rule: "operation-id-missing" | "operation-id-duplicate",
  coordinate: string,
  message: string,
  hint: string,
  document: RestDocument,
  node: RestNode,
): Diagnostic => diagnosed({ rule, coordinate, message, hint, rest: document.place(node) });
