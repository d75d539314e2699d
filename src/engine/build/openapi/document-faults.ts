/**
 * Finds faults in the document itself: `$ref`s that cannot be resolved or form a cycle, and duplicate keys. A fault is an error
 * if a bound operation refers to that part of the document. All other faults, such as a duplicate `operationId` of an unbound
 * operation, become one warning.
 */
import { createDiagnostic, type Diagnostic, type FileLocation, type Rule } from "../diagnostic.ts";
import { type RestDocument, type RestNode, refOf } from "./document.ts";
import { methodAndPath, type RestOperation } from "./operation.ts";
import { operationNodes, shadowedOperations } from "./operation-nodes.ts";
import { mappingsOf, reachedNodes } from "./reached-nodes.ts";
import { SchemaCycles } from "./shapes/schema-cycles.ts";
import { mappedSchema } from "./shapes/variants.ts";
import { type DuplicateKey, duplicateKeyMessage } from "./yaml-file.ts";

/** Walks everything that bound operations refer to (faults there are errors), then the rest of the documents. */
export function documentFaults(
  document: RestDocument,
  bound: Iterable<RestOperation>,
  /** Operations with a duplicate `operationId` that a GraphQL field uses. These are already reported as errors. */
  misnamed: Iterable<RestOperation> = [],
): Diagnostic[] {
  const unused = [...shadowedFaults(document), ...idFaults(document, [...bound, ...misnamed])];
  if (document.isSound) return unreached(document, unused);
  const { walk, errors, others } = reachedBy(document, bound);
  const elsewhere = [...walk.from(document.roots), ...others()];
  document.isSound = errors.length + elsewhere.length === 0;
  const faults = elsewhere.map(({ rule, message, rest }) => ({
    kind: kinds[rule] ?? rule,
    message,
    place: () => rest,
  }));
  return [...errors, ...unreached(document, [...faults, ...unused])];
}

/** Returns only the errors. This is fast, because bound operations usually refer to a small part of a large document. */
export const reachableFaults = (document: RestDocument, bound: Iterable<RestOperation>): Diagnostic[] =>
  document.isSound ? [] : reachedBy(document, bound).errors;

/**
 * Finds the faults in everything that bound operations refer to. `others` returns the remaining duplicate keys in the files read
 * so far: call it only after walking all documents.
 */
function reachedBy(document: RestDocument, bound: Iterable<RestOperation>) {
  const walk = new FaultWalk(document);
  const reached = walk.from([...bound].flatMap((operation) => partsOf(document, operation)));
  const nodes = [...walk.visited.values()];
  const isReached = (key: DuplicateKey): boolean =>
    nodes.some((node) => isWithin(key, node) || isBeside(key, node));
  const errors = [...reached, ...document.duplicateKeys().filter(isReached).map(duplicate)];
  const others = (): Diagnostic[] =>
    document
      .duplicateKeys()
      .filter((key) => !isReached(key))
      .map(duplicate);
  return { walk, errors, others };
}

class FaultWalk {
  /** The visited nodes. The key is the node's value, because several `$ref`s may lead to the same value. */
  readonly visited = new Map<unknown, RestNode>();
  readonly #document: RestDocument;
  readonly #cycles: SchemaCycles;

  constructor(document: RestDocument) {
    this.#document = document;
    this.#cycles = new SchemaCycles(document);
  }

