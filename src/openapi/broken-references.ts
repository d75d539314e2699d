/** Finds every `$ref` that points at nothing or closes a cycle, before the schema is bound. */

import { type Diagnostic, diagnosed } from "../diagnostic.ts";
import { isRecord, type RestDocument, type RestNode, refOf } from "./document.ts";
import { SchemaCycles } from "./schema-cycles.ts";
import { mappedSchema } from "./variants.ts";

/** Keywords whose value is data. A `$ref` inside data is not a reference. */
const literalKeywords = new Set(["example", "examples", "default", "enum", "const"]);

/** Walks the root file and every file that it refers to. */
export function brokenReferences(document: RestDocument): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const visited = new Set<unknown>();
  const circles = new SchemaCycles(document);
  const waiting: RestNode[] = [document.root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (typeof node.value !== "object" || node.value === null || visited.has(node.value)) continue;
    visited.add(node.value);
    const reference = refOf(node.value);
    if (reference !== undefined) {
      const target = document.refTarget(node);
      if (target) waiting.push(target);
      else diagnostics.push(unresolved(document, node, reference));
    }
    circles.visit(node);
    diagnostics.push(...unresolvedMapping(document, node));
    for (const [key, value] of Object.entries(node.value)) {
      const literal = literalKeywords.has(key) && node.path.at(-1) !== "properties";
      if (!literal) waiting.push({ file: node.file, path: [...node.path, key], value });
    }
  }
  return [...diagnostics, ...circles.found];
}

/** A discriminator's mapping names schemas by reference or by bare name (OpenAPI 3.1 §4.8.25). */
function unresolvedMapping(document: RestDocument, node: RestNode): Diagnostic[] {
  const discriminator = isRecord(node.value) ? node.value.discriminator : undefined;
  const mapping = isRecord(discriminator) && isRecord(discriminator.mapping) ? discriminator.mapping : {};
  return Object.entries(mapping).flatMap(([value, reference]) => {
    if (typeof reference !== "string" || mappedSchema(document, node, reference)) return [];
    const at = { ...node, path: [...node.path, "discriminator", "mapping", value], value: reference };
    return [{ ...unresolved(document, at, reference), rest: document.place(at) }];
  });
}

const unresolved = (document: RestDocument, node: RestNode, reference: string): Diagnostic =>
  diagnosed({
    rule: "ref-unresolved",
    coordinate: reference,
    message: `$ref "${reference}" points at nothing`,
    hint: "mend the reference, or write what it names",
    rest: document.place(node, "$ref"),
  });
