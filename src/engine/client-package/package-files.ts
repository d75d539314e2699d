/**
 * The client package: an npm package for front-end repositories, as a map from paths to texts. The output depends only on the
 * spec and the options.
 */
import { hash } from "node:crypto";
import ts from "typescript";
import { boundFields, type Model } from "../build/bind/model.ts";
import { emitSchema } from "../build/codegen/emit-schema.ts";
import { formatTypeScript } from "../build/codegen/format.ts";
import { credentialHeadersOf } from "../build/openapi/security.ts";
import type { SavedOperation } from "../build/schema/saved-operations.ts";
import { escapeControlCharacters } from "../shared/control-characters.ts";
import { emitChangelog, type PackageChanges } from "./emit-changelog.ts";
import { emitMocks } from "./emit-mocks.ts";
import { emitModules, typedDocumentPackage } from "./emit-modules.ts";
import { emitReadme } from "./emit-readme.ts";

type PackageSource = {
  readonly model: Model;
  readonly saved: readonly SavedOperation[];
  readonly name: string;
  /** Default: `0.0.0-h` and a hash of the other files, so that the same content has the same version. */
  readonly version?: string | undefined;
  /** The project's licence, which also applies to its client: name and text. */
  readonly licence?: { readonly name: string; readonly text: string } | undefined;
  /** The changes since the previous version, as `check --base` reports them. */
  readonly changes?: PackageChanges | undefined;
  /** Whether fields that are null only after an error have types without null. */
  readonly semanticNonNull?: boolean | undefined;
};

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  isolatedDeclarations: true,
  declaration: true,
};

export async function packageFiles(source: PackageSource) {
  const { model, saved, name, version, licence, semanticNonNull = false, changes } = source;
  const schema = emitSchema(model);
  const files = new Map([
    ["README.md", emitReadme(name, saved, credentialHeaders(model))],
    ["schema.graphql", schema],
  ]);
  const modules = await emitModules(schema, saved, semanticNonNull);
  for (const [module, text] of modules.set("mocks", emitMocks(model))) {
    files.set(`${module}.js`, ts.transpileModule(text, { compilerOptions }).outputText);
    const { outputText } = ts.transpileDeclaration(text, { compilerOptions });
    files.set(`${module}.d.ts`, await formatTypeScript(`${module}.d.ts`, outputText));
  }
  for (const [path, text] of files) files.set(path, escapeControlCharacters(text));
  if (licence) files.set("LICENSE", licence.text);
  if (changes) files.set("CHANGELOG.md", emitChangelog(changes));
  const content = hash("sha256", JSON.stringify([...files]));
  const own = {
    name,
    version: version ?? changes?.version ?? `0.0.0-h${content.slice(0, 12)}`,
    license: licence?.name,
  };
  const manifest = manifestOf(own, [...files.keys()]);
  return files.set("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
}

function credentialHeaders(model: Model): readonly string[] {
  const [field] = boundFields(model);
  const [headers = []] = field ? credentialHeadersOf(model.document, field.operation) : [];
  return headers;
}

/** The `description` in package.json. Identifies packages that `restbound client` wrote. */
export const description = "Typed documents, enums and the schema of a GraphQL API";

const manifestOf = (
  own: { name: string; version: string; license: string | undefined },
  files: readonly string[],
) => ({
  ...own,
  description,
  type: "module",
  sideEffects: false,
  main: "./index.js",
  types: "./index.d.ts",
  exports: {
    ".": { types: "./index.d.ts", default: "./index.js" },
    "./mocks": { types: "./mocks.d.ts", default: "./mocks.js" },
    "./schema.graphql": "./schema.graphql",
    "./package.json": "./package.json",
  },
  files,
  dependencies: { [typedDocumentPackage.name]: `^${typedDocumentPackage.version}` },
  // needed only by `./mocks`
  peerDependencies: { msw: ">=2" },
  peerDependenciesMeta: { msw: { optional: true } },
});
