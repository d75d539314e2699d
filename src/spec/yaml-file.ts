/**
 * One YAML (or JSON) file with source positions: plain values to read, and the place of any of them on demand.
 * Positions are looked up only when a finding needs one, so a large document costs no more than its parse.
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
import { type Place, unreadable } from "./diagnostic.ts";

export type Path = readonly (string | number)[];

export type YamlFile = {
  readonly value: unknown;
  /** Where the value at `path` stands (its key, if it has one); the nearest ancestor's place if it does not exist. */
  place(path: Path): Place;
};

/** Parses `text`; throws `SpecUnreadable` with the first syntax error's place. `name` is what findings print. */
export function parseYamlFile(name: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text.replace(/^\uFEFF/, ""), {
      lineCounter: lines,
      uniqueKeys: true,
      merge: true,
    });
    const error = document.errors[0];
    if (error) {
      const { line, col } = lines.linePos(error.pos[0]);
      const message = error.message.split(/ at line |\n/)[0] ?? "not YAML";
      throw unreadable(name, /call stack/.test(message) ? "is nested too deeply" : message, {
        file: name,
        line,
        column: col,
      });
    }
    const value: unknown = document.toJS({ maxAliasCount: 1_000 });
    return { value, place: (path) => placeOf(name, document, lines, path) };
  } catch (error) {
    if (error instanceof RangeError) throw unreadable(name, "is nested too deeply");
    if (error instanceof ReferenceError) throw unreadable(name, "expands too many aliases");
    throw error;
  }
}

function placeOf(file: string, document: Document, lines: LineCounter, path: Path): Place {
  let node: unknown = document.contents;
  let offset = (node as YamlNode | null)?.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next = isMap(node) ? pairAt(node, step) : itemAt(node, step);
    if (!next) break;
    [node, offset] = next;
  }
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

type Found = [node: unknown, offset: number];

function pairAt(
  map: { items: { key: unknown; value: unknown }[] },
  step: string | number,
): Found | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair && [pair.value, (pair.key as YamlNode).range?.[0] ?? 0];
}

function itemAt(list: unknown, step: string | number): Found | undefined {
  const item = (list as { items?: unknown[] } | null)?.items?.[Number(step)];
  return item === undefined ? undefined : [item, (item as YamlNode).range?.[0] ?? 0];
}
