/**
 * One YAML or JSON file as plain values, with the source position of each value. Plain JSON is YAML, too, and is read faster.
 * A position is looked up when a finding needs it, so positions cost nothing in a document without findings.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  type Node as YamlNode,
} from "yaml";
import { type Place, unreadable } from "../diagnostic.ts";
import { parseJson } from "./json-file.ts";

export type NodePath = readonly (string | number)[];

export type YamlFile = {
  readonly value: unknown;
  /** The position of the value at `path`, or of its key; the nearest ancestor's position if the value does not exist. */
  place(path: NodePath): Place;
};

/** Throws `SpecUnreadable` with the place of the first syntax error. Findings print `name` as the file's name. */
export function parseYamlFile(name: string, source: string): YamlFile {
  const text = source.replace(/^\uFEFF/, "");
  const json = parseJson(text);
  if (!json) return readYaml(name, text);
  const lines = new LineCounter();
  return {
    value: json.value,
    place: (path) => {
      if (lines.lineStarts.length === 0) addLines(lines, text);
      return placeAt(name, lines, json.offsetAt(path));
    },
  };
}

function addLines(lines: LineCounter, text: string): void {
  for (let start = 0; start >= 0; start = text.indexOf("\n", start) + 1 || -1) lines.addNewLine(start);
}

function readYaml(name: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: true });
    const error = document.errors[0];
    if (error) {
      const message = error.message.split(/ at line |\n/)[0] ?? "not YAML";
      const reason = /call stack/.test(message) ? "is nested too deeply" : message;
      throw unreadable(name, reason, placeAt(name, lines, error.pos[0]));
    }
    const value: unknown = document.toJS({ maxAliasCount: 1_000 });
    return { value, place: (path) => placeAt(name, lines, offsetOf(document, path)) };
  } catch (error) {
    if (error instanceof RangeError) throw unreadable(name, "is nested too deeply");
    if (error instanceof ReferenceError) throw unreadable(name, "expands too many aliases");
    throw error;
  }
}

function placeAt(file: string, lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

function offsetOf(document: Document, path: NodePath): number {
  let node: unknown = document.contents;
  let offset = (node as YamlNode | null)?.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next = isMap(node) ? pairAt(node, step) : itemAt(node, step);
    if (!next) break;
    [node, offset] = next;
  }
  return offset;
}

type Entry = [node: unknown, offset: number];

function pairAt(
  map: { items: { key: unknown; value: unknown }[] },
  step: string | number,
): Entry | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair && [pair.value, (pair.key as YamlNode).range?.[0] ?? 0];
}

function itemAt(list: unknown, step: string | number): Entry | undefined {
  const item = (list as { items?: unknown[] } | null)?.items?.[Number(step)];
  return item === undefined ? undefined : [item, (item as YamlNode).range?.[0] ?? 0];
}
