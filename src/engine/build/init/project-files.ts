/** The files of a new project outside `spec/` and `generated/`. Existing files are not changed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { engineManifest } from "../../shared/engine-manifest.ts";
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

/** The placeholder that `npm init` writes as the `test` script. */
const noTest = 'echo "Error: no test specified" && exit 1';

/** Adds missing entries to `package.json`. */
export const addPackages = (root: string): void =>
  writeFileSync(join(root, "package.json"), withPackages(root));

/**
 * Returns the text of `package.json` with the missing entries. Throws `UsageError` if it is not JSON, or if its `type` is
 * "commonjs".
 */
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

/** Removes the default `type` and `test` script that `npm init` writes. */
function chosen(given: Manifest): Manifest {
  if (!isRecord(given.scripts) || given.scripts.test !== noTest) return given;
  const { type: _, ...others } = given;
  const { test: __, ...ownScripts } = given.scripts;
  return { ...others, scripts: ownScripts };
}

/** The values that the templates of the project's files use. */
export type NewProject = {
  /** The base URL of the REST API, if the document has one. */
  readonly base?: string | undefined;
  /** The environment variable for the base URL. */
  readonly variable: string;
  /** The path of the engine's tarball in the project, unless the engine comes from a registry. */
  readonly tarball?: string | undefined;
  /** Whether the document came from a URL, so that a workflow can fetch it again. */
  readonly hasUrl?: boolean;
};

/** Writes the missing files and returns their paths. */
export function addFiles(root: string, project: NewProject): string[] {
  const below = pathBelowRepository(root);
  const files = Object.entries({
    ...filesOf(basename(root), project),
    [checkWorkflow]: checkWorkflowOf(below),
    ...(project.hasUrl && { [updateWorkflow]: updateWorkflowOf(below) }),
  }).filter(([path]) => !existsSync(join(root, path)));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return files.map(([path]) => path);
}

const checkWorkflow = ".github/workflows/check.yml";
const updateWorkflow = ".github/workflows/update.yml";
export const workflows = [checkWorkflow, updateWorkflow];

const runIn = (below: string): string =>
  below === "" ? "" : `\n    defaults: { run: { working-directory: ${JSON.stringify(below)} } }`;

/**
 * The workflow that runs `check` on pull requests. Compares with the merge base, because the target branch may have advanced.
 * `below` is the project's folder in the repository.
 */
const checkWorkflowOf = (below: string): string => `on: pull_request
permissions: { contents: read }
jobs:
  check:
    runs-on: ubuntu-latest${runIn(below)}
    steps:
      - uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0
        with: { fetch-depth: 0 }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - run: npm ci
      - run: npm run check -- --base "$(git merge-base "origin/$GITHUB_BASE_REF" HEAD)" --format github
      - run: npm run types && npm test
`;

/**
 * The workflow that runs `update` and opens a pull request. If a pull request is already open, the workflow adds commits to its
 * branch, so that a developer can repair the schema there. Ignores a fork's branch of the same name. GitHub limits the text of
 * a pull request to 65,536 characters.
 */
