/** The shape of the code: what a file may depend on. `npm run lint` checks the direction of imports. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Files below a folder of the project, by their path in it. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return ["node_modules", ".git"].includes(entry.name) ? [] : filesBelow(path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

const sources = filesBelow("src").filter((path) => path.endsWith(".ts"));

/** The names that a file exports by its own declarations. */
const exportsOf = (path: string): string[] =>
  ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport);
    if (!isExported) return [];
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.DeclarationStatement];
    return declarations.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []));
  });

const isExport = ({ kind }: ts.Modifier): boolean => kind === ts.SyntaxKind.ExportKeyword;

describe("files", () => {
  test("are no barrels", () => {
    const imports = /^import\s[^;]*;|^export (?:\*|(?:type )?\{[^}]*\})(?: as \w+)? from [^;]*;/gm;
    const barrels = sources.filter(
      (path) =>
        !path.startsWith("src/engine/exports/") &&
        read(path)
          .replace(/\/\*[\s\S]*?\*\//g, "")
          .replace(imports, "")
          .trim() === "",
    );
    expect(barrels).toEqual([]);
  });

  test("say at their top what they are for", () => {
    expect(sources.filter((path) => !/^(?:#!.*\n)?\/\*\*/.test(read(path)))).toEqual([]);
  });

  test("stand in a folder of the engine; at the top of src is only the program", () => {
    const top = sources.filter((path) => ["src", "src/engine"].includes(dirname(path)));
    expect(top).toEqual(["src/main.ts"]);
  });

  test("that test the engine, and what they share with others, know no service", () => {
    const room =
      /^\s*(?:import|export)[^;]* from "(?:\.\.\/)+(?:(?:test\/)?(?:service|repository)|generated|src\/(?:main|platform))\b/m;
    const tests = filesBelow("test").filter((path) =>
      /^test\/(?:engine|support)\/(?!.*\/cases\/).*\.ts$/.test(path),
    );
    expect(tests.filter((path) => room.test(read(path)))).toEqual([]);
  });

  test("are no utils, helpers or commons", () => {
    expect(sources.filter((path) => /\b(?:utils?|helpers?|common|misc)\b/.test(path))).toEqual([]);
  });
});

describe("names", () => {
  test("that are exported stand for one thing each", () => {
    const files = new Map<string, Set<string>>();
    for (const path of sources)
      for (const name of exportsOf(path)) files.set(name, (files.get(name) ?? new Set()).add(path));
    const shared = [...files].filter(([name, { size }]) => name !== "run" && size > 1); // every command has its `run`
    expect(files.get("run")?.size).toBeGreaterThan(5);
    expect(shared).toEqual([]);
  });
});

describe("the top level", () => {
  const owned = ["package.json", "package-lock.json", "tsconfig.json", "codegen.ts", "README.md"];
  const folders = ["spec", "src", "generated", "test", "docs", "deploy", "examples"];
  const papers = ["CONTRIBUTING.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "action.yml"];
  const tools = ["biome.json", "vitest.config.ts"];
  const untracked = /^(?:node_modules|coverage|dist|.*\.(?:log|sqlite|cpuprofile))$/;

  test("holds what belongs there, and nothing else", () => {
    const allowed = new Set([...owned, ...folders, ...papers, ...tools]);
    const found = readdirSync(root).filter((name) => !name.startsWith(".") && !untracked.test(name));
    expect(found.filter((name) => !allowed.has(name))).toEqual([]);
    expect(owned.filter((name) => !found.includes(name))).toEqual([]);
  });
});

describe("knowledge", () => {
  const document = parse(read("spec/openapi.yaml")) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operationIds = Object.values(document.paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId }) => operationId ?? []),
  );
  const words = ["contacts?", "conversations?", "campaigns?", "inbox", "crm", "whatsapp", "assignee"];
  const names = new RegExp(`\\b(?:${[...words, ...operationIds].join("|")})\\b`, "i");
  const paths = new RegExp(
    Object.keys(document.paths)
      .map((path) => path.replace(/\{.*/, "").replaceAll("/", "\\/"))
      .join("|"),
  );

  test("of the API's names is src/platform's alone", () => {
    expect(operationIds).toContain("getMe");
    const knowing = sources
      .filter((path) => !path.startsWith("src/platform/"))
      .flatMap((path) =>
        read(path)
          .split("\n")
          .flatMap((line, index) =>
            names.test(line) || paths.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(knowing).toEqual([]);
  });

  test("of the machine it was written on is nowhere", () => {
    const places = /(?<![\w.}])\/(?:work|home|root|Users)\/\w|file:\/\/\/\w/;
    const text = filesBelow(".").filter((path) =>
      /\.(?:ts|json|ya?ml|md|graphql|conf|sh)$|Dockerfile|run$/.test(path),
    );
    expect(text.filter((path) => places.test(read(path)))).toEqual([]);
  });

  test("of a registry's host is not in the lockfile", () => {
    expect(read("package-lock.json")).not.toMatch(/"resolved": "http/);
  });
});
