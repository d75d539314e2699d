/** The files of a new project besides `spec/` and `generated/`. Existing files are not changed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { engineManifest } from "../../shared/cli/engine-manifest.ts";
import { isRecord, parsedJson } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import { pathBelowRepository } from "../project/path-below-repository.ts";

type Manifest = Readonly<Record<string, unknown>>;

const scripts = {
  start: "exec restbound start",
  dev: "exec restbound dev",
  codegen: "restbound codegen",
  check: "restbound check",
  explain: "restbound explain",
  propose: "restbound propose",
  types: "tsc",
  test: 'node --test "test/**/*.test.ts"',
};

/** The placeholder script that `npm init` writes. */
const noTest = 'echo "Error: no test specified" && exit 1';

/** Adds what is missing to `package.json`. */
export const addPackages = (root: string): void =>
  writeFileSync(join(root, "package.json"), withPackages(root));

/** `package.json` with the missing entries. Throws `UsageError` if it is not JSON, or not of type "module". */
export function withPackages(root: string): string {
  const path = join(root, "package.json");
  const read = existsSync(path) ? parsedJson(readFileSync(path, "utf8")) : {};
  if (!isRecord(read)) throw new UsageError(["package.json is not a JSON object: fix it first"]);
  const given = chosen(read);
  if (given.type === "commonjs")
    throw new UsageError([
      'package.json: "type" is "commonjs", but the project uses ES modules; set it to "module", or use a separate folder',
    ]);
  const { version, devDependencies } = engineManifest();
  const ours = {
    name: basename(root)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-"),
    private: true,
    type: "module",
    engines: { node: ">=24" },
    scripts,
    dependencies: { restbound: version },
    devDependencies: { ...devDependencies, "@types/node": "24.19.2" },
  };
  const added = Object.entries(ours).map(([name, value]) => {
    const there = own(given, name);
    return [name, isRecord(value) && isRecord(there) ? { ...value, ...there } : (there ?? value)];
  });
  const manifest = { ...given, ...Object.fromEntries(added) };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Removes the defaults that `npm init` writes. */
function chosen(given: Manifest): Manifest {
  if (!isRecord(given.scripts) || given.scripts.test !== noTest) return given;
  const { type: _, ...others } = given;
  const { test: __, ...ownScripts } = given.scripts;
  return { ...others, scripts: ownScripts };
}

/**
 * Writes the missing files of the project and returns their paths. `base`: REST's base URL, if the document has one; `variable`:
 * the name of its environment variable.
 */
export function addFiles(root: string, base: string | undefined, variable: string): string[] {
  const files = Object.entries({
    ...filesOf(basename(root), base, variable),
    [checkWorkflow]: workflowOf(pathBelowRepository(root)),
  }).filter(([path]) => !existsSync(join(root, path)));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return files.map(([path]) => path);
}

export const checkWorkflow = ".github/workflows/check.yml";

/** Compares with the merge base, because the target branch may have advanced. `below`: the project's folder in the repository. */
const workflowOf = (below: string): string => `on: pull_request
permissions: { contents: read }
jobs:
  check:
    runs-on: ubuntu-latest${below === "" ? "" : `\n    defaults: { run: { working-directory: ${JSON.stringify(below)} } }`}
    steps:
      - uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0
        with: { fetch-depth: 0 }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - run: npm ci
      - run: npm run check -- --base "$(git merge-base "origin/$GITHUB_BASE_REF" HEAD)" --format github
      - run: npm run types && npm test
`;

const composeEntry = (variable: string, base = "https://api.example.com"): string =>
  `${variable}: "\${${variable}:-${base}}"`;

/** The entries of a braced list, up to where a further one is appended. */
const entries = String.raw`(?:"(?:[^"\\]|\\.)*"|[^"{}])*?(?=,?\s*\})`;

/** In each file that starts the service: the addresses, as init writes them, and the text of a further one. */
const addresses: readonly {
  readonly path: string;
  readonly present: RegExp;
  readonly further: (variable: string, base: string | undefined) => string | undefined;
}[] = [
  {
    path: "src/main.ts",
    present: new RegExp(String.raw`\bdefaults: \{${entries}`),
    further: (variable, base) => base && `${variable}: ${JSON.stringify(base)}`,
  },
  {
    path: "test/service.test.ts",
    present: new RegExp(String.raw`\bopen\(service, \{${entries}`),
    further: (variable) => `${variable}: "http://127.0.0.1:9"`,
  },
  {
    path: "compose.yaml",
    present: new RegExp(String.raw`\benvironment: \{${entries}`),
    further: composeEntry,
  },
  {
    path: "Dockerfile",
    present: /(?: REST_BASE_URL\w*=http:\/\/127\.0\.0\.1:1)+(?= node )/,
    further: (variable) => ` ${variable}=http://127.0.0.1:1`,
  },
];

/**
 * The files that start the service, with the address of a further document. `missing`: those that need it and that are not as
 * init writes them.
 */
export function withAddress(root: string, variable: string, base: string | undefined) {
  const written = new Map<string, string>();
  const missing: string[] = [];
  for (const { path, present, further } of addresses) {
    const file = join(root, path);
    const text = existsSync(file) ? readFileSync(file, "utf8") : variable;
    const entry = further(variable, base);
    if (entry === undefined || new RegExp(`\\b${variable}\\b`).test(text)) continue;
    if (present.test(text))
      written.set(
        path,
        text.replace(present, (before) => {
          const separator = entry.startsWith(" ") ? "" : /\{\s*$/.test(before) ? " " : ", ";
          return before + separator + entry;
        }),
      );
    else missing.push(path);
  }
  return { written, missing };
}

const filesOf = (
  name: string,
  base: string | undefined,
  variable: string,
): Readonly<Record<string, string>> => ({
  "codegen.ts": `/** The configuration of graphql-codegen, as its own command and editors read it. */
import { configFor } from "restbound/codegen";

export default configFor(import.meta.dirname);
`,
  "tsconfig.json": `${JSON.stringify(
    {
      compilerOptions: {
        target: "es2024",
        lib: ["es2024"],
        module: "nodenext",
        types: ["node"],
        noEmit: true,
        strict: true,
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
        allowImportingTsExtensions: true,
        resolveJsonModule: true,
        skipLibCheck: true,
      },
      include: ["src", "generated", "test"],
    },
    null,
    2,
  )}\n`,
  "src/main.ts": `/** The service: the engine and the code generated for this API. */
import { join } from "node:path";
import { type Service, serve } from "restbound/server";

export const service: Service = {
  name: ${JSON.stringify(name)},
  root: join(import.meta.dirname, ".."),${base === undefined ? "" : `\n  /** The environment overrides these. */\n  defaults: { ${variable}: ${JSON.stringify(base)} },`}
  api: async () => (await import("../generated/index.ts")).api,
};

if (import.meta.main) await serve(service);
`,
  "test/service.test.ts": `import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "restbound/server";
import { service } from "../src/main.ts";

test("the service starts and answers with its schema", async () => {
  const { url, close } = await open(service, { ${variable}: "http://127.0.0.1:9" });
  const response = await fetch(new URL("/v1/graphql", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ __schema { queryType { fields { name } } } }" }),
  });
  const { data } = (await response.json()) as { data: { __schema: { queryType: { fields: object[] } } } };
  await close();
  assert.ok(data.__schema.queryType.fields.length > 0);
});
`,
  "README.md": `# ${name}

A GraphQL layer over a REST API: \`spec/schema.graphql\` names the REST operation of each field, and \`generated/\` is made
of it. \`npm start\` serves it, \`npm run dev\` serves what you save, \`npm run check\` proves it, \`npm test\` asks it.
The pages of the engine are in \`node_modules/restbound/docs\`; start with \`guides/your-own-api.md\`.
`,
  ".gitignore": "node_modules/\ndist/\n",
  ".gitattributes": "generated/** linguist-generated=true\n",
  Dockerfile: `FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-bookworm-slim AS bundle
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY src ./src
COPY generated ./generated
RUN npx restbound bundle

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=bundle /app/dist ./dist
COPY package.json ./
COPY src ./src
COPY generated ./generated
COPY spec ./spec
RUN mkdir -p node_modules/.cache/compiled && chown 65534:65534 node_modules/.cache/compiled
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 METRICS_PORT=9464
USER 65534:65534
# one start and stop fills the compile cache of the image's user
RUN PORT=0 METRICS_PORT=0 ${variable}=http://127.0.0.1:1 node dist/bundle/main.js graphql & pid=$!; sleep 10; kill -TERM $pid; wait $pid
ENTRYPOINT ["node", "--max-semi-space-size=32", "dist/bundle/main.js"]
CMD ["graphql"]
`,
  "compose.yaml": `services:
  graphql:
    build: .
    read_only: true
    ports: ["4000:4000"]
    environment: { ${composeEntry(variable, base)} }
`,
});
