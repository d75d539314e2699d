/** The shape of the code, held by machine: who imports whom, how long a file is, and what it may not know. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ground, towers } from "./towers.ts";

const root = join(import.meta.dirname, "..");
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
const generated = filesBelow("generated").filter((path) => path.endsWith(".ts"));

const { exports: doors } = JSON.parse(read("src/engine/package.json"));

/** The file of the engine that a name such as `restbound/rest` stands for. */
const doorOf = (name: string): string | undefined =>
  /^restbound(?:\/|$)/.test(name)
    ? join("src/engine", doors[name.replace("restbound", ".")] ?? "no such door")
    : undefined;

/** The project's own files that a file imports, for types or at run time, at once or later. */
const importsOf = (path: string): string[] =>
  ts
    .preProcessFile(read(path))
    .importedFiles.flatMap(({ fileName }) =>
      fileName.startsWith(".") ? [join(dirname(path), fileName)] : (doorOf(fileName) ?? []),
    );

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

const graph = new Map([...sources, ...generated].map((path) => [path, importsOf(path)]));

/** The first cycle found, as the files on it. */
function findCycle(): string[] {
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of graph.get(path) ?? []) {
      const cycle = walk(next, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  };
  for (const path of graph.keys()) {
    const cycle = walk(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

describe("imports", () => {
  /** The frame of commands knows neither tower. At run time these files alone stand on it, never a role. */
  const framed = [
    ...[
      "src/engine/config.ts",
      "src/engine/process/command.ts",
      "src/engine/process/serve.ts",
      "src/engine/process/speaker.ts",
    ],
    ...["src/platform/keys/keys-cli.ts", "src/platform/keys/key-options.ts"],
  ];
  /** A command beside a role's code, and its options: no role imports them. */
  const commandOfRole = framed.slice(-2);

  /** The folder of `src/` or `src/engine/` that a file stands in, or the file's own name at their top. */
  const roomOf = (path: string): string => /^src\/(?:engine\/)?([^/]+)/.exec(path)?.[1] ?? path;

  const mayImport = (path: string, target: string): boolean => {
    const [from, to] = [roomOf(path), roomOf(target)];
    if (from === to) return true;
    const isInside = path.startsWith("src/engine/");
    if (target.startsWith("generated/")) return !isInside;
    if (!isInside && target.startsWith("src/engine/")) return to === "doors";
    if (to === "cli" && framed.includes(path)) return true;
    return towers.some((tower) => {
      const row = tower.findIndex((rooms) => rooms.includes(from));
      return tower.slice(0, Math.max(row, 0)).some((rooms) => rooms.includes(to));
    });
  };

  test("are found: each names a file that exists", () => {
    expect(graph.get("src/engine/process/program.ts")).toEqual(
      expect.arrayContaining(["src/engine/config.ts", "src/engine/graphql/graphql.ts"]),
    );
    expect([...graph.values()].flat().filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("of the engine from outside go through its doors, by its name, and none inside do", () => {
    const outside = [...graph.keys(), "codegen.ts"].filter((path) => !path.startsWith("src/engine/"));
    const deep = outside.filter((path) => /(?:from|import\() ?"[./]+\/engine\//.test(read(path)));
    expect(deep).toEqual([]);
    expect(outside.flatMap(importsOf).filter((path) => path.startsWith("src/engine/doors/"))).not.toEqual([]);
    const inside = sources.filter((path) => /^src\/engine\/(?!doors\/)/.test(path));
    expect(inside.filter((path) => importsOf(path).some((to) => to.startsWith("src/engine/doors/")))).toEqual(
      [],
    );
  });

  test("make no cycle", () => {
    expect(findCycle()).toEqual([]);
  });

  test("go one way in each of the two towers", () => {
    const rooms = new Set(towers.flat(2));
    expect([...new Set(sources.map(roomOf))].filter((room) => !rooms.has(room))).toEqual([]);
    const upward = sources.flatMap((path) =>
      (graph.get(path) ?? [])
        .filter((target) => !mayImport(path, target))
        .map((target) => `${path} → ${target}`),
    );
    expect(upward).toEqual([]);
    const importers = [...graph].filter(([, targets]) =>
      commandOfRole.some((path) => targets.includes(path)),
    );
    expect(importers.map(([path]) => path)).toEqual(["src/platform/keys/keys-cli.ts"]);
  });

  test("go one way inside the graphql role", () => {
    const role = "src/engine/graphql/";
    const order = ["errors", "saved", "limits", "variables", "plan"];
    const lowest = ["request-context.ts"];
    /** The files beside the folders put them together. The `lowest` files import none of them. */
    const rankOf = (path: string): number => {
      const [name = ""] = path.slice(role.length).split("/");
      return lowest.includes(name) ? 0 : order.includes(name) ? 1 + order.indexOf(name) : 1 + order.length;
    };
    const inside = sources.filter((path) => path.startsWith(role));
    expect(new Set(inside.map(rankOf)).size).toBe(2 + order.length);
    const upward = inside.flatMap((path) =>
      (graph.get(path) ?? [])
        .filter((target) => target.startsWith(role) && rankOf(target) > rankOf(path))
        .map((target) => `${path} → ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test("of a running graphql or gateway role include nothing of build time, and no YAML parser", () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const next of graph.get(path) ?? []) visit(next);
    };
    for (const role of ["src/engine/graphql/graphql.ts", "src/engine/gateway/gateway.ts"]) visit(role);
    const build = new Set(towers[0].flat().filter((room) => ![...ground, "cli"].includes(room)));
    expect([...reached].filter((path) => build.has(roomOf(path)))).toEqual([]);
    expect([...reached].filter((path) => /from "yaml"/.test(read(path)))).toEqual([]);
  });
});

describe("files", () => {
  test("stand in folders of at most twenty", () => {
    const folders = Map.groupBy(sources, (path) => dirname(path));
    expect([...folders].filter(([, files]) => files.length > 20).map(([folder]) => folder)).toEqual([]);
  });

  test("of src have at most 200 lines", () => {
    const long = sources.filter((path) => read(path).trimEnd().split("\n").length > 200);
    expect(long).toEqual([]);
  });

  test("of test have at most 300 lines", () => {
    const tests = filesBelow("test").filter((path) => path.endsWith(".ts"));
    expect(tests.filter((path) => read(path).trimEnd().split("\n").length > 300)).toEqual([]);
  });

  test("are no barrels", () => {
    const imports = /^import\s[^;]*;|^export (?:\*|(?:type )?\{[^}]*\})(?: as \w+)? from [^;]*;/gm;
    const barrels = sources.filter(
      (path) =>
        !path.startsWith("src/engine/doors/") &&
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

  test("at the top of src is the program, and at the top of the engine are three: the others stand in a room", () => {
    const top = sources.filter((path) => ["src", "src/engine"].includes(dirname(path)));
    const names = ["config", "diagnostic", "errors"].map((name) => `src/engine/${name}.ts`);
    expect(top).toEqual([...names, "src/main.ts"]);
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
