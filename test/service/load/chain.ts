/**
 * The whole chain with a Redis cluster and Prometheus under a modest load: a roll-out of a changed spec with clients of both
 * versions, a restart, `kill -9`, frozen processes, a cut log of revoked keys and a failover of Redis, each with what it lost and
 * how soon an alert of deploy/prometheus fired. Two keys are revoked while the log of revoked keys cannot be read.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { type Chain, ports, rolePorts, startChain } from "../../../deploy/local/chain.ts";
import { openRevocationLog, revocationStream } from "../../../src/engine/gateway/revocation-log.ts";
import { parseRedisAddress } from "../../../src/engine/runtime/settings/redis-address.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { startRedisCluster } from "./redis-cluster.ts";
import {
  type Asked,
  balancerHasAll,
  isEverywhere,
  makeReleases,
  type Release,
  type Releases,
} from "./releases.ts";

const perSecond = Number(process.env.RATE ?? 25);
const alertWithinMs = 60_000;
/** A client gives up after this time. */
const patienceMs = 20_000;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

type Role = keyof typeof rolePorts;
type Question = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly key: string;
  readonly body?: string;
};
type Result = "right" | "lost" | "wrong";
type Labels = Readonly<Record<string, string>>;

const [first, second, cutKey, failoverKey] = demoKeys.map(({ key }) => key) as [
  string,
  string,
  string,
  string,
];

const byPost = (key: string, body: object): Question => ({
  ...{ method: "POST", path: "/v1/graphql", key },
  body: JSON.stringify(body),
});

const me = "{ me { id email } }";
const always: readonly Question[] = [first, second].flatMap((key) => [
  byPost(key, { query: me }),
  { method: "GET" as const, path: `/v1/graphql?query=${encodeURIComponent(me)}`, key },
  { method: "GET" as const, path: "/v1/identity/me", key },
]);
const ofVersion = (asked: Asked): Question[] => asked.map((body) => byPost(first, body));

/** Clients that send their questions in turn, at the rate, and compare each answer with the one they got at first. */
class Clients {
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #expected = new Map<Question, string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #results: { readonly result: Result; readonly what: string }[] = [];
  #asked = 0;
  sent = 0;

  constructor({ url, certificate }: Chain) {
    this.#origin = url.origin;
    const connect = { ca: certificate, timeout: patienceMs };
    this.#agent = new Agent({
      connections: 64,
      connect,
      headersTimeout: patienceMs,
      bodyTimeout: patienceMs,
    });
    let due = 0;
    let at = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      due += ((now - at) / 1_000) * perSecond;
      at = now;
      for (; due >= 1; due--) this.#next();
    }, 10);
  }

  /** From now on, these are asked too. */
  async add(questions: readonly Question[]): Promise<void> {
    for (const question of questions) {
      const { status, text } = await this.ask(question);
      if (status !== 200 || text.includes('"errors"')) throw new Error(`${question.body}: ${status} ${text}`);
      this.#expected.set(question, text);
    }
  }

  remove(questions: readonly Question[]): void {
    for (const question of questions) this.#expected.delete(question);
  }

  async ask({ method, path, key, body }: Question): Promise<{ status: number; text: string }> {
    const headers = { "x-api-key": key, ...(body && { "content-type": "application/json" }) };
    const answer = await this.#agent.request({ origin: this.#origin, method, path, headers, body });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  /** Waits for what was asked since the last time, and forgets it. Returns what was not answered right. */
  async take() {
    const pending = [...this.#pending];
    await Promise.all(pending);
    const all = this.#results;
    this.#results = [];
    const counted = (wanted: Result): string[] =>
      all.flatMap(({ result, what }) => (result === wanted ? [what] : []));
    return { sent: all.length, lost: counted("lost"), wrong: counted("wrong") };
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
    await this.#agent.destroy();
  }

  #next(): void {
    const questions = [...this.#expected.keys()];
    const question = questions[this.#asked++ % questions.length];
    if (!question) return;
    const expected = this.#expected.get(question);
    this.sent++;
    const one: Promise<void> = this.ask(question)
      .then(({ status, text }) => {
        if (text === expected && status === 200) return this.#results.push({ result: "right", what: "" });
        const code = /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 200);
        // an error of the service is an answer that says so; anything else is not what this caller has to get
        const result = /^(?:SERVICE_|UPSTREAM_)/.test(code) || status >= 500 ? "lost" : "wrong";
        const message = /"message":"([^"]*)"/.exec(text)?.[1] ?? "";
        return this.#results.push({ result, what: `${status} ${code} ${message}`.trim() });
      })
      .catch((error: NodeJS.ErrnoException) =>
        this.#results.push({ result: "lost", what: error.code ?? error.message }),
      )
      .then(() => void this.#pending.delete(one));
    this.#pending.add(one);
  }
}

