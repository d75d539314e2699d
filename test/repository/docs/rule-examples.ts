/**
 * The examples of docs/reference/rules.md: each is an edit, as a diff, of the pair of spec files that the page begins with. An
 * example has two sides (before and after, or wrong and right). What only one side has is absent on the other. Beside a
 * document in `openapi/`, that of the pair is `openapi/library.yaml`.
 */
import { type DefinitionNode, type DocumentNode, Kind, parse, print } from "graphql";
import { parse as parseYaml, stringify } from "yaml";

export type Block = {
  readonly file: string;
  /** Keys of the document down to the place where the block stands. */
  readonly at: readonly string[];
  /** The class of a change, after the marker's colon. */
  readonly class: string | undefined;
  readonly before: string;
  readonly after: string;
};

export type Section = {
  readonly rule: string;
  readonly text: string;
  readonly blocks: readonly Block[];
};

type Files = ReadonlyMap<string, string>;

/** The sections of one chapter of the page, each with the rule that its heading names. */
export function sectionsOf(page: string, chapter: string): Section[] {
  const text = page.split(`\n## ${chapter}\n`)[1]?.split(/\n## /)[0] ?? "";
  return text.split(/\n### /).flatMap((section) => {
    const rule = /^`([\w-]+)`\n/.exec(section)?.[1];
    return rule ? [{ rule, text: section, blocks: blocksOf(section) }] : [];
  });
}

const blocksOf = (section: string): Block[] =>
  [...section.matchAll(/^```diff\n# (\S+?)(?: at ([^:\n]+))?(?:: (\w+))?\n([\s\S]*?)^```$/gm)].map(
    ([, file = "", at, kind, text = ""]) => ({
      file,
      at: at?.split(".") ?? [],
      class: kind,
      before: sideOf(text, "-"),
      after: sideOf(text, "+"),
    }),
  );

const sideOf = (text: string, sign: "-" | "+"): string =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith(sign) || line.startsWith(" ") ? [line.slice(1)] : []))
    .join("\n");

/** The pair with the blocks' edits: the files before, and those after. */
export function sidesOf(pair: Files, blocks: readonly Block[]): readonly [before: Files, after: Files] {
  const before = new Map(pair);
  const after = new Map(pair);
  for (const block of blocks) {
    edit(before, block, block.before, block.after);
    edit(after, block, block.after, block.before);
  }
  const isOfSeveral = blocks.some(({ file }) => file.startsWith("openapi/"));
  for (const files of isOfSeveral ? [before, after] : []) {
    files.set("openapi/library.yaml", files.get("openapi.yaml") ?? "");
    files.delete("openapi.yaml");
  }
  return [before, after];
}

function edit(files: Map<string, string>, { file, at }: Block, own: string, other: string): void {
  const text = files.get(file) ?? "";
  if (file === "schema.graphql") files.set(file, editSchema(text, own, other));
  else if (file === "openapi.yaml") files.set(file, editDocument(text, at, own, other));
  else files.set(file, own);
}

type Tree = { [key: string]: unknown };
const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function editDocument(text: string, at: readonly string[], own: string, other: string): string {
  const document = parseYaml(text) as Tree;
  let place = document;
  for (const key of at) {
    place[key] ??= {};
    place = place[key] as Tree;
  }
  const [mine, theirs] = [own, other].map((side) => (parseYaml(side) ?? {}) as Tree) as [Tree, Tree];
  removeMissing(place, mine, theirs);
  merge(place, mine);
  return stringify(document);
}

function removeMissing(place: Tree, own: Tree, other: Tree): void {
  for (const [key, value] of Object.entries(other)) {
    const below = place[key];
    const mine = own[key];
    if (!(key in own)) delete place[key];
    else if (isTree(below) && isTree(mine) && isTree(value)) removeMissing(below, mine, value);
  }
}

function merge(place: Tree, edit: Tree): void {
  for (const [key, value] of Object.entries(edit)) {
    const below = place[key];
    if (isTree(below) && isTree(value) && !("$ref" in value)) merge(below, value);
    else place[key] = value;
  }
}

type Named = { readonly name: { readonly value: string } };

/** Fields, values or input fields of a definition; none of a union, scalar or directive. */
const membersOf = (node: DefinitionNode): readonly Named[] =>
  "fields" in node ? (node.fields ?? []) : "values" in node ? (node.values ?? []) : [];

const nameOf = (node: DefinitionNode): string => ("name" in node ? (node.name?.value ?? "") : "");

function editSchema(text: string, own: string, other: string): string {
  const definitions = new Map(parse(text).definitions.map((node) => [nameOf(node), node]));
  const mine = new Map(definitionsOf(own).map((node) => [nameOf(node), node]));
  for (const node of definitionsOf(other)) {
    const name = nameOf(node);
    const counterpart = mine.get(name);
    const gone = membersOf(node).filter((member) => !counterpart || !has(counterpart, member));
    const base = definitions.get(name);
    const left = base && membersOf(base).filter((member) => !gone.some((each) => isSame(each, member)));
    if (base && left && left.length > 0) definitions.set(name, withMembers(base, left));
    else definitions.delete(name);
  }
  for (const [name, node] of mine) {
    const base = definitions.get(name);
    const kept = base?.kind === node.kind ? membersOf(base).filter((member) => !has(node, member)) : [];
    definitions.set(name, kept.length > 0 ? withMembers(node, [...kept, ...membersOf(node)]) : node);
  }
  return print({ kind: Kind.DOCUMENT, definitions: [...definitions.values()] } as DocumentNode);
}

const definitionsOf = (text: string): readonly DefinitionNode[] =>
  text.trim() === "" ? [] : parse(text).definitions;

const isSame = (one: Named, other: Named): boolean => one.name.value === other.name.value;
const has = (node: DefinitionNode, member: Named): boolean =>
  membersOf(node).some((each) => isSame(each, member));

const withMembers = (node: DefinitionNode, members: readonly Named[]): DefinitionNode =>
  ({ ...node, ["values" in node ? "values" : "fields"]: members }) as DefinitionNode;
