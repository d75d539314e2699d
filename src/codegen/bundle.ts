/**
 * Bundles the files of the OpenAPI document into one for openapi-typescript, with Redocly's bundler. The bundler reads
 * the loaded files, and resolves references as `RestDocument` does: percent-encoded (RFC 3986), and with bare schema
 * names in a discriminator's mapping (OpenAPI 3.1 §4.8.25).
 */
import { posix } from "node:path";
import { BaseResolver, bundle, createConfig, type Document, Source } from "@redocly/openapi-core";
import { decodePercent, isRecord, type RestDocument } from "../openapi/document.ts";
import { mappedReference } from "../openapi/variants.ts";

/** The bundler sees all files in this folder, so that no path of the machine gets into the output. */
const folder = "/spec/";

/** `root` replaces the document's root file. */
export async function bundled(
  document: RestDocument,
  root: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const resolver = new LoadedFiles(document, root);
  const config = await createConfig({});
  const found = await bundle({ ref: folder + document.root.file, config, externalRefResolver: resolver });
  const problem = found.problems.find(({ severity }) => severity === "error");
  if (problem) throw new Error(`${problem.message} at ${problem.location[0]?.pointer}`);
  return found.bundle.parsed;
}

class LoadedFiles extends BaseResolver {
  readonly #document: RestDocument;
  readonly #root: unknown;
  readonly #files = new Map<string, Promise<Document>>();

  constructor(document: RestDocument, root: unknown) {
    super();
    this.#document = document;
    this.#root = root;
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