async function firing(): Promise<Labels[]> {
  const answer = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/alerts`);
  const { data } = (await answer.json()) as { data: { alerts: { labels: Labels; state: string }[] } };
  return data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels);
}

const isAmong = (alerts: readonly Labels[], wanted: Labels): boolean =>
  alerts.some((labels) => Object.entries(wanted).every(([name, value]) => labels[name] === value));

type Fault = {
  readonly name: string;
  /** One balancer that is frozen loses all requests, so that has none. */
  readonly bar?: Parameters<typeof verdict.hold>[0];
  readonly alert: Labels;
  readonly begin: () => unknown;
  /** Ends what `begin` began. */
  readonly end?: () => unknown;
};

/** Makes the fault under load until its alert fires, and holds how many requests that lost, and how long it took. */
async function during(clients: Clients, { name, bar, alert, begin, end }: Fault): Promise<void> {
  for (let waited = 0; isAmong(await firing(), alert); waited += 1_000) {
    if (waited > 600_000) throw new Error(`${alert.alertname} does not end`);
    await sleep(1_000);
  }
  const { wrong: before } = await clients.take();
  await sleep(2_000);
  const beganAt = performance.now();
  await begin();
  let firedAt = Number.POSITIVE_INFINITY;
  while (performance.now() - beganAt < 1.5 * alertWithinMs) {
    if (isAmong(await firing(), alert)) {
      firedAt = performance.now();
      break;
    }
    await sleep(500);
  }
  const others = (await firing()).map(({ alertname, instance = "" }) => `${alertname} ${instance}`.trim());
  await end?.();
  await sleep(5_000);
  const { sent, lost, wrong } = await clients.take();
  print(
    `${name}: ${sent} requests, ${lost.length} lost: ${tally(lost)}; firing: ${others.join(", ") || "none"}`,
  );
  if (bar) verdict.hold(bar, lost.length, name);
  verdict.hold("wrong answers", before.length + wrong.length, name);
  if (wrong.length > 0) print(`wrong: ${tally(wrong)}`);
  verdict.hold("until its alert fires", firedAt - beganAt, name);
}

const tally = (all: readonly string[]): string =>
  [...Map.groupBy(all, (what) => what)].map(([what, same]) => `${same.length} × ${what}`).join("; ") ||
  "none";

/** Renames a field while clients of both versions ask, and takes the rename back. */
async function rollOut(chain: Chain, clients: Clients, releases: Releases): Promise<void> {
  const { old, both, last } = releases;
  const older = ofVersion(releases.clients.old);
  const newer = ofVersion(releases.clients.new);
  const replace = async (release: Release): Promise<void> => {
    release.take();
    for (const name of ["graphql1", "graphql2", "gateway1", "gateway2"]) {
      await sleep(500);
      await chain.members.get(name)?.restart();
      await balancerHasAll();
    }
    verdict.hold("releases that did not reach every replica", (await isEverywhere(release)) ? 0 : 1);
  };
  await clients.add(older);
  await replace(both);
  await clients.add(newer);
  await sleep(2_000);
  clients.remove(older);
  await sleep(1_000);
  await replace(last);
  await replace(both);
  await clients.add(older);
  await sleep(2_000);
  clients.remove(newer);
  await sleep(1_000);
  await replace(old);
  clients.remove(older);
  const { sent, lost, wrong } = await clients.take();
  print(`roll-outs of a changed spec: ${sent} requests, ${lost.length} lost: ${tally(lost)}`);
  verdict.hold("lost in roll-outs", lost.length);
  verdict.hold("wrong answers", wrong.length, "roll-outs");
}

/** A key store in front of the platform's, which knows which keys are revoked. */
async function startKeyStore() {
  const revoked = new Set<string>();
  const ids = new Map<string, string>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const key = new URLSearchParams(body).get("token") ?? "";
    response.setHeader("content-type", "application/json");
    if (revoked.has(key)) return void response.end('{"active":false}');
    const { "content-type": type = "", "x-gateway-proof": proof = "" } = request.headers;
    const headers = { "content-type": type, "x-gateway-proof": String(proof) };
    const url = `http://127.0.0.1:${ports.platform}/internal/keys/introspect`;
    const text = await fetch(url, { method: "POST", headers, body }).then(
      (answer) => answer.text(),
      () => "",
    );
    const id = /"api_key_id":"([^"]+)"/.exec(text)?.[1];
    if (id) ids.set(key, id);
    response.end(text);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`,
    revoked,
    idOf: (key: string): string => ids.get(key) ?? "",
    stop: () => void server.close().closeAllConnections(),
  };
}

/** The status at each gateway, not through the balancer, which chooses one of them. */
const statusesOf = (key: string): Promise<number[]> =>
  Promise.all(
    (["gateway1", "gateway2"] satisfies Role[]).map(async (name) => {
      const url = `http://127.0.0.1:${rolePorts[name]}/v1/identity/me`;
      const answer = await fetch(url, { headers: { "x-api-key": key } });
      await answer.text();
      return answer.status;
    }),
  );

