/**
 * A schema that was written by hand over Chatwoot's document, with an overlay for what the document says wrongly. It has no
 * finding but calls that REST cannot batch, its code type-checks, and every field of it is served through Prism.
 */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kind, parse, print } from "graphql";
import { ClientError, GraphQLClient } from "graphql-request";
import { restOnlyFindings } from "../../../../src/engine/build/check/rest-only.ts";
import { RestDocument } from "../../../../src/engine/build/openapi/document.ts";
import { singleDocumentFile } from "../../../../src/engine/build/openapi/document-files.ts";
import { isValid, Project } from "../../../../src/engine/build/project/project.ts";
import { folderFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { listens, startProgram } from "../../../support/child-process.ts";
import { patient } from "../../../support/patient.ts";
import { projectOf } from "../../../support/project.ts";
import { generatedFiles, typeErrors } from "../../build/codegen/type-check.ts";
import { fetchDocument } from "../fetch.ts";
import { sources } from "../list.ts";
import { startPrism } from "../prism.ts";

/** REST has no list for several inboxes, teams, contacts or conversations. */
const unbatched = [
  "Inbox.agents",
  "Team.members",
  "Contact.conversations",
  "Conversation.inbox",
  "Conversation.messages",
];

/** Throws where it does not hold. Returns the number of values that were served. */
export async function serveChatwoot(): Promise<number> {
  const spec = mkdtempSync(join(tmpdir(), "messaging-graphql-chatwoot-"));
  try {
    cpSync(import.meta.dirname, spec, { recursive: true });
    rmSync(join(spec, "chatwoot.ts"));
    const source = sources.find(({ name }) => name === "Chatwoot");
    assert(source);
    writeFileSync(join(spec, "openapi.yaml"), fetchDocument(source));
    await prove(spec);
    return await serve(spec);
  } finally {
    rmSync(spec, { recursive: true });
  }
}

async function prove(spec: string): Promise<void> {
  const project = new Project(folderFiles(spec));
  assert(isValid(project));
  const found = [...project.diagnostics, ...restOnlyFindings(project)];
  assert.deepEqual(
    found.map(({ rule, coordinate }) => `${rule} ${coordinate}`),
    unbatched.map((coordinate) => `n-plus-one ${coordinate}`),
  );
  const files = folderFiles(spec);
  assert.deepEqual(typeErrors(await generatedFiles(files.read("schema.graphql") ?? "", files)), []);
}

async function serve(spec: string): Promise<number> {
  const { value } = new RestDocument([singleDocumentFile], folderFiles(spec).read).root;
  const mended = join(spec, "mended.json");
  writeFileSync(mended, JSON.stringify(value));
  const prism = await startPrism(mended);
  rmSync(mended);
  const copy = projectOf(spec);
  try {
    await copy.codegen();
    const role = startProgram([copy.main, "graphql"], { ...patient, REST_BASE_URL: prism.url });
    try {
      const url = new URL("/v1/graphql", await listens(role)).href;
      const operations = operationsOf(readFileSync(join(spec, "operations/dashboard.graphql"), "utf8"));
      await refusesWithoutKey(url, operations);
      const client = new GraphQLClient(url, { headers: { api_access_token: "token" } });
      let values = 0;
      let after: unknown;
      for (const [name, operation] of Object.entries(operations)) {
        const data = await client.request<Answer>(operation, variables);
        values += valuesIn(data, name);
        after ??= data.account?.conversations?.pageInfo.endCursor;
      }
      const taken = prism.taken();
      assert.deepEqual(
        taken.flatMap(({ violations }) => violations),
        [],
      );
      assert.deepEqual(new Set(taken.map(({ request }) => request)), calls);
      await client.request(operations.Conversations ?? "", { ...variables, after });
      const second = prism.taken().map(({ request }) => request);
      assert(second.includes("GET /api/v1/accounts/0/conversations?status=open&labels=vip,late&page=2"));
      return values;
    } finally {
      await role.stop();
    }
  } finally {
    copy.remove();
    await prism.stop();
  }
}

type Answer = { account?: { conversations?: { pageInfo: { endCursor: string } } } };

const variables = {
  account: 1,
  q: "a",
  id: 3,
  conversation: 7,
  before: 9,
  agent: 4,
  input: { content: "Hello" },
};

/** Each operation of the file by its name. */
const operationsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    parse(text).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? [[definition.name?.value ?? "", print(definition)]]
        : [],
    ),
  );

async function refusesWithoutKey(url: string, operations: Record<string, string>): Promise<void> {
  const refused = new GraphQLClient(url).request(operations.Account ?? "", variables);
  await assert.rejects(refused, (error) => {
    assert(error instanceof ClientError);
    const [first] = error.response.errors ?? [];
    assert.equal(first?.message, "an API key is needed, in the header api_access_token");
    return true;
  });
}

/** Counts the values. Prism sends one for each property, so none is null and no list is empty. */
function valuesIn(value: unknown, path: string): number {
  assert(value !== null && value !== undefined, `${path} is null`);
  if (typeof value !== "object") return 1;
  const entries = Object.entries(value);
  assert(entries.length > 0 || !Array.isArray(value), `${path} is empty`);
  return entries.reduce((sum, [key, item]) => sum + valuesIn(item, `${path}.${key}`), 0);
}

/** Every call behind the operations. Prism's ids are 0. */
const calls = new Set([
  "GET /api/v1/profile",
  "GET /api/v1/accounts/1",
  "GET /api/v1/accounts/0/agents",
  "GET /api/v1/accounts/0/inboxes",
  "GET /api/v1/accounts/0/inbox_members/0",
  "GET /api/v1/accounts/0/teams",
  "GET /api/v1/accounts/0/teams/0/team_members",
  "GET /api/v1/accounts/0/labels",
  "GET /api/v1/accounts/0/canned_responses",
  "GET /api/v1/accounts/0/custom_attribute_definitions?attribute_model=1",
  "GET /api/v1/accounts/0/webhooks",
  "GET /api/v1/accounts/0/integrations/apps",
  "GET /api/v2/accounts/0/reports/summary?type=account&since=1700000000",
  "GET /api/v1/accounts/0/conversations?status=open&labels=vip,late&page=1",
  "GET /api/v1/accounts/0/inboxes/0/",
  "GET /api/v1/accounts/0/conversations/0/messages",
  "GET /api/v1/accounts/0/contacts/0/conversations",
  "GET /api/v1/accounts/0/contacts?sort=-last_activity_at&page=1",
  "GET /api/v1/accounts/0/contacts/search?q=a&page=1",
  "GET /api/v1/accounts/0/contacts/3",
  "GET /api/v1/accounts/0/conversations/7",
  "GET /api/v1/accounts/0/conversations/0/messages?before=9",
  "POST /api/v1/accounts/1/conversations/7/messages",
  "POST /api/v1/accounts/1/conversations/7/toggle_status",
  "POST /api/v1/accounts/1/conversations/7/assignments",
]);
