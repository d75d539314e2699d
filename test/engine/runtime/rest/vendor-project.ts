/** A project with vendors' APIs whose credentials the server holds, and stand-ins of the vendors on real sockets. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { generate } from "../../../../src/engine/build/codegen/generate.ts";
import { projectAt } from "../../../../src/engine/build/project/project.ts";
import { open, type Service } from "../../../../src/engine/exports/server.ts";
import type { GeneratedApi } from "../../../../src/engine/runtime/rest/generated-api.ts";
import { patient } from "../../../support/patient.ts";

/** Each has the word `c4nary`, and the tests look for the word wherever a secret must not be. */
export const canary = "c4nary";
export const secrets = {
  "pager-key": "Token token=c4nary/pager+key=1",
  "maps-key": "c4nary-maps-key",
  "tracker/acme": "c4nary-tracker-of-acme",
  "tracker/globex": "c4nary-tracker-of-globex",
  "bank-client": "our client:c4nary/secret=+",
  "mail-login": "robot:c4nary-mail-password",
};

const list = (item: string) =>
  `{ "200": { description: ok, content: { application/json: { schema: { type: array, items: ${item} } } } } }`;
const named = `{ type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }`;
const one = `{ "200": { description: ok, content: { application/json: { schema: ${named} } } }, "404": { description: none, content: { application/json: { schema: {} } } } }`;
const id = `parameters: [{ name: id, in: path, required: true, schema: { type: string } }]`;
const head = (title: string) => `openapi: 3.1.0\ninfo: { title: ${title}, version: "1" }\n`;

export const spec: Readonly<Record<string, string>> = {
  "openapi/pager.yaml": `${head("pager")}security: [{ key: [] }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: Authorization } } }
paths:
  /services:
    get: { operationId: listServices, responses: ${list(named)} }
    post:
      operationId: addService
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string } } } } } }
      responses:
        "201": { description: ok, content: { application/json: { schema: ${named} } } }
        "422": { description: refused, content: { application/problem+json: { schema: { type: object, properties: { title: { type: string }, detail: { type: string } } } } } }
  /services/{id}:
    get: { operationId: getService, ${id}, responses: ${one} }
`,
  "openapi/tracker.yaml": `${head("tracker")}security: [{ token: [] }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
paths:
  /issues:
    get: { operationId: listIssues, responses: ${list(named)} }
    post:
      operationId: addIssue
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string } } } } } }
      responses: { "201": { description: ok, content: { application/json: { schema: ${named} } } } }
  /issues/{id}:
    get: { operationId: getIssue, ${id}, responses: ${one} }
`,
  "openapi/maps.yaml": `${head("maps")}security: [{ key: [] }]
components: { securitySchemes: { key: { type: apiKey, in: query, name: api_key } } }
paths:
  /places:
    get:
      operationId: listPlaces
      parameters:
        - { name: q, in: query, schema: { type: string } }
        - { name: filter, in: query, style: form, explode: true, schema: { type: object, additionalProperties: { type: string } } }
      responses: ${list(named)}
`,
  "openapi/mail.yaml": `${head("mail")}security: [{ login: [] }]
components: { securitySchemes: { login: { type: http, scheme: basic } } }
paths:
  /boxes:
    get: { operationId: listBoxes, responses: ${list(named)} }
`,
  "openapi/own.yaml": `${head("own")}security: [{ key: [] }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Own-Key } } }
paths:
  /notes:
    get: { operationId: listNotes, responses: ${list(named)} }
`,
  "schema.graphql": `type Query {
  services: [Service!] @rest(operation: "listServices")
  service(id: ID!): Service @rest(operation: "getService")
  issues: [Issue!] @rest(operation: "listIssues")
  issue(id: ID!): Issue @rest(operation: "getIssue")
  places(q: String, filter: JSON): [Place!] @rest(operation: "listPlaces")
  boxes: [Box!] @rest(operation: "listBoxes")
  notes: [Note!] @rest(operation: "listNotes")
}

type Mutation {
  addService(input: AddName!): Service! @rest(operation: "addService")
  addIssue(input: AddName!): Issue! @rest(operation: "addIssue")
}

scalar JSON

input AddName {
  name: String!
}

${["Service", "Issue", "Place", "Box", "Note"].map((type) => `type ${type} {\n  id: ID!\n  name: String!\n}\n`).join("\n")}`,
};

/** `spec/credentials.yaml`, with the origins of the vendors. */
export const credentialsFor = (origins: Readonly<Record<string, string>>): string => `
pager:
  origin: ${origins.pager}
  schemes: { key: { file: pager-key } }
  everyTenantMay:
    GET /services: our own services, on the public status page
    GET /services/{id}: the same
    POST /services: anybody may add a service
  writes: { POST /services: anybody may add a service }
tracker:
  origin: ${origins.tracker}
  schemes: { token: { filePerTenant: tracker } }
  writes: { POST /issues: a tenant adds to its own issues }
maps:
  origin: ${origins.maps}
  schemes: { key: { file: maps-key } }
  everyTenantMay: { GET /places: places are public }
mail:
  origin: ${origins.mail}
  schemes: { login: { file: mail-login } }
  everyTenantMay: { GET /boxes: names of public boxes }
`;

export type Seen = { readonly line: string; readonly headers: IncomingMessage["headers"] };
export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void =>
  void response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));

