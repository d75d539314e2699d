/**
 * The OpenAPI document as nodes: a value, the file it stands in and its path there. `$ref`s (RFC 3986 references with
 * a JSON pointer, RFC 6901) resolve lazily, into other files too, and survive cycles.
 */
import { posix } from "node:path";
import { type Place, unreadable } from "./diagnostic.ts";
import { type Path, parseYamlFile, type YamlFile } from "./yaml-file.ts";

export type RestNode = { readonly file: string; readonly path: Path; readonly value: unknown };

/** Reads a file by its name below the spec folder; `undefined` if there is none. */
export type ReadFile = (name: string) => string | undefined;

export class RestDocument {
  readonly root: RestNode;
  /** What `shapeAt` made of each schema, so that a shape is one object however often it is met. */
  readonly shapes = new WeakMap<object, unknown>();
  readonly #read: ReadFile;
  readonly #files = new Map<string, YamlFile | undefined>();

  /** Throws `SpecUnreadable` when the file is no OpenAPI 3 document. */
  constructor(name: string, read: ReadFile) {
    this.#read = read;
    const file = this.#file(name);
    if (!file) throw unreadable(name, "there is no such file");
    const { openapi, swagger } = isRecord(file.value) ? file.value : {};
    if (swagger !== undefined) throw unreadable(name, `is Swagger ${swagger}: OpenAPI 3.0 or 3.1 is needed`);
    if (typeof openapi !== "string" || !/^3\.[01]\./.test(`${openapi}.`)) {
      throw unreadable(name, "is not an OpenAPI 3.0 or 3.1 document");
    }
    this.root = { file: name, path: [], value: file.value };
  }

  /** The content of a file by its name below the spec folder; `undefined` if there is none. */
  file(name: string): unknown {
    return this.#file(name)?.value;
  }

  place(node: RestNode, ...below: Path): Place {
    const file = this.#files.get(node.file);
    return file ? file.place([...node.path, ...below]) : { file: node.file, line: 1, column: 1 };
  }

  /** The member `key`, with a `$ref` in it followed; `undefined` if there is none, or no node that could hold it. */
  child(node: RestNode | undefined, key: string | number): RestNode | undefined {
    const value = childValue(node?.value, key);
    return node && value !== undefined
      ? this.follow({ file: node.file, path: [...node.path, key], value })
      : undefined;
  }

  /** Follows `$ref` until there is none. A reference to nothing, or one that only leads to itself, is `undefined`. */
  follow(node: RestNode): RestNode | undefined {
    let current: RestNode | undefined = node;
    for (let hops = 0; current && hops < 50; hops++) {
      if (refOf(current.value) === undefined) return current;
      current = this.target(current);
    }
    return undefined;
  }

  /** What the `$ref` of this very node names, be it another `$ref`; `undefined` if there is no such thing. */
  target(from: RestNode): RestNode | undefined {
    const reference = refOf(from.value);
    if (reference === undefined) return undefined;
    const [path = "", fragment = ""] = reference.split("#");
    const name = path === "" ? from.file : posix.join(posix.dirname(from.file), decode(path));
    let value = this.file(name);
    const steps = fragment.split("/").slice(1).map(unescapePointer);
    for (const step of steps) value = childValue(value, step);
    return value === undefined ? undefined : { file: name, path: steps, value };
  }

  #file(name: string): YamlFile | undefined {
    if (!this.#files.has(name)) {
      const text = /^(\.\.|\/|[a-z]+:)/.test(name) ? undefined : this.#read(name);
      this.#files.set(name, text === undefined ? undefined : parseYamlFile(name, text));
    }
    return this.#files.get(name);
  }
}

/** Names a node within its document. */
export const nodeKey = ({ file, path }: RestNode): string => `${file}#${path.join("/")}`;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const refOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.$ref === "string" ? value.$ref : undefined;

function childValue(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

const unescapePointer = (step: string): string => decode(step).replaceAll("~1", "/").replaceAll("~0", "~");

/** A part of a reference without its percent-encoding (RFC 3986 §2.1). */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
