/** Parses YAML and JSON files to plain values, with the source location of each value. */
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Node as YamlNode,
} from "yaml";
import { type FileLocation, type NodePath, unreadableSpec } from "../diagnostic.ts";
import { parseJson } from "./json-file.ts";

/** A key that occurs twice in one object. The last value applies. */
export type DuplicateKey = { readonly file: string; readonly path: NodePath; readonly place: FileLocation };

export type YamlFile = {
  readonly value: unknown;
  readonly duplicateKeys: readonly DuplicateKey[];
  /** Returns the location of the value at `path` or of its key; if neither exists, of the nearest ancestor. */
  place(path: NodePath): FileLocation;
  /** Returns the path of the innermost value or key at a location. */
  pathAt(location: Pick<FileLocation, "line" | "column">): NodePath;
};

/** Throws `UnreadableSpec` at the first syntax error or duplicate key. `name`: the file's name in findings. */
export function parseYamlFile(name: string, text: string): YamlFile {
  const file = parseWithDuplicates(name, text);
  rejectDuplicates(file.duplicateKeys);
  return file;
}

/** Throws `UnreadableSpec` if there is a duplicate key. */
export function rejectDuplicates([first]: readonly DuplicateKey[]): void {
  if (first) throw unreadableSpec(first.file, duplicateKeyMessage(first), first.place);
}

export const duplicateKeyMessage = ({ path }: DuplicateKey): string =>
  `the key "${path.at(-1)}" appears twice in one object`;

/** Like `parseYamlFile`, but returns duplicate keys instead of throwing, because they may be in unused parts of the file. */
export function parseWithDuplicates(name: string, source: string): YamlFile {
  const text = source.replace(/^\uFEFF/, "");
  const json = parseJson(text);
  if (!json) return readYaml(name, text);
  const lines = new LineCounter();
  const counted = (): LineCounter => {
    if (lines.lineStarts.length === 0) addLines(lines, text);
    return lines;
  };
  return {
    value: json.value,
    duplicateKeys: [],
    place: (path) => placeAt(name, counted(), json.offsetAt(path)),
    pathAt: (location) => json.pathAt(offsetAt(counted(), location)),
  };
}

function addLines(lines: LineCounter, text: string): void {
  for (let start = 0; start >= 0; start = text.indexOf("\n", start) + 1 || -1) lines.addNewLine(start);
}

function readYaml(name: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, merge: true });
    const [error] = document.errors;
    if (error) {
      const message = error.message.split(/ at line |\n/)[0] ?? "not YAML";
      const reason = /call stack/.test(message) ? "is nested too deeply" : message;
      throw unreadableSpec(name, reason, placeAt(name, lines, error.pos[0]));
    }
    const value: unknown = document.toJS({ maxAliasCount: 1_000 });
    const pairsOf = pairsByKey();
    const duplicateKeys = duplicateKeysOf(name, document, lines);
    return {
      value,
      duplicateKeys,
      place: (path) => placeAt(name, lines, offsetOf(document, path, pairsOf)),
      pathAt: (location) => yamlPathAt(document, offsetAt(lines, location)),
    };
  } catch (error) {
    if (error instanceof RangeError) throw unreadableSpec(name, "is nested too deeply");
    if (error instanceof ReferenceError) throw unreadableSpec(name, "expands too many aliases");
    throw error;
  }
}

function placeAt(file: string, lines: LineCounter, offset: number): FileLocation {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

const offsetAt = (
  { lineStarts }: LineCounter,
  { line, column }: Pick<FileLocation, "line" | "column">,
): number => (lineStarts[line - 1] ?? 0) + column - 1;

function yamlPathAt(document: Document, offset: number): NodePath {
  const path: (string | number)[] = [];
  let node: unknown = document.contents;
  while (isMap(node) || isSeq(node)) {
    const items: readonly unknown[] = node.items;
    const index = items.findLastIndex((item) => startOf(item) <= offset);
    const item = items[index];
    if (item === undefined) break;
    path.push(isPair(item) ? String(item.key) : index);
    node = isPair(item) ? item.value : item;
    if (startOf(node) > offset) break;
  }
  return path;
}

const startOf = (item: unknown): number =>
  ((isPair(item) ? item.key : item) as YamlNode | null)?.range?.[0] ?? Number.POSITIVE_INFINITY;

function offsetOf(document: Document, path: NodePath, pairsOf: PairsOf): number {
  let node: unknown = document.contents;
  let offset = (node as YamlNode | null)?.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next = isMap(node) ? pairAt(pairsOf(node), step) : itemAt(node, step);
    if (!next) break;
    [node, offset] = next;
  }
  return offset;
}

/** Replaces the parser's own check for duplicates, which takes quadratic time. */
function duplicateKeysOf(file: string, document: Document, lines: LineCounter): DuplicateKey[] {
  const found: { offset: number; path: NodePath }[] = [];
  visit(document, {
    Map(_step, map, ancestors) {
      const known = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value))
          found.push({
            offset: key.range?.[0] ?? 0,
            path: [...pathThrough([...ancestors, map]), String(key)],
          });
        known.add(key.value);
      }
    },
  });
  return found
    .sort((one, other) => one.offset - other.offset)
    .map(({ offset, path }) => ({ file, path, place: placeAt(file, lines, offset) }));
}

/** Returns the path that leads through the nodes; each node contains the next. */
const pathThrough = (nodes: readonly unknown[]): NodePath =>
  nodes.flatMap((node, index): NodePath => {
    if (isPair(node)) return [String(node.key)];
    return isSeq(node) ? [node.items.indexOf(nodes[index + 1])] : [];
  });

type Entry = [node: unknown, offset: number];

type Pair = { key: unknown; value: unknown };

type PairsOf = (map: { items: Pair[] }) => ReadonlyMap<string, Pair>;

/** Returns a function that caches the pairs of each map, because several findings may need the pairs of the same map. */
function pairsByKey(): PairsOf {
  const known = new Map<object, ReadonlyMap<string, Pair>>();
  return (map) => {
    const pairs = known.get(map) ?? listPairs(map.items);
    known.set(map, pairs);
    return pairs;
  };
}

/** Indexes the pairs by key; keeps the first pair of duplicate keys. */
const listPairs = (items: readonly Pair[]): Map<string, Pair> =>
  new Map(
    items
      .toReversed()
      .flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])),
  );

function pairAt(pairs: ReadonlyMap<string, Pair>, step: string | number): Entry | undefined {
  const pair = pairs.get(String(step));
  return pair && [pair.value, (pair.key as YamlNode).range?.[0] ?? 0];
}

function itemAt(list: unknown, step: string | number): Entry | undefined {
  const item = (list as { items?: unknown[] } | null)?.items?.[Number(step)];
  return item === undefined ? undefined : [item, (item as YamlNode).range?.[0] ?? 0];
}
