/** What a file of src exports has a reader: another file of src, a test, or generated code. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    .map((name) => join(folder, name));

const parsed = new Map(
  ["src", "test", "generated", "examples", "deploy"]
    .flatMap(filesBelow)
    .concat("codegen.ts")
    .map((path) => [path, ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)]),
);

const { exports: doors } = JSON.parse(read("src/engine/package.json")) as { exports: Record<string, string> };

/** `<file>#<name>` of each import of a file of the project; the name is `*` for a whole module. */
function importsOf(path: string, file: ts.SourceFile): string[] {
  const found: string[] = [];
  const add = (specifier: string, names: readonly string[]): void => {
    const door = doors[specifier.replace(/^restbound/, ".")];
    const target = specifier.startsWith(".")
      ? join(dirname(path), specifier)
      : door && join("src/engine", door);
    if (target) found.push(...names.map((name) => `${target}#${name}`));
  };
  const visit = (node: ts.Node): void => {
    const isDeclaration = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    if (isDeclaration && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      const names: readonly ts.ImportOrExportSpecifier[] | undefined =
        bindings && "elements" in bindings ? bindings.elements : undefined;
      add(
        node.moduleSpecifier.text,
        names?.map(({ name, propertyName }) => (propertyName ?? name).text) ?? ["*"],
      );
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) add(specifier.text, ["*"]);
    }
    if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      ts.isStringLiteral(node.argument.literal)
    )
      add(node.argument.literal.text, [node.qualifier?.getText() ?? "*"]);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

const isExport = ({ kind }: ts.Modifier): boolean => kind === ts.SyntaxKind.ExportKeyword;

const exportsOf = (file: ts.SourceFile): string[] =>
  file.statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement) || !ts.getModifiers(statement)?.some(isExport)) return [];
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.DeclarationStatement];
    return declared.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []));
  });

test("each export of src is imported", () => {
  const imported = new Set([...parsed].flatMap(([path, file]) => importsOf(path, file)));
  // every command has its `run`
  const dead = [...parsed]
    .filter(([path]) => path.startsWith("src/") && !imported.has(`${path}#*`))
    .flatMap(([path, file]) => exportsOf(file).map((name) => `${path}#${name}`))
    .filter((name) => !imported.has(name) && !name.endsWith("#run"));
  expect(imported.size).toBeGreaterThan(1_000);
  expect(dead).toEqual([]);
});
