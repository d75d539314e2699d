/**
 * No name is looked up in an object with a prototype: a document, a client or REST may choose `constructor` or
 * `__proto__`. The compiler's types tell such names from those that the program chooses, which are unions of literals.
 */
import { join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const { options, fileNames } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);

/** The file that defines the lookups. */
const own = join(root, "src/engine/shared/own.ts");

/** Types whose members may be looked up by any name. */
const safe = new Set([
  "Dictionary",
  // graphql-js makes them without a prototype
  "GraphQLFieldMap",
  "GraphQLInputFieldMap",
  // has each key of its plan before one is read
  "ResultMap",
]);

/** The lookups by any name in objects with a prototype, as `file:line: text`. `texts` stand in for files. */
function lookUps(names: readonly string[], texts: ReadonlyMap<string, string> = new Map()): string[] {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, target) => {
    const text = texts.get(name);
    return text === undefined ? read(name, target) : ts.createSourceFile(name, text, target, true);
  };
  const program = ts.createProgram(names, options, host);
  const checker = program.getTypeChecker();
  return names.flatMap((name) => {
    const file = program.getSourceFile(name);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (file && isLookUp(checker, node)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
        found.push(`${relative(root, name)}:${line + 1}: ${node.getText(file)}`);
      }
      node.forEachChild(visit);
    };
    if (file) visit(file);
    return found;
  });
}

function isLookUp(checker: ts.TypeChecker, node: ts.Node): boolean {
  const typeOf = (of: ts.Node): ts.Type => checker.getTypeAtLocation(of);
  const isAnyText = (of: ts.Node): boolean => mayBeAnyText(checker, typeOf(of));
  const isSafe = (of: ts.Node): boolean => hasSafeType(checker, typeOf(of));
  if (ts.isElementAccessExpression(node)) {
    const { expression, argumentExpression } = node;
    return isAnyText(argumentExpression) && !isSafe(expression) && !isOfLoop(checker, node);
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
    return isAnyText(node.left) && !isSafe(node.right);
  if (ts.isBindingElement(node))
    return (
      node.propertyName !== undefined &&
      ts.isComputedPropertyName(node.propertyName) &&
      isAnyText(node.propertyName.expression)
    );
  if (!ts.isCallExpression(node)) return false;
  const [, method] = /^(?:Object|Reflect)\.(assign|get|has|set)$/.exec(node.expression.getText()) ?? [];
  const [target, ...given] = node.arguments;
  if (method === undefined || !target || isSafe(target)) return false;
  // it sets members: `__proto__` would set the prototype
  if (method === "assign")
    return given.some((each) => checker.getIndexInfoOfType(typeOf(each), ts.IndexKind.String) !== undefined);
  return given.slice(0, 1).some(isAnyText);
}

const { TypeFlags } = ts;
const anyText =
  TypeFlags.Any | TypeFlags.Unknown | TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping;

/** Whether a value of the type may be any text, or one that a template makes. */
function mayBeAnyText(checker: ts.TypeChecker, type: ts.Type): boolean {
  const constraint = checker.getBaseConstraintOfType(type) ?? type;
  if (constraint.isUnion()) return constraint.types.some((each) => mayBeAnyText(checker, each));
  return (constraint.flags & anyText) !== 0;
}

function hasSafeType(checker: ts.TypeChecker, type: ts.Type): boolean {
  const bare = checker.getNonNullableType(type);
  if ([bare.aliasSymbol, bare.symbol].some((symbol) => symbol && safe.has(symbol.name))) return true;
  const isSafe = (each: ts.Type): boolean => hasSafeType(checker, each);
  return bare.isUnion() ? bare.types.every(isSafe) : bare.isIntersection() && bare.types.some(isSafe);
}

/** `for (const name in object) object[name]` */
function isOfLoop(checker: ts.TypeChecker, access: ts.ElementAccessExpression): boolean {
  const [declaration] = checker.getSymbolAtLocation(access.argumentExpression)?.declarations ?? [];
  const loop = declaration?.parent.parent;
  return (
    loop !== undefined &&
    ts.isForInStatement(loop) &&
    loop.expression.getText() === access.expression.getText()
  );
}

test("no file of src or generated looks a name up in an object with a prototype", () => {
  const sources = fileNames.filter(
    (name) => /^(?:src|generated)\//.test(relative(root, name)) && name !== own,
  );
  expect(sources.length).toBeGreaterThan(400);
  expect(lookUps(sources)).toEqual([]);
});

const declarations = `import { Dictionary, own } from ${JSON.stringify(own)};
declare const name: string;
declare const table: Record<string, number>;
declare const dictionary: Dictionary<number>;
declare const known: "a" | "b";
`;

test("a lookup by any name is found, and one by a name of the program is not", () => {
  const statements = new Map<string, boolean>([
    ["table[name];", true],
    ["table[`query:\u0024{name}`];", true],
    ["table[name] = 1;", true],
    ["({ a: 1 } as Record<string, number>)[name] ?? 0;", true],
    ["name in table;", true],
    ["{ const { [name]: value } = table; value; }", true],
    ["Object.assign({}, table);", true],
    ["Reflect.get(table, name);", true],
    ["for (const key of Object.keys(table)) table[key];", true],
    ["table[known];", false],
    ["own(table, name);", false],
    ["dictionary[name] = 1;", false],
    ["name in dictionary;", false],
    ["Object.assign(dictionary, table);", false],
    ["Object.assign(table, { a: 1 });", false],
    ["for (const key in table) table[key];", false],
    ["[1, 2].map((_, index, all) => all[index]);", false],
  ]);
  const texts = new Map(
    [...statements.keys()].map((text, index) => [join(root, `src/${index}.ts`), declarations + text]),
  );
  const found = new Set(lookUps([...texts.keys()], texts).map((line) => Number(/\d+/.exec(line)?.[0])));
  expect([...statements.keys()].filter((_, index) => found.has(index))).toEqual(
    [...statements].flatMap(([text, isFound]) => (isFound ? [text] : [])),
  );
});
