/**
 * Bundles the parts of the OpenAPI document that bound operations reach into one document for openapi-typescript, with
 * Redocly's bundler. The bundler reads the loaded files, and resolves references as `RestDocument` does: percent-encoded
 * (RFC 3986), and with bare schema names in a discriminator's mapping (OpenAPI 3.1 §4.8.25).
 */
import { posix } from "node:path";
import { BaseResolver, bundle, createConfig, type Document, Source } from "@redocly/openapi-core";
import { decodePercent, type RestDocument, type RestNode, refOf } from "../../openapi/document.ts";
import type { RestOperation } from "../../openapi/operation.ts";
import { mappingsOf, partsOf, reachedNodes } from "../../openapi/reach.ts";
import { mappedReference } from "../../openapi/shapes/variants.ts";
import { isRecord, membersOf } from "../../standards/json-object.ts";
import { type DeepReferences, deepReferences } from "./deep-references.ts";
import { guarded, guardedReference } from "./inherited-names.ts";

/** The bundler sees all files in this folder, so that no path of the machine gets into the output. */
const folder = "/spec/";

/** `names`: the paths that have another name in the bundle. */
export async function bundled(
  document: RestDocument,
  operations: readonly RestOperation[],
  names: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  const { root, references, isOneFile } = reachedRoot(document, operations, names);
  if (isOneFile) return copy(root, references) as Record<string, unknown>;
  const resolver = new LoadedFiles(document, root, references);
  const config = await createConfig({});
  const found = await bundle({ ref: folder + document.root.file, config, externalRefResolver: resolver });
  const problem = found.problems.find(({ severity }) => severity === "error");
  if (problem) throw new Error(`${problem.message} at ${problem.location[0]?.pointer}`);
  return found.bundle.parsed;
}

/** The root file without the operations that are not bound, and without the components that the others do not reach. */
function reachedRoot(
  document: RestDocument,
  operations: readonly RestOperation[],
  names: ReadonlyMap<string, string>,
): {
  root: Record<string, unknown>;
  references: DeepReferences["references"];
  /** Whether the root file has all: there is nothing to bundle. */
  isOneFile: boolean;
} {
  const { openapi, info, paths, components } = document.root.value as Record<string, unknown>;
  const visited = new Map<unknown, RestNode>();
  const items = Map.groupBy(operations, ({ path }) => path);
  const starts = operations.flatMap((operation) =>
    refOf((paths as Record<string, unknown>)[operation.path]) === undefined
      ? partsOf(document, operation)
      : [operation.item],
  );
  for (const _ of reachedNodes(document, starts, visited));
  const deep = deepReferences(document, visited.values());
  const groups = membersOf(components);
  const kept = [...new Set([...Object.keys(groups), ...deep.components.keys()])].map((kind) => {
    const members = Object.entries(membersOf(groups[kind]));
    const reached = members.filter(([, member]) => visited.has(member));
    return [kind, Object.fromEntries([...reached, ...(deep.components.get(kind) ?? [])])] as const;
  });
  const root = {
    openapi,
    info,
    paths: Object.fromEntries(
      [...items].map(([path, bound]) => [names.get(path) ?? path, boundItem(document, path, bound)]),
    ),
    components: Object.fromEntries(kept),
  };
  const isOneFile = [...visited.values()].flatMap(referencesOf).every((each) => each.startsWith("#"));
  return { root, references: deep.references, isOneFile };
}

const referencesOf = (node: RestNode): string[] => [
  refOf(node.value) ?? "#",
  ...mappingsOf(node).map(({ reference }) => mappedReference(reference)),
];

/** A path with its bound operations alone. An operation that shares its `operationId` goes without. */
function boundItem({ root }: RestDocument, path: string, bound: readonly RestOperation[]): unknown {
  const written = (root.value as { paths: Record<string, unknown> }).paths[path];
  if (refOf(written) !== undefined) return written;
  const methods = bound.map(({ id, method, node }) => {
    const { security: _, operationId, ...operation } = node.value as Record<string, unknown>;
    return [method, operationId === id ? { operationId, ...operation } : operation] as const;
  });
  const { parameters } = written as Record<string, unknown>;
  return { ...(parameters !== undefined && { parameters }), ...Object.fromEntries(methods) };
}

class LoadedFiles extends BaseResolver {
  readonly #document: RestDocument;
  readonly #root: unknown;
  readonly #references: DeepReferences["references"];
  readonly #files = new Map<string, Promise<Document>>();

  /** `root` stands for the root file. */
  constructor(document: RestDocument, root: unknown, references: DeepReferences["references"]) {
    super();
    this.#document = document;
    this.#root = root;
    this.#references = references;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return posix.join(base === null ? "/" : posix.dirname(base), decodePercent(reference));
  }

  override resolveDocument(base: string | null, reference: string): Promise<Document> {
    const absoluteRef = this.resolveExternalRef(base, reference);
    const known = this.#files.get(absoluteRef) ?? this.#load(absoluteRef);
    this.#files.set(absoluteRef, known);
    return known;
  }

  async #load(absoluteRef: string): Promise<Document> {
    const name = absoluteRef.slice(folder.length);
    const value = name === this.#document.root.file ? this.#root : this.#document.file(name);
    return { source: new Source(absoluteRef, ""), parsed: copy(value, this.#references) };
  }
}

/**
 * What the bundle writes into must not be the model's. YAML aliases stay one object. A map of examples is left out: no
 * type is made of it. `at`: the key of the value; below `properties` keys are the API's own.
 */
function copy(
  value: unknown,
  references: DeepReferences["references"],
  copies = new Map<unknown, unknown>(),
  at?: string,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const made: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
  copies.set(value, made);
  if (Array.isArray(made)) made.push(...(value as unknown[]).map((item) => copy(item, references, copies)));
  else
    for (const [key, member] of Object.entries(value)) {
      if (key === "examples" && isRecord(member) && at !== "properties") continue;
      const own = key === "$ref" ? (references.get(value) ?? member) : member;
      made[guarded(key)] = copyMember(key, own, references, copies);
    }
  return made;
}

/** The member of an object. Names of schemas and of properties are guarded, also where they are values. */
function copyMember(
  key: string,
  member: unknown,
  references: DeepReferences["references"],
  copies: Map<unknown, unknown>,
): unknown {
  if (key === "$ref" && typeof member === "string") return guardedReference(member);
  if (key === "required" && Array.isArray(member)) return member.map((name) => guarded(String(name)));
  if (key === "examples" && isExamples(member)) return {};
  if (key !== "discriminator" || !isRecord(member) || typeof member.propertyName !== "string")
    return copy(member, references, copies, key);
  const { propertyName, mapping } = member;
  const pointed = Object.entries(membersOf(mapping)).map(([value, to]) => [
    guarded(value),
    typeof to === "string" ? guardedReference(mappedReference(to)) : to,
  ]);
  return {
    ...member,
    propertyName: guarded(propertyName),
    ...(isRecord(mapping) && { mapping: Object.fromEntries(pointed) }),
  };
}

/**
 * Whether a member holds the examples of a media type or a parameter (OpenAPI 3.1 §4.8.19). The bundle leaves them out:
 * types do not need them, and they may be most of a document.
 */
const isExamples = (member: unknown): boolean =>
  isRecord(member) &&
  Object.values(member).every(
    (each) => isRecord(each) && Object.keys(each).some((key) => exampleKeys.has(key)),
  );

const exampleKeys = new Set(["$ref", "value", "externalValue", "summary"]);
