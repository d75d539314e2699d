/**
 * The document as one, for openapi-typescript: Redocly's bundle, over the files as the loader read and understood them
 * (RFC 3986 references are percent-encoded, a discriminator's mapping may name a schema; OpenAPI 3.1 §4.8.25).
 */
import { posix } from "node:path";
import { BaseResolver, bundle, createConfig, type Document, Source } from "@redocly/openapi-core";
import { decode, isRecord, type RestDocument } from "../spec/rest-document.ts";
import { mappedReference } from "../spec/variants.ts";

/** As if all files lay here, so that nothing of the machine gets in. */
const folder = "/spec/";

export async function bundled(document: RestDocument): Promise<Record<string, unknown>> {
  const resolver = new LoadedFiles(document);
  const config = await createConfig({});
  const found = await bundle({ ref: folder + document.root.file, config, externalRefResolver: resolver });
  const problem = found.problems.find(({ severity }) => severity === "error");
  if (problem) throw new Error(`${problem.message} at ${problem.location[0]?.pointer}`);
  return found.bundle.parsed;
}

class LoadedFiles extends BaseResolver {
  readonly #document: RestDocument;
  readonly #files = new Map<string, Promise<Document>>();

  constructor(document: RestDocument) {
    super();
    this.#document = document;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return posix.join(base === null ? "/" : posix.dirname(base), decode(reference));
  }

  override resolveDocument(base: string | null, reference: string): Promise<Document> {
    const absoluteRef = this.resolveExternalRef(base, reference);
    const known = this.#files.get(absoluteRef) ?? this.#load(absoluteRef);
    this.#files.set(absoluteRef, known);
    return known;
  }

  async #load(absoluteRef: string): Promise<Document> {
    const value = this.#document.file(absoluteRef.slice(folder.length));
    return { source: new Source(absoluteRef, ""), parsed: copy(value) };
  }
}

/** What the bundle writes into must not be the model's. YAML aliases stay one object. */
function copy(value: unknown): unknown {
  const copied = structuredClone(value);
  pointMappings(copied, new Set());
  return copied;
}

function pointMappings(value: unknown, seen: Set<unknown>): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (key === "discriminator" && isRecord(member) && isRecord(member.mapping))
      for (const [name, to] of Object.entries(member.mapping))
        if (typeof to === "string") member.mapping[name] = mappedReference(to);
    pointMappings(member, seen);
  }
}
