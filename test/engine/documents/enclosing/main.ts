/**
 * `npm run suite -- enclosing`: links over Chatwoot's and GitHub's documents that take path parameters from the account or the
 * repository around them, or from the arguments that named it, served by the `graphql` role in front of Prism. Two enclosing objects stand side by side, and
 * every call must be for its own one. Prism refuses a call that the document does not allow.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RestDocument } from "../../../../src/engine/build/openapi/document.ts";
import { singleDocumentFile } from "../../../../src/engine/build/openapi/document-files.ts";
import { listens, startProgram } from "../../../support/child-process.ts";
import { patient } from "../../../support/patient.ts";
import { projectOf } from "../../../support/project.ts";
import { readArguments } from "../../../support/script-arguments.ts";
import { Verdict } from "../../../support/suites/verdict.ts";
import { specFiles } from "../fetch.ts";
import { sources } from "../list.ts";
import { startPrism } from "../prism.ts";

type Case = {
  readonly name: string;
  readonly query: string;
  /** The call whose answer holds the enclosing objects, and what it answers, made from Prism's own answer. */
  readonly first: string;
  readonly answer: (own: never) => unknown;
  /** A call below each enclosing object. */
  readonly calls: readonly RegExp[];
};

type Profile = { readonly accounts: readonly object[] };
type Repositories = readonly { readonly owner: object }[];

const cases: readonly Case[] = [
  {
    name: "Chatwoot",
    query:
      "{ profile { accounts { id conversations { id messages { content } labels } teams { members { email } } } } three: contacts(accountId: 33) { conversations { id } } four: contacts(accountId: 44) { conversations { id } } }",
    first: "/api/v1/profile",
    answer: (own: Profile) => ({ ...own, accounts: [11, 22].map((id) => ({ ...own.accounts[0], id })) }),
    calls: ["conversations/-?\\d+/messages", "conversations/-?\\d+/labels", "teams/-?\\d+/team_members"]
      .flatMap((path) => [11, 22].map((id) => `${id}/${path}`))
      .concat([33, 44].map((id) => `${id}/contacts/-?\\d+/conversations`))
      .map((path) => new RegExp(`^GET /api/v1/accounts/${path}$`)),
  },
  {
    name: "GitHub",
    query:
      '{ organizationRepositories(org: "o") { name issues { number comments { body reactions { content } } } branches { commit { statuses { state } } } } cat: branch(owner: "cat", repo: "c", branch: "main") { rules { type } protection { admins { enabled } } } dan: branch(owner: "dan", repo: "d", branch: "main") { rules { type } protection { admins { enabled } } } }',
    first: "/orgs/o/repos",
    answer: ([own]: Repositories) =>
      ["ann", "bob"].map((login) => ({ ...own, name: `of-${login}`, owner: { ...own?.owner, login } })),
    calls: ["issues/\\d+/comments", "issues/comments/\\d+/reactions", "commits/\\w+/statuses"]
      .flatMap((path) => ["ann/of-ann", "bob/of-bob"].map((name) => `${name}/${path}`))
      .concat(
        ["cat/c", "dan/d"].flatMap((name) => [
          `${name}/rules/branches/[\\w-]+`,
          `${name}/branches/main/protection/enforce_admins`,
        ]),
      )
      .map((path) => new RegExp(`^GET /repos/${path}$`)),
  },
];

await readArguments("npm run suite -- enclosing", (command) =>
  command.description(
    "Serves links that take values of enclosing objects, over Chatwoot's and GitHub's documents, through Prism. npm fetches all into a cache.",
  ),
);

const verdict = new Verdict("enclosing");
let faults = 0;
for (const each of cases) {
  const found = await faultsOf(each);
  faults += found.length;
  console.log(
    `${each.name}: ${found.length === 0 ? "each call is for its own enclosing object" : found.join("\n  ")}`,
  );
}
verdict.hold("documents", cases.length);
verdict.hold("faults", faults);

async function faultsOf({ name, query, first, answer, calls }: Case): Promise<string[]> {
  const source = sources.find((each) => each.name === name);
  if (!source) throw new Error(`no document ${name}`);
  const own = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
  const read = specFiles(source);
  const overlay = read("overlay.yaml");
  const files = new Map([
    ["openapi.yaml", read("openapi.yaml") ?? ""],
    ["schema.graphql", own(`${name.toLowerCase()}.graphql`)],
    ...(overlay === undefined ? [] : [["overlay.yaml", overlay + own("chatwoot-ids.yaml")] as const]),
  ]);
  const spec = mkdtempSync(join(tmpdir(), "messaging-graphql-enclosing-"));
  for (const [file, text] of files) writeFileSync(join(spec, file), text);
  const { value } = new RestDocument([singleDocumentFile], (file) => files.get(file)).root;
  const served = join(spec, "served.json");
  writeFileSync(served, JSON.stringify(value));
  const prism = await startPrism(served);
  const front = createServer(async (request, response) => {
    const headers = { accept: "application/json", api_access_token: "token" };
    const reply = await fetch(new URL(String(request.url), prism.url), { headers });
    const body: unknown = await reply.json();
    const sent = request.url?.startsWith(first) ? answer(body as never) : body;
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(sent));
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const copy = projectOf(spec);
  await copy.codegen();
  const REST_BASE_URL = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const role = startProgram([copy.main, "graphql"], { ...patient, REST_BASE_URL });
  try {
    const url = new URL("/v1/graphql", await listens(role));
    const headers = { "content-type": "application/json", api_access_token: "token" };
    const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
    const { errors = [] } = (await reply.json()) as { errors?: { message: string }[] };
    const taken = prism.taken();
    const made = taken.map(({ request }) => request);
    return [
      ...errors.map(({ message }) => message),
      ...taken.flatMap(({ request, status, text }) =>
        status === 200 ? [] : [`${request}: ${status} ${text}`],
      ),
      ...calls.flatMap((call) =>
        made.some((request) => call.test(request)) ? [] : [`no call like ${call}`],
      ),
    ];
  } finally {
    await role.stop();
    front.close();
    await prism.stop();
    copy.remove();
    rmSync(spec, { recursive: true });
  }
}
