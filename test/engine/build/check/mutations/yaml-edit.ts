/** Single edits of a YAML text by path. The rest of the text stays the same, byte for byte. */
import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

export type Path = readonly (string | number)[];

/** The new text, the edited lines in the new text and those in the old text, both from 1. */
export type Edit = {
  readonly text: string;
  readonly lines: readonly number[];
  readonly was: readonly number[];
};

export class YamlEdit {
  readonly #text: string;
  readonly #root: Node;

  constructor(text: string) {
    this.#text = text;
    this.#root = parseDocument(text).contents as Node;
  }

  value(path: Path): unknown {
    return (this.#node(path) as Node | undefined)?.toJSON();
  }

  /** The lines of a removed key's ancestors, nearest first. */
  holders(path: Path): number[] {
    return path.map((_, depth) => this.#lineAt(this.#start(path.slice(0, depth)))).reverse();
  }

  columnOf(path: Path): number {
    const start = this.#start(path);
    return start - this.#text.lastIndexOf("\n", start - 1) - 1;
  }

  replace(path: Path, text: string): Edit {
    const [from, to] = rangeOf(this.#node(path) as Node);
    const end = from + this.#text.slice(from, to).trimEnd().length;
    return this.#splice(from, end, text, this.#start(path));
  }

  /** The line of a key, or of a list's item. */
  lineOf(path: Path): number {
    return this.#lineAt(this.#start(path));
  }

  rename(path: Path, name: string): Edit {
    const key = this.#pair(path).key as Node;
    const [from, to] = rangeOf(key);
    return this.#splice(from, to, name, from);
  }

  remove(path: Path): Edit {
    const parent = this.#node(path.slice(0, -1));
    const node = isMap(parent) ? (this.#pair(path).key as Node) : (this.#node(path) as Node);
    const value = this.#node(path) as Node;
    const start = rangeOf(node)[0];
    const edit = (parent as YAMLMap | YAMLSeq).flow
      ? this.#cutFlow(start, rangeOf(value)[1])
      : this.#cutBlock(start, value);
    return { ...edit, lines: this.holders(path) };
  }

  /** Adds `key: value` to a map, or an item to a list, in front. */
  add(path: Path, text: string): Edit {
    const node = this.#node(path) as YAMLMap | YAMLSeq;
    const [from] = rangeOf(node);
    if (node.flow)
      return this.#splice(from + 1, from + 1, node.items.length > 0 ? ` ${text},` : ` ${text} `, from);
    const indent = from - this.#text.lastIndexOf("\n", from - 1) - 1;
    const item = isSeq(node) ? `- ${text}` : text;
    return this.#splice(from, from, `${item}\n${" ".repeat(indent)}`, from);
  }

  #cutFlow(from: number, to: number): Edit {
    const after = /^\s*,\s*/.exec(this.#text.slice(to))?.[0].length;
    const before = /,\s*$/.exec(this.#text.slice(0, from))?.[0].length ?? 0;
    return after === undefined
      ? this.#splice(from - before, to, "", from)
      : this.#splice(from, to + after, "", from);
  }

  #cutBlock(start: number, value: Node): Edit {
    const from = this.#text.lastIndexOf("\n", start) + 1;
    const end = this.#text.indexOf("\n", rangeOf(value)[1] - 1);
    return this.#splice(from, end < 0 ? this.#text.length : end + 1, "", start);
  }

  #splice(from: number, to: number, text: string, at: number): Edit {
    const first = this.#lineAt(at);
    const last = this.#lineAt(from) + text.split("\n").length - 1;
    const lines = linesFrom(first, last);
    const was = linesFrom(first, this.#lineAt(Math.max(from, to - 1)));
    return { text: this.#text.slice(0, from) + text + this.#text.slice(to), lines, was };
  }

  #lineAt(offset: number): number {
    return this.#text.slice(0, offset).split("\n").length;
  }

  #start(path: Path): number {
    const parent = this.#node(path.slice(0, -1));
    const node = path.length > 0 && isMap(parent) ? this.#pair(path).key : this.#node(path);
    return rangeOf(node as Node)[0];
  }

  #pair(path: Path): Pair {
    const parent = this.#node(path.slice(0, -1)) as YAMLMap;
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)));
    if (!pair) throw new Error(`there is no ${path.join(".")}`);
    return pair;
  }

  #node(path: Path): unknown {
    let node: unknown = this.#root;
    for (const step of path) {
      if (isMap(node))
        node = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))?.value;
      else if (isSeq(node)) node = node.items[Number(step)];
      else throw new Error(`there is no ${path.join(".")}`);
    }
    return node;
  }
}

const linesFrom = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => first + index);

const rangeOf = (node: Node): [number, number] => [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
