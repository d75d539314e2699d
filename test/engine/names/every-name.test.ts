/**
 * Every kind of name may be one that every object inherits, such as `constructor`: what is generated, sent to REST and
 * answered is the same as for any other name of the same form.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { generate } from "../../../src/engine/build/codegen/generate.ts";
import { run as explain } from "../../../src/engine/build/explain/explain-command.ts";
import { projectAt } from "../../../src/engine/build/project/project.ts";
import { run as propose } from "../../../src/engine/build/propose/propose-command.ts";
import { packageFiles } from "../../../src/engine/client-package/package-files.ts";
import { open } from "../../../src/engine/exports/server.ts";
import type { GeneratedApi } from "../../../src/engine/runtime/rest/generated-api.ts";
import { patient } from "../../support/patient.ts";
import { Random } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";
import { stepFindings } from "../build/check/in-memory.ts";
import { ran } from "../build/check/run.ts";
import { typeErrors } from "../build/codegen/type-check.ts";
import { execute, openPair } from "../runtime/graphql/pairs.ts";
import { http, rawServer } from "../runtime/rest/raw-server.ts";
import {
  graphqlSchema,
  type Names,
  openapi,
  operations,
  stricter,
  typesOpenapi,
  typesSchema,
} from "./named-spec.ts";

const project = join(import.meta.dirname, "../../..");
const inherited = Object.getOwnPropertyNames(Object.prototype);
/** The name that did most harm, and one of the others. `npm run suite -- fuzz` takes all. */
const chosen =
  process.env.EVERY_NAME === undefined
    ? [...new Set(["__proto__", new Random("names", seed).pick(inherited)])]
    : inherited;

/** The name in REST, and in GraphQL, where none may begin with two underscores. */
const namesOf = (name: string): Names => ({ rest: name, graphql: name.replaceAll("_", "") });

/** A name of the same form that no object inherits. */
const neutral = (name: string): string => name.replaceAll(/[a-z]/g, "q").replaceAll(/[A-Z]/g, "Q");

/** The text with one name in place of the other. */
function renamed(text: string, from: string, to: string): string {
  const [old, now] = [from, to].map((name) => name.replaceAll("_", "")) as [string, string];
  const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
  return text
    .replaceAll(capital(old), capital(now))
    .replaceAll(old, now)
    .replaceAll(old.toLowerCase(), now.toLowerCase())
    .replaceAll(old.toUpperCase(), now.toUpperCase());
}

/** The digest of an operation's text depends on its names. */
const withoutIds = (text = ""): string => text.replaceAll(/[0-9a-f]{64}/g, "");

