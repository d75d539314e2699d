/**
 * The OpenAPI documents of a spec. A node is a value in a document, with its file and its path. A `$ref` (an RFC 3986 URI
 * reference with an RFC 6901 JSON pointer as its fragment) is resolved on demand, because it may lead to another file or into a
 * cycle.
 */
import { hash } from "node:crypto";
import { posix } from "node:path";
import { isRecord, membersOf } from "../../shared/json-object.ts";
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

export type RestNode = NodeLocation & {
  readonly value: unknown;
  /** The value is a copy of a parent schema without its list of variants (see `#inheritedBase`). */
  readonly isBase?: true;
};

/** Reads a file of the spec folder; returns `undefined` if it does not exist. */
export type ReadFile = (name: string) => string | undefined;

export type ParseFile = typeof parseWithDuplicates;

/** The root node of a document. `removals`: the values that its overlay removed. */
export type RootNode = RestNode & NamedDocument & { readonly removals: readonly Removal[] };

export class RestDocument {
  /** The documents of the spec: one, or one per product. */
  readonly roots: readonly [RootNode, ...RootNode[]];
  /** Findings about overlay actions with a target that selects nothing. */
  readonly overlayFindings: Diagnostic[] = [];
  /** Cache of `shapeAt`, by schema, so that all references to a schema share one shape object. */
  readonly shapes = new WeakMap<object, unknown>();
  /** Set by `documentFaults` if no document has a fault: it then does not walk the documents again. */
  isSound = false;
  readonly versions = new Versions();
  readonly #read: ReadFile;
  readonly #parse: ParseFile;
  readonly #files = new Map<string, YamlFile | undefined>();
  /** Cache of `follow`, by the object with the first `$ref`. */
  readonly #ends = new WeakMap<object, RestNode | undefined>();
  readonly #plainEnds = new WeakMap<object, RestNode | undefined>();
  /** Cache of `$ref` targets, by file and reference: large documents have thousands of references to the same schemas. */
  readonly #targets = new Map<string, Map<string, RestNode | undefined>>();
  /** Cache of `#inheritedBase`, by the parent's location and the removed keywords. */
  readonly #bases = new Map<string, RestNode>();
  /** Cache of `#descendants`, by the parent's location and the keyword. */
  readonly #descendantsOf = new Map<string, ReadonlySet<string>>();

  /**
   * Reads the documents and their overlays. Throws `UnreadableSpec` if a file is not an OpenAPI 3.0, 3.1 or 3.2 document.
   */
  constructor(
    [first = singleDocumentFile, ...others]: readonly NamedDocument[],
    read: ReadFile,
    parse: ParseFile = parseWithDuplicates,
  ) {
    this.#read = read;
    this.#parse = parse;
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
    if (!file) throw unreadableSpec(name, "the file does not exist");
    this.versions.add(given, file.value);
    rejectDuplicates(file.duplicateKeys.filter(({ path }) => path.length === 1));
    return { ...given, path: [], value: file.value, removals };
  }

  get root(): RootNode {
    return this.roots[0];
  }

  /** Returns the document whose main file contains the node. Returns `undefined` for a node in a referenced file. */
  rootAt({ file }: Pick<RestNode, "file">): RootNode | undefined {
    return this.roots.find((root) => root.file === file);
  }

  /** Returns the overlay in which users can change the node, for advice in findings. */
  overlayAt(node: Pick<RestNode, "file">): string {
    return `spec/${(this.rootAt(node) ?? this.root).overlay}`;
  }

