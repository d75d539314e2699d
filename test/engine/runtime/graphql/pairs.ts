/**
 * Opens the role's GraphQL side for any spec pair: the generated code on the role's Apollo Server, in front of REST calls
 * that fail at once.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GraphQLSchema } from "graphql";
import { onTestFinished } from "vitest";
import { generate } from "../../../../src/engine/build/codegen/generate.ts";
import { projectAt } from "../../../../src/engine/build/project/project.ts";
import { CodedError } from "../../../../src/engine/runtime/coded-error.ts";
import { Apollo } from "../../../../src/engine/runtime/graphql/apollo.ts";
import { buildSchema } from "../../../../src/engine/runtime/graphql/executable-schema.ts";
import { LogLines } from "../../../../src/engine/runtime/observe/log-lines.ts";
import type { GeneratedApi } from "../../../../src/engine/runtime/rest/generated-api.ts";
import { readConfig } from "../../../../src/engine/runtime/settings/config.ts";
import { freeScope } from "./free-scope.ts";

const project = join(import.meta.dirname, "../../../..");
const cases = join(project, "test/engine/build/codegen/cases");
const bindCases = join(project, "test/engine/build/bind/cases");

/** The spec pairs of the engine's tests: name → folder. */
export const pairs: readonly (readonly [name: string, folder: string])[] = [
  ["the desk's", join(project, "test/engine/desk/spec")],
  ["another API's", join(project, "test/engine/another-api/spec")],
  ["the vendor's", join(project, "test/engine/vendor/spec")],
  ["the depot's", join(project, "test/engine/depot/spec")],
  ...readdirSync(cases).map((name) => [name, join(cases, name)] as const),
];

/** The cases of the proof that have no error, so that code is generated from them. */
export const boundPairs: typeof pairs = readdirSync(bindCases).flatMap((name) => {
  const found = join(bindCases, name, "diagnostics.txt");
  const hasError = existsSync(found) && /^error /m.test(readFileSync(found, "utf8"));
  return hasError ? [] : [[`the proof's ${name}`, join(bindCases, name)] as const];
});

export type Pair = { readonly schema: GraphQLSchema; readonly apollo: Apollo };
/** JSON Schema of each argument's value, by the field's schema coordinate. */
export type ArgumentSchemas = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The API that is generated from `folder`, until the current test has finished. */
export async function openApi(folder: string): Promise<GeneratedApi> {
  const root = mkdtempSync(join(tmpdir(), "messaging-graphql-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, target] of [
    ["spec", folder],
    ["src", join(project, "src")],
    ["node_modules", join(project, "node_modules")],
  ] as const)
    symlinkSync(target, join(root, name));
  const made = join(folder, "../generated");
  if (existsSync(made)) cpSync(made, join(root, "generated"), { recursive: true });
  else
    for (const [path, text] of await generate(projectAt(root).proved())) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  return (await import(join(root, "generated/index.ts"))).api;
}

/** Opens the code generated from `folder` until the current test has finished. */
export async function openPair(folder: string): Promise<Pair & { schemas: ArgumentSchemas }> {
  const api = await openApi(folder);
  return { ...(await openSchema(buildSchema(api))), schemas: api.argumentSchemas };
}

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens an existing schema. */
export async function openSchema(schema: GraphQLSchema): Promise<Pair> {
  const config = readConfig({ NODE_ENV: "production", REST_BASE_URL: "http://127.0.0.1:1" }, ["graphql"]);
  const apollo = new Apollo({ config, schema, log: log as never, executions: { count: 0 } });
  await apollo.start();
  onTestFinished(() => apollo.stop());
  return { schema, apollo };
}

const unavailable = async (..._call: unknown[]): Promise<unknown> => {
  throw new CodedError("UPSTREAM_UNAVAILABLE", "no REST here");
};
const rest = {
  get: unavailable,
  find: unavailable,
  post: unavailable,
  put: unavailable,
  patch: unavailable,
  delete: unavailable,
};

/** Executes a body's parameters as the role does, and returns the response. `own` are REST calls that do not fail. */
export async function execute({ apollo }: Pair, parameters: object, own: Partial<typeof rest> = {}) {
  const client = { ...rest, ...own, forField: () => client };
  const { body } = await apollo.execute(
    parameters as { query: string },
    {
      rest: client,
      log: new LogLines(log as never, "off"),
      requestId: "r",
      scope: freeScope,
    } as never,
  );
  if (body.kind !== "single") throw new Error("no incremental answers here");
  return body.singleResult;
}
