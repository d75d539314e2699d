/**
 * Two replicas of the graphql role over one REST platform, with shared reads and the cache on: whoever has written, through
 * either replica or at REST itself, reads it at once through both, and no answer crosses over to another caller.
 *
 * Each caller has clients of its own, which poll the same query, some at the same time, so its reads are shared, cached and
 * revalidated. One of ten requests is a write. A client alone writes to its contact, and counts its messages. An answer is stale if it lacks a message that any
 * client of the caller had a response for before it asked. What REST declares fresh for some seconds (the profile) may be
 * older than that on a replica that did not see the write: REST says so, and nothing here writes it.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { runReady } from "../server/program.ts";
import { makeTenants, type Tenant } from "./many-tenants.ts";

/** `npm run suite -- tenants` sends 10,000, `npm run suite -- replicas` 100,000. */
const requests = Number(process.env.REQUESTS ?? 500);
const timeout = Math.max(300_000, 30 * requests);
/** Fifty callers where there are requests enough for each of their clients to write. */
const callers = requests > 1_000 ? 50 : 25;
const clientsOfCaller = 2;
/** A client's turns, again and again: a write and its read, and then viewers who poll at the same time. */
const viewers = [0, 3, 3, 2];

const polled = `
  me { tenantId email }
  agents { name }
  conversations { id channel lastMessageAt messages(last: 2) { body } }`;
const poll = `{ ${polled} }`;
const readBack = `query ($id: ID!) { message(id: $id) { id body } ${polled} }`;
const write = `mutation ($to: String!, $body: String!) { sendMessage(channel: "webchat", to: $to, body: $body) { id createdAt } }`;

type Read = {
  message?: { id: string; body: string } | null;
  me: { tenantId: string; email: string };
  agents: { name: string }[];
  conversations: { channel: string; lastMessageAt: string; messages: { body: string }[] }[];
};
type Received = { readonly status: number; readonly text: string; readonly etag: string };

/** The last message that a client has sent and had a response for: which of its messages it is, and when it was stored. */
type Last = { readonly number: number; readonly at: string };
/** A caller, and the last message of each of its clients. */
type Caller = Tenant & { readonly sent: Last[] };

const none: Last = { number: 0, at: "" };
const seen = { requests: 0, writes: 0, unchanged: 0, stale: [] as string[], crossovers: [] as string[] };