  /** The duplicate keys in the files read so far. */
  duplicateKeys(): DuplicateKey[] {
    return [...this.#files.values()].flatMap((file) => file?.duplicateKeys ?? []);
  }

  /** Returns the value at a location, without following `$ref`; `undefined` if there is no value. */
  valueAt({ file, path }: NodeLocation): unknown {
    return path.reduce(childValue, this.#file(file)?.value);
  }

  place(node: NodeLocation, ...below: NodePath): FileLocation {
    const file = this.#files.get(node.file);
    return file ? file.place([...node.path, ...below]) : { file: node.file, line: 1, column: 1 };
  }

  /** Returns the path of the innermost value at a line and column of the file; `undefined` if the file was not read. */
  pathAt({ file, ...location }: FileLocation): NodePath | undefined {
    return this.#files.get(file)?.pathAt(location);
  }

  /** Returns the member `key` of a node, or the target of the member's `$ref`; `undefined` if it does not exist. */
  child(node: RestNode | undefined, key: string | number): RestNode | undefined {
    const value = childValue(node?.value, key);
    return node && value !== undefined
      ? this.follow({ file: node.file, path: [...node.path, key], value })
      : undefined;
  }

  /** Follows `$ref`s to the first node without a `$ref`; returns `undefined` if a reference is unresolvable or cyclic. */
  follow(node: RestNode): RestNode | undefined {
    return this.#end(node, this.#ends, false);
  }

  /** Like `follow`, but in OpenAPI 3.1 and 3.2 stops at a further `$ref` with other keywords beside it, because these apply. */
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

  /** Returns the target (possibly itself a `$ref`) of the `$ref` in `from`; `undefined` if it does not exist. */
  refTarget(from: RestNode): RestNode | undefined {
    const target = this.#declaredTarget(from);
    return target && from.path.at(-2) === "allOf" ? this.#inheritedBase(from, target) : target;
  }

  /**
   * Resolves a variant's `allOf` reference to its parent schema. A parent with a `discriminator` often lists its variants in
   * `oneOf`; read literally, parent and variant would then include each other. The reference therefore resolves to a copy of the
   * parent without the `oneOf` and the `discriminator` (OpenAPI 3.1 §4.8.25).
   */
  #inheritedBase(from: RestNode, parent: RestNode): RestNode {
    if (!isRecord(parent.value) || !isRecord(parent.value.discriminator)) return parent;
    const variant = nodeKey({ file: from.file, path: from.path.slice(0, -2) });
    const listing = variantKeywords.filter((keyword) => this.#descendants(parent, keyword).has(variant));
    if (listing.length === 0) return parent;
    const key = `${nodeKey(parent)} ${listing}`;
    const leftOut: readonly string[] = [...listing, "discriminator"];
    const members = Object.entries(parent.value).filter(([name]) => !leftOut.includes(name));
    const base = this.#bases.get(key) ?? { ...parent, value: Object.fromEntries(members), isBase: true };
    this.#bases.set(key, base);
    return base;
  }

  /** Returns the locations of the schemas that `keyword` lists, and of all schemas that these include. */
  #descendants(parent: RestNode, keyword: string): ReadonlySet<string> {
    const key = `${nodeKey(parent)} ${keyword}`;
    const known = this.#descendantsOf.get(key);
    if (known) return known;
    const found = new Set<string>();
    this.#descendantsOf.set(key, found);
    const open = membersBelow(parent, keyword);
    for (let node = open.pop(); node; node = open.pop()) {
      const target = refOf(node.value) === undefined ? node : this.#declaredTarget(node);
      if (!target || target.value === parent.value || found.has(nodeKey(target))) continue;
      found.add(nodeKey(target));
      if (refOf(target.value) !== undefined) open.push(target);
      for (const inner of ["allOf", ...variantKeywords]) open.push(...membersBelow(target, inner));
    }
    return found;
  }

  #declaredTarget(from: RestNode): RestNode | undefined {
    const reference = refOf(from.value);
    if (reference === undefined) return undefined;
    const targets = this.#targets.get(from.file) ?? new Map<string, RestNode | undefined>();
    this.#targets.set(from.file, targets);
    if (!targets.has(reference)) targets.set(reference, this.#resolve(from, reference));
    return targets.get(reference);
  }

  #resolve(from: RestNode, reference: string): RestNode | undefined {
    const [path = "", fragment = ""] = reference.split("#");
    const relative = belowSelf(this.#files.get(from.file)?.value, path);
    const name = relative === "" ? from.file : posix.join(posix.dirname(from.file), decodePercent(relative));
    this.versions.refer(from.file, name);
    const steps = fragment.split("/").slice(1).map(unescapePointer);
    const value = this.valueAt({ file: name, path: steps });
    return value === undefined ? undefined : { file: name, path: steps, value };
  }

  #file(name: string): YamlFile | undefined {
    if (!this.#files.has(name)) {
      const text = /^(\.\.|\/|[a-z]+:)/.test(name) ? undefined : this.#read(name);
      this.#files.set(name, text === undefined ? undefined : this.#parse(name, text));
    }
    return this.#files.get(name);
  }
}

const variantKeywords = ["oneOf", "anyOf"] as const;

/** Returns the items of a keyword such as `oneOf` as nodes. */
function membersBelow({ file, path, value }: RestNode, keyword: string): RestNode[] {
  const members = own(membersOf(value), keyword);
  return Array.isArray(members)
    ? members.map((member, index) => ({ file, path: [...path, keyword, index], value: member }))
    : [];
}

/**
 * Converts a reference, without its fragment, to a path relative to `file`, or to an empty path for `file` itself. An absolute
 * URL is compared with `$self`, the file's own URI (OpenAPI 3.2, OpenAPI Object).
 */
function belowSelf(file: unknown, path: string): string {
  const { $self: self } = membersOf(file);
  if (typeof self !== "string" || path === "") return path;
  if (path === self.replace(/#.*/s, "")) return "";
  const base = URL.parse(self);
  const target = URL.parse(path);
  if (!base || !target || base.origin !== target.origin || base.search !== target.search) return path;
  return base.pathname === target.pathname
    ? ""
    : posix.relative(posix.dirname(base.pathname), target.pathname);
}

export const nodeKey = ({ file, path }: NodeLocation): string => `${file}#${path.map(shortStep).join("/")}`;

/**
 * Replaces a long step by its digest. V8 hashes a string of more than 16,383 characters by its length alone, so long keys of the
 * same length would all collide in a map.
 */
const shortStep = (step: string | number): string | number =>
  typeof step === "string" && step.length > 2_000 ? hash("sha256", step) : step;

/** Returns the keys of an object, or the indexes of a list; empty for any other value. */
export const keysOf = (node: RestNode | undefined): string[] =>
  typeof node?.value === "object" && node.value !== null ? Object.keys(node.value) : [];

/** Returns the entries of a list or object by key. Resolves their `$ref`s, and omits entries with a broken `$ref`. */
export function entriesByKey(document: RestDocument, node: RestNode | undefined): Map<string, RestNode> {
  const entries = keysOf(node).map((key) => [key, document.child(node, key)] as const);
  return new Map(entries.flatMap(([key, entry]) => (entry ? [[key, entry] as const] : [])));
}

export const entriesOf = (document: RestDocument, node: RestNode | undefined): RestNode[] => [
  ...entriesByKey(document, node).values(),
];

export const refOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.$ref === "string" ? value.$ref : undefined;

/** Whether a node has keywords beside its `$ref`, other than `summary` and `description`. */
export const hasRefSiblings = ({ value }: RestNode): boolean =>
  refOf(value) !== undefined &&
  Object.keys(value as object).some((key) => key !== "$ref" && key !== "description" && key !== "summary");

export function childValue(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) ? own(value, key) : undefined;
}