type KeyStore = Awaited<ReturnType<typeof startKeyStore>>;

/** Revokes a key as a key store does, which appends its id once Redis accepts it, and asks with it until `end`. */
async function revoke(keys: KeyStore, redisUrl: string, key: string) {
  const revokedAt = performance.now();
  let isOver = false;
  let refusedAt = Number.POSITIVE_INFINITY;
  let acceptedLater = 0;
  keys.revoked.add(key);
  const append = async (): Promise<void> => {
    while (!isOver) {
      try {
        const log = await openRevocationLog(parseRedisAddress(redisUrl));
        try {
          return void (await log.append(keys.idOf(key)));
        } finally {
          log.close();
        }
      } catch {
        await sleep(200);
      }
    }
  };
  const watch = async (): Promise<void> => {
    for (; !isOver; await sleep(200)) {
      const statuses = await statusesOf(key);
      if (statuses.includes(200)) {
        if (refusedAt < Number.POSITIVE_INFINITY) acceptedLater++;
      } else if (statuses.every((status) => status === 401))
        refusedAt = Math.min(refusedAt, performance.now());
    }
  };
  const both = [append(), watch()];
  return async (name: string): Promise<void> => {
    isOver = true;
    await Promise.all(both);
    verdict.hold("until a revoked key is refused by both gateways", refusedAt - revokedAt, name);
    verdict.hold("answers to a revoked key after that", acceptedLater, name);
  };
}