async function startPlatform() {
  const directory = mkdtempSync(join(tmpdir(), "replicas-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "store.sqlite");
  const tenants = makeTenants(file, callers);
  const patience = { CALL_TIMEOUT_MS: "120000", REQUEST_TIMEOUT_MS: "120000" };
  const platform = await runReady(["platform"], { DATA_FILE: file, ...patience });
  const given = { REST_BASE_URL: await slowlyBack(platform.url), METRICS_PORT: "0", ...patience };
  const replicas = await Promise.all([1, 2].map(() => runReady(["graphql"], given)));
  const poolOf = ({ url }: { url: URL }): Pool => {
    const pool = new Pool(url, { connections: callers * clientsOfCaller * Math.max(...viewers) });
    onTestFinished(() => pool.destroy());
    return pool;
  };
  return { tenants, rest: poolOf(platform), pools: replicas.map(poolOf), replicas };
}

/** Passes connections on. A response to a read takes its time: whoever joins its call then gets what was true before. */
async function slowlyBack({ hostname, port }: URL): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    const onward = net.connect(Number(port), hostname);
    let delayMs = 0;
    socket.on("data", (chunk) => {
      delayMs = chunk.subarray(0, 4).toString() === "GET " ? 40 : 0;
      onward.write(chunk);
    });
    onward.on("data", (chunk) => void setTimeout(() => socket.write(chunk), delayMs));
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("error", () => {});
    }
    socket.on("close", () => onward.destroy());
    onward.on("close", () => void setTimeout(() => socket.end(), delayMs)); // after the response that is under way
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

type Sent = Parameters<Pool["request"]>[0];

/** Sends a request, and once more if a replica refuses it for overload. */
async function send(pool: Pool, caller: Caller, given: Sent): Promise<Received> {
  const headers = { "content-type": "application/json", "x-api-key": caller.key, ...given.headers };
  const { statusCode, headers: received, body } = await pool.request({ ...given, headers });
  const text = await body.text();
  if (statusCode === 503 && received["retry-after"]) return send(pool, caller, given);
  seen.requests++;
  return { status: statusCode, text, etag: String(received.etag ?? "") };
}

const post = (query: string, variables: object = {}): Sent => ({
  path: "/v1/graphql",
  method: "POST",
  body: JSON.stringify({ query, variables }),
});

/** One client of a caller. It polls by POST, or by GET with the answer that it already has. */
class Client {
  readonly #caller: Caller;
  readonly #index: number;
  readonly #pools: readonly Pool[];
  readonly #rest: Pool;
  #known: Received = { status: 0, text: "", etag: "" };

  constructor(caller: Caller, index: number, pools: readonly Pool[], rest: Pool) {
    this.#caller = caller;
    this.#index = index;
    this.#pools = pools;
    this.#rest = rest;
  }

  async turn(count: number): Promise<void> {
    const number = count + 2 * this.#index;
    const polls = Array.from({ length: viewers[number % viewers.length] ?? 0 }, (_, viewer) =>
      this.#poll(this.#replica(number), viewer === 2),
    );
    if (polls.length > 0) await Promise.all(polls);
    else await this.#writeAndRead(Math.floor(number / viewers.length));
  }

  #replica = (number: number): Pool => this.#pools[number % this.#pools.length] as Pool;

  /** Writes through one replica, through the other, or at REST; reads through the one or the other. */
  async #writeAndRead(round: number): Promise<void> {
    const { id, sent } = this.#caller;
    const number = (sent[this.#index]?.number ?? 0) + 1;
    const message = { to: `ctc_${this.#index + 1}`, body: `${id}/${this.#index}/${number}` };
    const place = round % 3;
    const body = JSON.stringify({ channel: "webchat", ...message });
    const received = await (place === 2
      ? send(this.#rest, this.#caller, { path: "/v1/messages", method: "POST", body })
      : send(this.#replica(place), this.#caller, post(write, message)));
    const written = JSON.parse(received.text);
    const stored = place === 2 ? written : written.data?.sendMessage;
    if (!stored?.id) throw new Error(received.text);
    seen.writes++;
    sent[this.#index] = { number, at: stored.createdAt };
    const { message: found } = await this.#read(this.#replica(round), post(readBack, { id: stored.id }));
    if (found?.body !== message.body) seen.stale.push(`message ${message.body}: ${JSON.stringify(found)}`);
  }

  async #poll(pool: Pool, isGet: boolean): Promise<void> {
    if (!isGet) return void (await this.#read(pool, post(poll)));
    const path = `/v1/graphql?query=${encodeURIComponent(poll)}`;
    const { etag } = this.#known;
    await this.#read(pool, { path, method: "GET", headers: etag ? { "if-none-match": etag } : {} });
  }

  async #read(pool: Pool, given: Sent): Promise<Read> {
    const least = [...this.#caller.sent];
    let received = await send(pool, this.#caller, given);
    if (received.status === 304) {
      seen.unchanged++;
      received = this.#known;
    } else if (given.method === "GET") this.#known = received;
    const { data, errors } = JSON.parse(received.text);
    if (received.status !== 200 || errors) throw new Error(received.text);
    check(this.#caller, data, least);
    return data;
  }
}

/** Notes what is not the caller's own, and what is older than `least`: a conversation, or its messages. */
function check({ id }: Caller, { me, agents, conversations }: Read, least: readonly Last[]): void {
  const texts = [
    me.tenantId,
    me.email.replace("@", "/"),
    ...agents.map(({ name }) => name),
    ...conversations.flatMap(({ messages }) => messages.map(({ body }) => body)),
  ];
  for (const text of texts) if (text.split("/")[0] !== id) seen.crossovers.push(`${text} for ${id}`);
  const newest = new Map<number, Last>();
  for (const { channel, lastMessageAt, messages } of conversations) {
    const [, client = "", number] = channel === "webchat" ? (messages[0]?.body.split("/") ?? []) : [];
    if (number !== undefined) newest.set(Number(client), { number: Number(number), at: lastMessageAt });
  }
  for (const [client, { number, at }] of least.entries()) {
    const found = newest.get(client) ?? none;
    if (found.number < number || found.at < at)
      seen.stale.push(`${id}/${client}: ${JSON.stringify(found)}, not ${number} at ${at}`);
  }
}

/** Reads of REST, by how their responses came. */
async function sources(replicas: readonly { output: () => string }[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = { fetched: 0, shared: 0, cached: 0, revalidated: 0 };
  for (const { output } of replicas) {
    const text = await (await fetch(/metrics: (\S+)/.exec(output())?.[1] ?? "")).text();
    for (const [, source = "", count] of text.matchAll(/^rest_calls_total\{.*source="(\w+)"\} (\d+)$/gm))
      counts[source] = (counts[source] ?? 0) + Number(count);
  }
  return counts;
}

test("over two replicas, every caller reads what was written before it asked, and its own data only", {
  timeout,
}, async () => {
  const { tenants, rest, pools, replicas } = await startPlatform();
  const work = tenants.flatMap((tenant) => {
    const caller = { ...tenant, sent: Array<Last>(clientsOfCaller).fill(none) };
    return caller.sent.map((_, index) => new Client(caller, index, pools, rest));
  });
  const run = async (client: Client): Promise<void> => {
    for (let count = 0; seen.requests < requests; count++) await client.turn(count);
  };
  await Promise.all(work.map(run));
  const read = await sources(replicas);
  const { requests: all, writes, unchanged, stale, crossovers } = seen;
  console.log(
    `${all} requests, ${writes} writes, ${unchanged} × 304, REST's responses ${JSON.stringify(read)}: ${stale.length} stale, ${crossovers.length} crossovers`,
  );
  expect(stale.slice(0, 10)).toEqual([]);
  expect(crossovers.slice(0, 10)).toEqual([]);
  expect(writes).toBeGreaterThan(requests / 12);
  for (const source of ["fetched", "shared", "cached", "revalidated"])
    expect(read[source]).toBeGreaterThan(0);
});