  /** Returns the faults in all nodes that are reachable from `starts` and were not visited before. */
  from(starts: readonly RestNode[]): Diagnostic[] {
    const document = this.#document;
    const diagnostics: Diagnostic[] = [];
    const cyclesBefore = this.#cycles.found.length;
    for (const node of reachedNodes(document, starts, this.visited)) {
      const reference = refOf(node.value);
      if (reference !== undefined && !document.refTarget(node))
        diagnostics.push(unresolved(document, node, reference));
      this.#cycles.visit(node);
      diagnostics.push(...unresolvedMapping(document, node));
    }
    return [...diagnostics, ...this.#cycles.found.slice(cyclesBefore)];
  }
}

const unresolvedMapping = (document: RestDocument, node: RestNode): Diagnostic[] =>
  mappingsOf(node).flatMap(({ below, reference }) => {
    if (mappedSchema(document, node, reference)) return [];
    const at = { ...node, path: [...node.path, "discriminator", ...below], value: reference };
    return [{ ...unresolved(document, at, reference), rest: document.place(at) }];
  });

const unresolved = (document: RestDocument, node: RestNode, reference: string): Diagnostic =>
  createDiagnostic({
    rule: "ref-unresolved",
    coordinate: reference,
    message: `$ref "${reference}" cannot be resolved`,
    hint: `fix the reference, or define its target, here or in ${document.overlayAt(node)}`,
    rest: document.place(node, "$ref"),
    nodes: [node],
  });

const duplicate = (key: DuplicateKey): Diagnostic =>
  createDiagnostic({
    rule: "spec-unreadable",
    coordinate: key.file,
    message: `${key.file}: ${duplicateKeyMessage(key)}`,
    hint: "remove one of the two",
    rest: key.place,
  });

/** Whether the node is the value of the duplicate key, or below it. */
const isWithin = ({ file, path }: DuplicateKey, node: RestNode): boolean =>
  file === node.file && path.every((step, index) => String(node.path[index]) === String(step));

/** Whether the node is the object that contains the duplicate key. */
const isBeside = ({ file, path }: DuplicateKey, node: RestNode): boolean =>
  file === node.file &&
  node.path.length === path.length - 1 &&
  node.path.every((step, index) => String(path[index]) === String(step));

/** A fault outside the parts that bound operations refer to. */
type Fault = {
  readonly kind: string;
  readonly message: string;
  readonly place: () => FileLocation | undefined;
};

/** Finds duplicate `operationId`s of unbound operations, which are not errors, because no GraphQL field uses them. */
function idFaults(document: RestDocument, bound: Iterable<RestOperation>): Fault[] {
  const reached = new Set([...bound].map(({ node }) => node.value));
  const all = [...operationNodes(document)];
  const sharing = Map.groupBy(all, ({ ownId }) => ownId);
  return all.flatMap((operation): Fault[] => {
    const { ownId, node } = operation;
    const isShared = ownId !== undefined && (sharing.get(ownId)?.length ?? 0) > 1;
    if (reached.has(node.value) || !isShared) return [];
    return [
      {
        kind: "an operationId that several operations share",
        message: `the operationId "${ownId}" of ${methodAndPath(operation)} is that of another operation too`,
        place: () => document.place(node, "operationId"),
      },
    ];
  });
}

function shadowedFaults(document: RestDocument): Fault[] {
  return [...shadowedOperations(document)].map((operation) => ({
    kind: "an additional operation whose method has a field",
    message: `${methodAndPath(operation)} is the field "${operation.method}" of its path and one of additionalOperations, which is ignored`,
    place: () => document.place(operation.node),
  }));
}

/** Returns one warning, which counts all the faults and points at the first. */
function unreached(document: RestDocument, faults: readonly Fault[]): Diagnostic[] {
  const [first] = faults;
  const place = first?.place();
  if (!first || !place) return [];
  const counts = [...Map.groupBy(faults, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${length} × ${kind}`,
  );
  return [
    createDiagnostic({
      rule: "document-faulty",
      coordinate: place.file,
      message: `${faults.length} fault${faults.length === 1 ? "" : "s"} in parts of the document that no field reaches: ${counts.join(", ")}. Here: ${first.message}`,
      hint: `fix it here or in ${document.overlayAt(place)}, or approve it`,
      rest: place,
      facts: [],
    }),
  ];
}

const kinds: Partial<Record<Rule, string>> = {
  "ref-unresolved": "an unresolvable $ref",
  "ref-circular": "a schema that includes itself",
  "spec-unreadable": "a duplicate key",
};

/** Returns the nodes of the operation and of its path item's `parameters`. */
const partsOf = (document: RestDocument, { node, item }: RestOperation): RestNode[] =>
  [node, document.child(item, "parameters")].filter((part) => part !== undefined);