const updateWorkflowOf = (
  below: string,
): string => `# Once a day: the vendors' changes as one pull request, a draft if there are findings to settle.
# The job that runs packages has no token that may write. The job that writes runs no packages.
name: update
on:
  schedule: [{ cron: "17 5 * * *" }]
  workflow_dispatch:
permissions: {}
concurrency: restbound-update
env: { BRANCH: restbound-update }
jobs:
  fetch:
    runs-on: ubuntu-latest
    permissions: { contents: read, pull-requests: read }${runIn(below)}
    outputs:
      number: \${{ steps.branch.outputs.number }}
      head: \${{ steps.branch.outputs.head }}
      code: \${{ steps.update.outputs.code }}
      changed: \${{ steps.update.outputs.changed }}
    steps:
      - uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0
        with: { fetch-depth: 0, persist-credentials: false }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - id: branch # of the pull request, if one is open
        env: { GH_TOKEN: "\${{ github.token }}" }
        run: |
          number=$(gh pr list --head "$BRANCH" --base "$GITHUB_REF_NAME" --json number,isCrossRepository --jq 'map(select(.isCrossRepository | not))[0].number // empty')
          if [ -n "$number" ]; then git switch "$BRANCH"; fi
          echo "number=$number" >> "$GITHUB_OUTPUT"
          echo "head=$(git rev-parse HEAD)" >> "$GITHUB_OUTPUT"
      - run: npm ci
      - id: update
        env: { OPENAPI_HEADER: "\${{ secrets.OPENAPI_HEADER }}" }
        run: |
          base=$(git merge-base "origin/$GITHUB_REF_NAME" HEAD)
          mkdir "$RUNNER_TEMP/update"
          code=0
          npx restbound update --write --base "$base" --format text --format "markdown=$RUNNER_TEMP/update/report.md" || code=$?
          if [ "$code" -gt 1 ]; then exit "$code"; fi # 1: there are findings to settle
          head -c 1000000 "$RUNNER_TEMP/update/report.md" >> "$GITHUB_STEP_SUMMARY"
          git add --all .
          git diff --cached --binary --relative -- spec generated restbound.lock.json > "$RUNNER_TEMP/update/changes.patch"
          echo "code=$code" >> "$GITHUB_OUTPUT"
          if [ -s "$RUNNER_TEMP/update/changes.patch" ]; then echo "changed=true" >> "$GITHUB_OUTPUT"; fi
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        with: { name: update, path: "\${{ runner.temp }}/update" }
  pull-request:
    needs: fetch
    if: needs.fetch.outputs.changed == 'true' || needs.fetch.outputs.number != ''
    runs-on: ubuntu-latest
    permissions: { contents: write, pull-requests: write }${runIn(below)}
    env:
      NUMBER: \${{ needs.fetch.outputs.number }}
      CODE: \${{ needs.fetch.outputs.code }}
      CHANGED: \${{ needs.fetch.outputs.changed }}
    steps:
      - uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0
        with: { ref: "\${{ needs.fetch.outputs.head }}" }
      - uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0
        with: { name: update, path: "\${{ runner.temp }}/update" }
      - if: env.CHANGED == 'true'
        run: |
          git apply --index --include="spec/*" --include="generated/*" --include=restbound.lock.json "$RUNNER_TEMP/update/changes.patch"
          git config user.name "github-actions[bot]"
          git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
          git commit --message "Take the changes of the OpenAPI documents"
          if [ -n "$NUMBER" ]; then force=; else force=--force; fi # commits of a closed pull request are dropped
          git push $force origin "HEAD:refs/heads/$BRANCH"
      - env: { GH_TOKEN: "\${{ github.token }}" }
        run: |
          body="$RUNNER_TEMP/body.md"
          { echo "The whole report: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"; echo; } > "$body"
          head -c 60000 "$RUNNER_TEMP/update/report.md" >> "$body"
          if [ -z "$NUMBER" ]; then
            set -- --base "$GITHUB_REF_NAME" --head "$BRANCH" --title "Take the changes of the OpenAPI documents" --body-file "$body"
            if [ "$CODE" = 0 ]; then gh pr create "$@"; else
              gh pr create "$@" --draft || gh pr create "$@" # some plans have no drafts in private repositories
            fi
          else
            gh api --method PATCH "repos/$GITHUB_REPOSITORY/pulls/$NUMBER" --field "body=@$body" --silent
            if [ "$CODE" = 1 ]; then gh pr ready "$NUMBER" --undo || echo "::warning::cannot be made a draft"; fi
          fi
`;

const composeEntry = (variable: string, base = "https://api.example.com"): string =>
  `${variable}: "\${${variable}:-${base}}"`;

/** Matches consecutive lines that set base URLs and begin with `before`. */
const addressLines = (before: string): RegExp =>
  new RegExp(String.raw`^${before}REST_BASE_URL\w*=\S+(?:\n${before}REST_BASE_URL\w*=\S+)*`, "m");

/** Matches the entries after an opening brace, up to the position where another entry can be appended. */
const entries = String.raw`(?:"(?:[^"\\]|\\.)*"|[^"{}])*?(?=,?\s*\})`;

/**
 * The files that configure base URLs. `present` matches the base URLs in the form that `init` writes. `further` returns the text
 * that is appended for another base URL.
 */
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
  ...[
    ["base/settings.env", ""],
    ["overlay/kustomization.yaml", "      - "],
  ].map(([file, before = ""]) => ({
    path: `deploy/kubernetes/${file}`,
    present: addressLines(before),
    further: (variable: string, base = "https://api.example.com") => `\n${before}${variable}=${base}`,
  })),
];

/**
 * Adds another document's base URL to the files that configure base URLs. `missing` lists files that no longer have the form that
 * `init` wrote.
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
          const separator = /^\s/.test(entry) ? "" : /\{\s*$/.test(before) ? " " : ", ";
          return before + separator + entry;
        }),
      );
    else missing.push(path);
  }
  return { written, missing };
}

const copyTarball = (tarball: string | undefined): string =>
  tarball === undefined ? "" : `COPY ${JSON.stringify([tarball, `./${tarball}`])}\n`;

const filesOf = (
  name: string,
  { base, variable, tarball }: NewProject,
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

A GraphQL layer over a REST API: \`spec/schema.graphql\` names the REST operation of each field, and \`generated/\` is
generated from it. \`npm start\` serves it, \`npm run dev\` restarts on every save, \`npm run check\` proves the mapping, and
\`npm test\` queries the service.
The pages of the engine are in \`node_modules/restbound/docs\`; start with \`guides/your-own-api.md\`.
`,
  // the last entries are reports that docs/guides/ci.md writes
  ".gitignore":
    "node_modules/\ndist/\n/secrets/\n/keys\n/report.md\n/check.sarif\n/check.json\n/code-quality.json\n",
  ".gitattributes": "generated/** linguist-generated=true\n",
  Dockerfile: `FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
${copyTarball(tarball)}RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-bookworm-slim AS bundle
WORKDIR /app
COPY package.json package-lock.json ./
${copyTarball(tarball)}RUN npm ci --no-audit --no-fund
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
RUN PORT=0 METRICS_PORT=0 ${variable}=http://127.0.0.1:1 node dist/bundle/main.js graphql & pid=$!; sleep 10; kill -TERM $pid; wait $pid || echo "nothing is compiled in advance"
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