type Vendor = { readonly seen: readonly Seen[]; readonly origin: string };
type StandIn = { readonly begin: (answer: Answer) => Vendor; readonly close: () => void };

/** A server whose answers and memory are those of the test that began it last. */
async function startStandIn(): Promise<StandIn> {
  let [seen, answer]: [Seen[], Answer] = [[], () => {}];
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    const respond = answer;
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => respond(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const begin = (now: Answer): Vendor => {
    seen = [];
    answer = now;
    onTestFinished(() => server.closeAllConnections());
    return { seen, origin };
  };
  return { begin, close: () => void server.close() };
}

/** A vendor that remembers what it was asked. */
export async function vendor(answer: Answer): Promise<Vendor> {
  const { begin, close } = await startStandIn();
  onTestFinished(close);
  return begin(answer);
}

export const names = ["pager", "tracker", "maps", "mail", "own", "bank"] as const;

/**
 * Stand-ins of all vendors that no test uses now. Most layers differ in their origins alone, so one that gets the origins of an
 * earlier test needs no code to be generated and compiled.
 */
const idle: Record<(typeof names)[number], StandIn>[] = [];

async function vendorsOfTest(answer: Answer) {
  const standIns = idle.pop() ?? (await eachVendor(startStandIn));
  onTestFinished(() => void idle.push(standIns));
  return eachVendor(async (name) => standIns[name].begin(answer));
}

const eachVendor = async <T>(make: (name: (typeof names)[number]) => Promise<T>) =>
  Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await make(name)] as const)),
  ) as Record<(typeof names)[number], T>;

type Generated = { readonly files: ReadonlyMap<string, string>; readonly api: GeneratedApi };
/** What was generated from each spec, by the spec's files. */
const known = new Map<string, Generated>();
/** The folders that it was imported from, which it reads later. */
const imported: string[] = [];
process.on("exit", () => {
  for (const root of imported) rmSync(root, { recursive: true, force: true });
});

/** The generated files of the project's spec, and the module that they are, imported once for each spec. */
async function generatedOf(root: string, spec: object): Promise<Generated> {
  const key = JSON.stringify(spec);
  const earlier = known.get(key);
  if (earlier) return earlier;
  const files = await generate(projectAt(root).proved());
  const lasting = emptyFolder();
  imported.push(lasting.root);
  for (const [path, text] of files) lasting.write(path, text);
  const { api }: { api: GeneratedApi } = await import(join(lasting.root, "generated/index.ts"));
  const generated = { files, api };
  known.set(key, generated);
  return generated;
}

/** A folder with this repository's packages; `write` adds a file. */
function emptyFolder() {
  const root = mkdtempSync(join(tmpdir(), "vendor-"));
  symlinkSync(join(import.meta.dirname, "../../../../node_modules"), join(root, "node_modules"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return { root, write };
}

/** A folder with the spec and the secrets. */
export function folders(files: Readonly<Record<string, string>>) {
  const { root, write } = emptyFolder();
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) write(`spec/${name}`, text);
  for (const [name, text] of Object.entries(secrets)) write(`secrets/${name}`, `${text}\n`);
  return { root, write, directory: join(root, "secrets") };
}

export const proof = "proof-of-the-gateway-0123456789";

/** The layer over stand-ins of all vendors, each with the same answer. */
export async function layer(
  answer: Answer,
  {
    files,
    credentials,
    edit = (text) => text,
  }: {
    readonly files?: Readonly<Record<string, string>>;
    readonly credentials?: (origins: Readonly<Record<string, string>>) => string;
    /** Changes `spec/credentials.yaml`. */
    readonly edit?: (text: string) => string;
  } = {},
) {
  const vendors = await vendorsOfTest(answer);
  const origins = Object.fromEntries(names.map((name) => [name, vendors[name].origin]));
  const held = edit(credentialsFor(origins) + (credentials?.(origins) ?? ""));
  const texts = { ...spec, ...files, "credentials.yaml": held };
  const project = folders(texts);
  const { files: generated, api } = await generatedOf(project.root, texts);
  for (const [path, text] of generated) project.write(path, text);
  const service: Service = { name: "vendor", root: project.root, api: async () => api };
  const urls = Object.fromEntries(
    names.map((name) => [`REST_BASE_URL_${name.toUpperCase()}`, origins[name]]),
  );
  const env = {
    ...patient,
    ...urls,
    CREDENTIALS_DIRECTORY: project.directory,
    GATEWAY_SECRET: proof,
  };
  const begin = async (changes: NodeJS.ProcessEnv = {}) => {
    const running = await open(service, { ...env, ...changes });
    onTestFinished(running.close);
    return running;
  };
  return { vendors, project, generated, service, env, begin };
}

/** What the gateway sends for a caller of a tenant. */
export const asTenant = (tenant: string, others: Readonly<Record<string, string>> = {}) => ({
  "x-gateway-proof": proof,
  "x-service-tenant-id": tenant,
  "x-service-user-id": "u",
  "x-service-api-key-id": "k",
  ...others,
});

type Rows = Readonly<Record<string, readonly { readonly id: string; readonly name: string }[] | null>>;
export type Answered = {
  readonly data?: Rows | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
};

export async function ask(
  url: URL,
  query: string,
  headers: Readonly<Record<string, string>>,
  variables = {},
): Promise<Answered> {
  const response = await fetch(new URL("/v1/graphql", url), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answered;
}
