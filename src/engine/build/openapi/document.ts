/**
 * The OpenAPI document as nodes. A node is a value with its file and its path in that file. A `$ref` (an RFC 3986
 * reference with an RFC 6901 JSON pointer) is resolved on demand; it may lead to another file or into a cycle.
 */
import { hash } from "node:crypto";
import { posix } from "node:path";
import { isRecord } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import {
  type Diagnostic,
  type FileLocation,
  type NodeLocation,
  type NodePath,
  unreadableSpec,
} from "../diagnostic.ts";
import { type NamedDocument, singleDocumentFile } from "./document-files.ts";
import { Versions } from "./document-version.ts";
import { decodePercent, unescapePointer } from "./json-pointer.ts";
import { type Removal, withOverlay } from "./overlays/overlay.ts";
import { type DuplicateKey, parseWithDuplicates, rejectDuplicates, type YamlFile } from "./yaml-file.ts";

export type RestNode = NodeLocation & { readonly value: unknown };

/** Reads a file by its name below the spec folder; `undefined` if the file does not exist. */
export type ReadFile = (name: string) => string | undefined;

/**
 * A document's own node, with the names of its file, of its overlay and, if there are several, of the document.
 * `removals`: what the overlay took out.
 */
export type RootNode = RestNode & NamedDocument & { readonly removals: readonly Removal[] };

export class RestDocument {
  /** Each document of the spec. There are several if products own theirs. */
  readonly roots: readonly [RootNode, ...RootNode[]];
  /** The actions of the overlays that select nothing. */
  readonly overlayFindings: Diagnostic[] = [];
  /** The cache of `shapeAt`: schema → shape. Two references to one schema get the same shape object. */
  readonly shapes = new WeakMap<object, unknown>();
  /** Whether `documentFaults` has walked the whole document and found no fault. Every later walk would find none. */
  isSound = false;
  readonly versions = new Versions();
  readonly #read: ReadFile;
  readonly #files = new Map<string, YamlFile | undefined>();
  /** The object with a `$ref` → the end of its chain: a chain is followed once for all of its members. */
  readonly #ends = new WeakMap<object, RestNode | undefined>();
  readonly #plainEnds = new WeakMap<object, RestNode | undefined>();
  /** By file and reference: a large document has tens of thousands of references to a few hundred schemas. */
  readonly #targets = new Map<string, Map<string, RestNode | undefined>>();

  /**
   * Reads the documents, and the overlay of each if there is one.
   * Throws `UnreadableSpec` if a file is not an OpenAPI 3.0 or 3.1 document.
   */
  constructor([first = singleDocumentFile, ...others]: readonly NamedDocument[], read: ReadFile) {
    this.#read = read;
    this.roots = [this.#open(first), ...others.map((each) => this.#open(each))];
  }

  #open(given: NamedDocument): RootNode {
    const { file: name } = given;
    const own = this.#file(name);
    const overlay = this.#file(given.overlay);
    const { file, removals, unused } =
      own && overlay ? withOverlay(own, overlay) : { file: own, removals: [], unused: [] };
    this.overlayFindings.push(...unused);
    this.#files.set(name, file);
    if (!file) throw unreadableSpec(name, "there is no such file");
    this.versions.add(given, file.value);
    rejectDuplicates(file.duplicateKeys.filter(({ path }) => path.length === 1));
    return { ...given, path: [], value: file.value, removals };
  }

  /** The first document: the only one, unless products own theirs. */
  get root(): RootNode {
    return this.roots[0];
  }

  /** The document whose file the node stands in; `undefined` for a node of a part that documents refer to. */
  rootAt({ file }: Pick<RestNode, "file">): RootNode | undefined {
    return this.roots.find((root) => root.file === file);
  }

  /** The overlay that may change the node, as findings name it. */
  overlayAt(node: Pick<RestNode, "file">): string {
    return `spec/${(this.rootAt(node) ?? this.root).overlay}`;
  }

