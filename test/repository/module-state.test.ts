/** Files of build time are pure: no value at their top changes. State belongs to a value that is made and passed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const sources = ["shared", "build", "client-package", "bin", "exports"].flatMap((folder) => {
  const files = readdirSync(join(root, "src/engine", folder), { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".ts")).map((name) => `src/engine/${folder}/${name}`);
});

/** Methods that change a list, a map, a set or a registry. */
const writers = new Set([
  "add",
  "clear",
  "copyWithin",
  "delete",
  "fill",
  "pop",
  "push",
  "reverse",
  "set",
  "shift",
  "sort",
  "splice",
  "unshift",
]);

/** The state that the top of a file holds: variables, weak and empty collections, and constants that the file writes to. */
function stateOf(text: string): string[] {
  const file = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  const lists = file.statements.filter(ts.isVariableStatement).map(({ declarationList }) => declarationList);
  const variables = lists.filter(({ flags }) => !(flags & ts.NodeFlags.Const));
  const constants = lists
    .filter((list) => !variables.includes(list))
    .flatMap(({ declarations }) => declarations);
  const names = new Set(constants.map(({ name }) => name.getText()));
  const rootOf = (node: ts.Expression): string =>
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
      ? rootOf(node.expression)
      : node.getText();
  const isWrite = (node: ts.Node): boolean => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      return writers.has(node.expression.name.text) && names.has(node.expression.expression.getText());
    return (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment &&
      !ts.isIdentifier(node.left) &&
      names.has(rootOf(node.left as ts.Expression))
    );
  };
  const written: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isWrite(node)) written.push(node.getText());
    node.forEachChild(visit);
  };
  visit(file);
  const holders = constants.filter(({ initializer }) => initializer !== undefined && isHolder(initializer));
  return [...[...variables, ...holders].map((node) => node.getText()), ...written];
}

/** A collection that is empty, weak or made by `lazy` has no use but to be filled. */
function isHolder(node: ts.Expression): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0;
  if (ts.isObjectLiteralExpression(node)) return node.properties.length === 0;
  if (ts.isCallExpression(node)) return /^(?:lazy|readOnce|cacheByFiles)$/.test(node.expression.getText());
  if (!ts.isNewExpression(node)) return false;
  const made = node.expression.getText();
  return made.startsWith("Weak") || (/^(?:Map|Set)$/.test(made) && !node.arguments?.length);
}

test.each([
  "let found = 0;",
  "const known = new WeakMap<object, string>();",
  "export const known = new Map<string, string>();",
  "const list: string[] = [];",
  "const once = lazy(() => 1);",
  'const known = new Set(["a"]);\nexport const take = (name: string) => known.add(name);',
  "const counts = { all: 0 };\nexport const count = () => {\n  counts.all += 1;\n};",
])("a file with state is found: %s", (text) => {
  expect(stateOf(text)).not.toEqual([]);
});

test.each([
  'const words = new Set(["a", "b"]);\nexport const isWord = (text: string) => words.has(text);',
  "export function count() {\n  let all = 0;\n  const known = new Map();\n  known.set(1, all++);\n  return known;\n}",
])("a file without state is not: %s", (text) => {
  expect(stateOf(text)).toEqual([]);
});

test("no file of build time holds state", () => {
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.flatMap((path) =>
    stateOf(readFileSync(join(root, path), "utf8")).map((state) => `${path}: ${state}`),
  );
  expect(found).toEqual([]);
});