/** Kills and freezes of a role, and of the balancer. */
async function faultsOfProcesses(chain: Chain, clients: Clients): Promise<void> {
  const signal = (name: string, by: NodeJS.Signals) => () => chain.members.get(name)?.child().kill(by);
  const metricsOf = (name: Role): string => `127.0.0.1:${rolePorts[name] + 5_000}`;
  for (const name of ["graphql1", "gateway1"] as const) {
    await during(clients, {
      ...{ name: `kill -9 of ${name}`, bar: "lost by a kill", begin: signal(name, "SIGKILL") },
      alert: { alertname: "RoleRestarted", instance: metricsOf(name) },
    });
  }
  for (const name of ["graphql2", "gateway2"] as const) {
    await during(clients, {
      ...{ name: `frozen ${name}`, bar: "lost by a frozen role" },
      ...{ begin: signal(name, "SIGSTOP"), end: signal(name, "SIGCONT") },
      alert: { alertname: "RoleDown", instance: metricsOf(name) },
    });
  }
  await during(clients, {
    ...{ name: "restart of graphql1", bar: "lost in restarts" },
    begin: () => chain.members.get("graphql1")?.restart(),
    alert: { alertname: "RoleRestarted", instance: metricsOf("graphql1") },
  });
}

async function run(): Promise<void> {
  const [releases, redis, keys] = await Promise.all([makeReleases(), startRedisCluster(), startKeyStore()]);
  const stops: (() => unknown)[] = [releases.remove, redis.stop, keys.stop];
  try {
    const environment = { RATE_LIMIT_PER_KEY: "100000000", RATE_LIMIT_PER_ADDRESS: "100000000" };
    const shared = { REDIS_URL: redis.url, KEY_INTROSPECTION_URL: keys.url, KEY_CACHE_MS: "600000" };
    const patient = { KEY_INTROSPECTION_TIMEOUT_MS: "5000" }; // the key store shares this busy machine
    const chain = await startChain({ ...environment, ...shared, ...patient }, { main: releases.main });
    stops.unshift(chain.stop);
    const clients = new Clients(chain);
    stops.unshift(() => clients.end());
    await clients.add(always);
    for (const key of [cutKey, failoverKey]) await statusesOf(key); // both gateways cache them
    await rollOut(chain, clients, releases);
    await faultsOfProcesses(chain, clients);
    let ended = async (_: string): Promise<void> => {};
    const cut = "cut log of revoked keys";
    await statusesOf(cutKey);
    await during(clients, {
      ...{ name: cut, bar: "lost while Redis fails", alert: { alertname: "RevocationsMissed" } },
      begin: async () => {
        redis.onEachNode("ACL", "SETUSER", "default", "-xread", "-xrange");
        redis.onEachNode("CLIENT", "KILL", "TYPE", "normal");
        ended = await revoke(keys, redis.url, cutKey);
      },
      end: async () => {
        await sleep(unconfirmedMs);
        redis.onEachNode("ACL", "SETUSER", "default", "+xread", "+xrange");
        await sleep(5_000);
        await ended(cut);
      },
    });
    const failover = "failover of a Redis master";
    await statusesOf(failoverKey);
    await during(clients, {
      ...{ name: failover, bar: "lost while Redis fails", alert: { alertname: "RevocationsMissed" } },
      begin: async () => {
        redis.killMasterOf(revocationStream);
        ended = await revoke(keys, redis.url, failoverKey);
      },
      end: async () => {
        await sleep(unconfirmedMs);
        await ended(failover);
      },
    });
    await during(clients, {
      name: "frozen HAProxy",
      begin: () => chain.members.get("haproxy")?.child().kill("SIGSTOP"),
      end: () => chain.members.get("haproxy")?.child().kill("SIGCONT"),
      alert: { alertname: "BalancerDown" },
    });
    verdict.hold("requests", clients.sent);
  } finally {
    for (const stop of stops) await stop();
  }
}

/** KEY_UNCONFIRMED_MS, by default. */
const unconfirmedMs = 30_000;

await readArguments("npm run suite -- chain", (line) =>
  line.description(
    "Restarts, kills and freezes the processes of the whole chain, with a Redis cluster, under load.",
  ),
);
const verdict = new Verdict("chain");
await run();
process.exit();
