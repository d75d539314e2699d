/** The shape of the code, held by machine: who imports whom, how long a file is, and what it may not know. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

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

/** The project's own files that a file imports, for types or at run time, at once or later. */
const importsOf = (path: string): string[] =>
  ts
    .preProcessFile(read(path))
    .importedFiles.flatMap(({ fileName }) =>
      fileName.startsWith(".") ? [join(dirname(path), fileName)] : [],
    );

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
  const order = ["http", "spec", "codegen", "check", "rest", "graphql", "gateway", "platform"];
  const folderOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];

  test("are found: each names a file that exists", () => {
    expect(graph.get("src/program.ts")).toEqual(
      expect.arrayContaining(["src/config.ts", "src/graphql/graphql.ts"]),
    );
    expect([...graph.values()].flat().filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("make no cycle", () => {
    expect(findCycle()).toEqual([]);
  });

  test("go down only: config, errors, generated and folders listed before", () => {
    expect([...new Set(sources.map(folderOf))].filter(Boolean).sort()).toEqual([...order].sort());
    const upward = sources.flatMap((path) => {
      const folder = folderOf(path);
      if (folder === undefined) return [];
      const allowed = order.slice(0, order.indexOf(folder) + 1);
      const mayImport = (target: string): boolean =>
        ["src/config.ts", "src/errors.ts"].includes(target) ||
        target.startsWith("generated/") ||
        allowed.includes(folderOf(target) ?? "");
      return (graph.get(path) ?? [])
        .filter((target) => !mayImport(target))
        .map((target) => `${path} → ${target}`);
    });
    expect(upward).toEqual([]);
  });
});

describe("files", () => {
  test("of src have at most 200 lines", () => {
    const long = sources.filter((path) => read(path).trimEnd().split("\n").length > 200);
    expect(long).toEqual([]);
  });

  test("are no barrels", () => {
    const imports = /^import\s[^;]*;|^export (?:\*|(?:type )?\{[^}]*\})(?: as \w+)? from [^;]*;/gm;
    const barrels = sources.filter(
      (path) =>
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

  test("are no utils, helpers or commons", () => {
    expect(sources.filter((path) => /\b(?:utils?|helpers?|common|misc)\b/.test(path))).toEqual([]);
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