  /** Of the files that were read so far. */
  duplicateKeys(): DuplicateKey[] {
    return [...this.#files.values()].flatMap((file) => file?.duplicateKeys ?? []);
  }

  /** The value at a place; `undefined` if there is none. No `$ref` is followed. */
  valueAt({ file, path }: NodeLocation): unknown {
    return path.reduce(childValue, this.#file(file)?.value);
  }

  place(node: NodeLocation, ...below: NodePath): FileLocation {
    const file = this.#files.get(node.file);
    return file ? file.place([...node.path, ...below]) : { file: node.file, line: 1, column: 1 };
  }

  /** The member `key` of a node, its `$ref` followed; `undefined` if the node is absent or has no such member. */
  child(node: RestNode | undefined, key: string | number): RestNode | undefined {
    const value = childValue(node?.value, key);
    return node && value !== undefined
      ? this.follow({ file: node.file, path: [...node.path, key], value })
      : undefined;
  }

  /** Follows `$ref`s to the first node without one; `undefined` for references to nothing or in a circle. */
  follow(node: RestNode): RestNode | undefined {
    return this.#end(node, this.#ends, false);
  }

  /** Like `follow`, but a reference on the way that has statements beside it is an end, too: its statements count. */
  followPlain(node: RestNode): RestNode | undefined {
    return this.versions.readsBesideRef(node.file)
      ? this.#end(node, this.#plainEnds, true)
      : this.follow(node);
  }

  #end(node: RestNode, ends: WeakMap<object, RestNode | undefined>, isPlain: boolean): RestNode | undefined {
    const passed = new Set<object>();
    let end: RestNode | undefined = node;
    while (end && refOf(end.value) !== undefined && !(isPlain && passed.size > 0 && hasRefSiblings(end))) {
      const holder = end.value as object;
      if (ends.has(holder) || passed.has(holder)) {
        end = ends.get(holder);
        break;
      }
      passed.add(holder);
      end = this.refTarget(end);
    }
    for (const holder of passed) ends.set(holder, end);
    return end;
  }

  /** The node that the `$ref` of `from` names, which may be another `$ref`; `undefined` if there is no such node. */
  refTarget(from: RestNode): RestNode | undefined {
    const reference = refOf(from.value);
    if (reference === undefined) return undefined;
    const targets = this.#targets.get(from.file) ?? new Map<string, RestNode | undefined>();
    this.#targets.set(from.file, targets);
    if (!targets.has(reference)) targets.set(reference, this.#resolve(from, reference));
    return targets.get(reference);
  }

  #resolve(from: RestNode, reference: string): RestNode | undefined {
    const [path = "", fragment = ""] = reference.split("#");
    const name = path === "" ? from.file : posix.join(posix.dirname(from.file), decodePercent(path));
    this.versions.refer(from.file, name);
    const steps = fragment.split("/").slice(1).map(unescapePointer);
    const value = this.valueAt({ file: name, path: steps });
    return value === undefined ? undefined : { file: name, path: steps, value };
  }

  #file(name: string): YamlFile | undefined {
    if (!this.#files.has(name)) {
      const text = /^(\.\.|\/|[a-z]+:)/.test(name) ? undefined : this.#read(name);
      this.#files.set(name, text === undefined ? undefined : parseWithDuplicates(name, text));
    }
    return this.#files.get(name);
  }
}

/** Identifies a node within its document. */
export const nodeKey = ({ file, path }: NodeLocation): string => `${file}#${path.map(shortStep).join("/")}`;

/**
 * A long step is named by its digest: V8 hashes a text of more than 16,383 characters by its length alone, so thousands of
 * keys below a long path would be compared with each other.
 */
const shortStep = (step: string | number): string | number =>
  typeof step === "string" && step.length > 2_000 ? hash("sha256", step) : step;

/** The keys of an object, or the indexes of a list; none for any other value. */
export const keysOf = (node: RestNode | undefined): string[] =>
  typeof node?.value === "object" && node.value !== null ? Object.keys(node.value) : [];

/** The entries of a list or a map by their keys, their `$ref`s followed. An entry with a broken `$ref` is left out. */
export function entriesByKey(document: RestDocument, node: RestNode | undefined): Map<string, RestNode> {
  const entries = keysOf(node).map((key) => [key, document.child(node, key)] as const);
  return new Map(entries.flatMap(([key, entry]) => (entry ? [[key, entry] as const] : [])));
}

export const entriesOf = (document: RestDocument, node: RestNode | undefined): RestNode[] => [
  ...entriesByKey(document, node).values(),
];

export const refOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.$ref === "string" ? value.$ref : undefined;

/** Whether a node has statements beside its `$ref`. */
export const hasRefSiblings = ({ value }: RestNode): boolean =>
  refOf(value) !== undefined &&
  Object.keys(value as object).some((key) => key !== "$ref" && key !== "description" && key !== "summary");

/** The member of an object, or the item of a list. */
export function childValue(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) ? own(value, key) : undefined;
}
