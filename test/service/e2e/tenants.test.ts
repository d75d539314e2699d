/** All roles, real sockets, many tenants at once: whatever is shared on the way, no answer crosses over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { runReady } from "../server/program.ts";
import { makeTenants, rows, type Tenant } from "./many-tenants.ts";

/** `npm run suite -- tenants` sends 10,000. */
const requests = Number(process.env.REQUESTS ?? 500);
const clients = 50;
const query = `{
  me { id tenantId email }
  contacts { id name }
  agents { id name }
  conversations { id subject contact { id name } assignee { id name } messages { id body } }
}`;

type Named = { id: string; name: string };
type Answer = {
  errors?: unknown;
  data: {
    me: { id: string; tenantId: string; email: string };
    contacts: Named[];
    agents: Named[];
    conversations: {
      id: string;
      subject: string;
      contact: Named;
      assignee: Named;
      messages: { id: string; body: string }[];
    }[];
  };
};

/** The program with a store of 50 tenants. */
async function startTenants(): Promise<{ tenants: Tenant[]; pool: Pool }> {
  const directory = mkdtempSync(join(tmpdir(), "tenants-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "store.sqlite");
  const tenants = makeTenants(file, 50);
  const { url } = await runReady([], {
    DATA_FILE: file,
    // a busy machine takes its time for fifty requests at once
    CALL_TIMEOUT_MS: "120000",
    REQUEST_TIMEOUT_MS: "120000",
  });
  const pool = new Pool(url, { connections: clients });
  onTestFinished(() => pool.destroy());
  return { tenants, pool };
}

async function ask(pool: Pool, key: string): Promise<Answer> {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const body = JSON.stringify({ query });
  const answer = await pool.request({ path: "/v1/graphql", method: "POST", headers, body });
  const text = await answer.body.text();
  if (answer.statusCode === 503 && answer.headers["retry-after"]) return ask(pool, key); // refused for overload
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** Everything in an answer that is not this tenant's, or not there. */
function findCrossovers(tenant: Tenant, { errors, data }: Answer): string[] {
  if (errors) return [JSON.stringify(errors)];
  const found: string[] = [];
  const expectText = (text: string, wanted: string): void => {
    if (text !== wanted) found.push(`${text} instead of ${wanted}`);
  };
  expectText(data.me.id, `usr_${tenant.id}`);
  expectText(data.me.tenantId, tenant.id);
  expectText(data.me.email, `${tenant.id}@mail.example`);
  const numberOf = (id: string): string => id.split("_")[1] ?? "";
  const expectNamed = ({ id, name }: Named, kind: string): void => {
    expectText(name, `${tenant.id}/${kind} ${numberOf(id)}`);
  };
  for (const contact of data.contacts) expectNamed(contact, "contact");
  for (const agent of data.agents) expectNamed(agent, "agent");
  for (const { id, subject, contact, assignee, messages } of data.conversations) {
    const number = numberOf(id);
    expectNamed({ id, name: subject }, "conversation");
    expectText(contact.id, `ctc_${number}`);
    expectText(assignee.id, `agt_${number}`);
    expectNamed(contact, "contact");
    expectNamed(assignee, "agent");
    expectText(messages.map(({ id: message }) => message).join(), `msg_${number}`);
    for (const message of messages) expectNamed({ id: message.id, name: message.body }, "message");
  }
  const counts = [data.contacts.length, data.agents.length, data.conversations.length];
  if (counts.some((count) => count !== rows)) found.push(`${counts.join()} rows`);
  return found;
}

test("interleaved requests of 50 tenants: 0 crossovers", { timeout: 300_000 }, async () => {
  const { tenants, pool } = await startTenants();
  const crossovers: string[] = [];
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < requests) {
      const tenant = tenants[sent++ % tenants.length]!;
      crossovers.push(...findCrossovers(tenant, await ask(pool, tenant.key)));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  expect(crossovers.slice(0, 10)).toEqual([]);
  expect(sent).toBe(requests);
});