/** A project; its document is one of several if it has a name. */
function projectFor(names: Names, document?: string): string {
  const root = mkdtempSync(join(tmpdir(), "names-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, "spec/operations"), { recursive: true });
  mkdirSync(join(root, "spec/openapi"));
  writeFileSync(
    join(root, document === undefined ? "spec/openapi.yaml" : `spec/openapi/${document}.yaml`),
    openapi(names),
  );
  writeFileSync(join(root, "spec/schema.graphql"), graphqlSchema(names));
  for (const [file, text] of Object.entries(operations(names)))
    writeFileSync(join(root, "spec/operations", file), text);
  return root;
}

async function generated(root: string): Promise<Map<string, string>> {
  const files = await generate(projectAt(root).proved());
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return files;
}

/** A REST object without the member, or with it. */
const thing = (name: string, id: string, value?: string) => ({
  id,
  ...(value !== undefined && { [name]: value }),
  deep: value === undefined ? {} : { [name]: `${value}-deep` },
  kind: name,
});

function answerOf({ rest: name }: Names, path: string): unknown {
  const [route = ""] = path.split("?");
  if (route === "/optional") return [thing(name, "bare"), thing(name, "full", "value")];
  if (route === "/many") return { [name]: [{ [name]: "value", label: "many" }, { label: "without a key" }] };
  if (route.startsWith("/needed")) return { label: route.slice(8).replace(name, "") };
  if (route === "/search" || route === "/inherited") return { label: path.slice(path.indexOf("?") + 1) };
  if (route === "/maps")
    return Object.fromEntries([
      [name, "one"],
      ["b", "two"],
    ]);
  if (route === "/pages") return { [name]: [thing(name, "page")], next: "next" };
  if (route === "/members") return [{ [name]: name }, { [name]: "second", label: "two" }];
  if (route === "/holders") return [{ [name]: "held" }, { other: "free" }, {}];
  if (route === `/${name}/bad`) return undefined;
  if (route.startsWith(`/${name}/`)) return thing(name, "one", "value");
  return { ok: "done" };
}

/** What REST was asked, and what the client was answered. */
async function served(names: Names, root: string) {
  const rest = await rawServer((socket, request) => {
    const path = decodeURIComponent(request.split(" ", 2)[1] ?? "");
    const answer = answerOf(names, path);
    socket.write(
      answer === undefined
        ? http(400, JSON.stringify({ argument: names.rest }), { "content-type": "application/problem+json" })
        : http(200, JSON.stringify(answer), { [names.rest]: "a" }),
    );
  });
  const { rest: name, graphql } = names;
  const manifest = join(root, "manifest.json");
  writeFileSync(manifest, `{ "${name}": "query ${name} { ${name}: optional { ${name}: id } }" }`);
  const { api } = (await import(join(root, "generated/index.ts"))) as { api: GeneratedApi };
  const { url, close } = await open(
    { name: "names", root, api: async () => api },
    {
      ...patient,
      [`REST_BASE_URL_${names.rest.toUpperCase()}`]: rest.url.href,
      MCP: "on",
      OPERATIONS_FROM: `${graphql}=${manifest}`,
    },
  );
  onTestFinished(close);
  const post = async (path: string, body: string, headers: Record<string, string> = {}): Promise<string> => {
    const init = {
      "content-type": "application/json",
      "x-api-key": "k",
      accept: "application/json, text/event-stream",
    };
    const response = await fetch(new URL(path, url), {
      method: "POST",
      headers: { ...init, ...headers },
      body,
    });
    return `${response.status} ${(await response.text()).replaceAll(/"requestId":"[^"]*"/g, '"requestId":""')}`;
  };
  const ask = (query: string, more = "{}"): Promise<string> =>
    post("/v1/graphql", `{"query":${JSON.stringify(query)},${more.slice(1)}`.replace(",}", "}"));
  const call = (tool: string, given: string): Promise<string> =>
    post(
      "/v1/mcp",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${given}}}`,
    );
  const selection = `{ id ${graphql} deep kind many { ${graphql} label } needed { label } neededBelow { label } search { label } searchBelow { label } inner { ${graphql} enclosing { label } } }`;
  const answers: string[] = [];
  for (const next of [
    () => ask(`{ optional ${selection} }`),
    () =>
      ask(
        `{ optional(${graphql}: "value", kind: ${graphql}, filter: { ${graphql}: "f" }, limit: 2) ${selection} }`,
      ),
    () => ask(`{ optional(${graphql}: "VALUE") { id } }`),
    () => ask(`{ optional(filter: {}) { id } }`),
    // response keys, variables, operations and fragments may begin with two underscores
    () =>
      ask(
        `query ${name}($${name}: String, $b: Filter) { ${name}: optional(${graphql}: $${name}, filter: $b) { ...${name} } } fragment ${name} on Thing { ${name}: id ${name}2: ${graphql} }`,
      ),
    () =>
      ask(
        `query ${name}($${name}: String) { ${name}: optional(${graphql}: $${name}) { ${name}: id } }`,
        `{"operationName":"${name}","variables":{"${name}":"v"}}`,
      ),
    () => ask(`query ($${name}: Boolean = true) { optional @skip(if: $${name}) { id } }`),
    () =>
      ask(
        `query ($b: Filter) { optional(filter: $b) { id } }`,
        `{"variables":{"b":{"${name}":"f","${graphql}":"f"}}}`,
      ),
    () => ask(`query ($b: Filter) { optional(filter: $b) { id } }`, `{"variables":{"b":{}}}`),
    () => ask(`{ __typename }`, `{"operationName":"${name}"}`),
    () => ask(`{ optional { ${name} } }`),
    () => ask(`{ optional(${name}2: 1) { id } }`),
    () => ask(`{ ...${name} }`),
    () => ask(`{ optional @${name} { id } }`),
    () => ask(`query ($a: ${name}) { optional { id } }`),
    () => post("/v1/graphql", `{"documentId":"${name}"}`),
    () => post("/v1/graphql", `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${name}"}}}`),
    () =>
      post(
        "/v1/graphql",
        `{"query":"{ __typename }","extensions":{"${name}":{"${name}":1}},"${name}":{"query":"{ optional { id } }"}}`,
      ),
    () => post("/v1/graphql", `{"${name}":{"query":"{ optional { id } }"}}`),
    () => ask(`{ ${graphql}(path: "p") ${selection} }`),
    () => ask(`{ ${graphql}(path: "p", ${graphql}: "q", header: "h") ${selection} }`),
    () => ask(`{ ${graphql}(path: "bad", ${graphql}: "q", header: "h") { id } }`),
    () => ask(`{ ${graphql}(path: "012345678901234567890") { id } }`),
    () => ask(`{ maps { key value } }`),
    () => ask(`{ pages { nodes { ${graphql} } pageInfo { hasNextPage endCursor } } }`),
    () => ask(`{ pages(${graphql}: "v", after: "bmV4dA") { nodes { ${graphql} } } }`),
    () => ask(`{ members { __typename ... on Second { label } } }`),
    () => ask(`{ holders { __typename ... on Other { other } } }`),
    () => ask(`mutation { addJson(input: {}) { ok } }`),
    () =>
      ask(
        `mutation { addJson(input: { ${graphql}: "a", below: { ${graphql}: "b" }, open: { ${name}: { ${name}: 1 } } }) { ok } }`,
      ),
    () =>
      ask(
        `mutation ($i: NewThing!) { addJson(input: $i) { ok } }`,
        `{"variables":{"i":{"below":{},"open":{"${name}":{"${name}":1}}}}}`,
      ),
    () => ask(`mutation { addJson(input: { ${graphql}: "012345678901234567890" }) { ok } }`),
    () => ask(`mutation { addJsonParts { ok } }`),
    () => ask(`mutation { addJsonParts(${graphql}: "a", below: { plain: "p" }) { ok } }`),
    () => ask(`mutation { addForm { ok } }`),
    () => ask(`mutation { addForm(${graphql}: "a", list: ["b"]) { ok } }`),
    () => ask(`mutation { addParts { ok } }`),
    () => ask(`mutation { addParts(${graphql}: "a") { ok } }`),
    () => post("/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
    () => post("/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"${name}"}`),
    () => post("/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}2"}}`),
    () => call(`${name}`, "{}"),
    () => call(`${name}`, `{"${name}":"v"}`),
    () => ask(`{ optional { id } }`.replace("optional", `o: optional`), `{"variables":{"${name}":{}}}`),
    () => post("/v1/graphql", `{"query":"{ optional { id } }"}`, { [name]: "x", [`x-${name}`]: "y" }),
  ])
    answers.push(await next());
  const requests = rest.requests.map((request) =>
    request
      .replaceAll(/x-request-id: .*|traceparent: .*|host: .*/gi, "")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "boundary")
      .trim(),
  );
  return { requests: requests.sort(), answers };
}

/** The text of a name that would set a prototype as a key: it is computed. Suggestions depend on the letters of a name. */
const unified = (text: string): string =>
  text.replaceAll('["__proto__"]:', "__proto__:").replaceAll(/ Did you mean [^?]*\?/g, "");

test.each(chosen)("%s is generated, sent and answered as any other name", async (name) => {
  const plain = namesOf(neutral(name));
  const given = namesOf(name);
  const roots = [projectFor(plain), projectFor(given)] as const;
  const plainFiles = await generated(roots[0]);
  const files = await generated(roots[1]);
  expect(typeErrors(new Map([...files].filter(([path]) => /\.(ts|json)$/.test(path))))).toEqual([]);
  for (const path of ["arguments.ts", "documents.ts", "operations.ts", "rest.ts", "schema.graphql"])
    expect(unified(withoutIds(files.get(`generated/${path}`)))).toBe(
      renamed(withoutIds(plainFiles.get(`generated/${path}`)), plain.rest, name),
    );
  const expected = await served(plain, roots[0]);
  const found = await served(given, roots[1]);
  const lines = (list: readonly string[]): string[] =>
    list.map((text) => unified(renamed(text, plain.rest, name)));
  expect(found.answers.map(unified)).toEqual(lines(expected.answers));
  expect(found.requests).toEqual(lines(expected.requests).sort());
  expect(found.requests.join("\n")).not.toMatch(/native code|\[object/);
});

test("constructor is a name like any other of a document beside others", async () => {
  const plain = "qqqqqqqqqqq";
  const name = "constructor";
  const roots = [projectFor(namesOf(plain), plain), projectFor(namesOf(name), name)] as const;
  for (const root of roots) await generated(root);
  const expected = await served(namesOf(plain), roots[0]);
  const found = await served(namesOf(name), roots[1]);
  expect(found.answers.map(unified)).toEqual(
    expected.answers.map((text) => unified(renamed(text, plain, name))),
  );
  expect(found.requests).toEqual(expected.requests.map((text) => renamed(text, plain, name)).sort());
});

const graphqlNames = inherited.filter((name) => !name.startsWith("__"));

test.each(graphqlNames)("types of every kind have such names; %s is an object type", async (name) => {
  const first = graphqlNames.indexOf(name);
  const names = [...graphqlNames.slice(first), ...graphqlNames.slice(0, first)];
  const root = projectFor(namesOf("plain"));
  writeFileSync(join(root, "spec/openapi.yaml"), typesOpenapi);
  writeFileSync(join(root, "spec/schema.graphql"), typesSchema(names));
  rmSync(join(root, "spec/operations"), { recursive: true });
  const files = await generated(root);
  expect(typeErrors(new Map([...files].filter(([path]) => path.endsWith(".ts"))))).toEqual([]);
  const [type, iface, , kind, input] = names;
  const query = `query ($filter: ${input}, $kind: ${kind}) {
    things(filter: $filter, kind: $kind) { __typename ... on ${type} { id kind value } }
    choices { __typename ... on ${iface} { common } ... on One { one } }
    shown { __typename common }
  }`;
  const get = async (path: unknown): Promise<unknown> =>
    path === "/things" ? [{ id: "1", kind: "a-b", value: { constructor: 1 } }] : [{ common: "c", two: "t" }];
  const pair = await openPair(join(root, "spec"));
  const { data, errors } = await execute(pair, { query, variables: { filter: {}, kind: "A_B" } }, { get });
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    things: [{ __typename: type, id: "1", kind: "A_B", value: { constructor: 1 } }],
    choices: [{ __typename: "Two", common: "c" }],
    shown: [{ __typename: "Two", common: "c" }],
  });
});

/** What the commands print of a project, and of the step from its document to a stricter one. */
async function printed(names: Names): Promise<string[]> {
  const root = projectFor(names);
  const { model, saved } = projectAt(root).proved();
  const { rest, graphql } = names;
  const steps = stepFindings(graphqlSchema(names), openapi(names), stricter(names));
  const client = await packageFiles({ model, saved, name: "client" });
  const all = Object.values(
    JSON.parse(openapi(names)).paths as Record<string, Record<string, { operationId: string }>>,
  )
    .flatMap((item) => Object.values(item))
    .map(({ operationId }) => operationId);
  return [
    ...(await Promise.all([
      ran(root, [rest, `Query.${graphql}`, "Query.optional", "Thing.many", "Deep.enclosing"], explain),
      ran(root, ["--format", "mermaid", rest], explain),
      ran(root, all, propose),
      ran(root, ["--format", "json"]),
    ]).then((results) => results.map(({ code, out, error }) => `${code} ${out} ${error}`))),
    ...steps.map(({ rule, message, hint }) => `${rule} ${message} ${hint}`),
    ...[...client].map(([path, text]) => `${path}\n${text}`),
  ];
}

test.each(chosen)("%s is proposed, explained, checked and packed as any other name", async (name) => {
  const expected = await printed(namesOf(neutral(name)));
  const found = await printed(namesOf(name));
  const withoutHashes = (text: string): string => unified(text).replaceAll(/[0-9a-f]{12,64}/g, "");
  expect(found.map(withoutHashes).sort()).toEqual(
    expected.map((text) => withoutHashes(renamed(text, neutral(name), name))).sort(),
  );
});
