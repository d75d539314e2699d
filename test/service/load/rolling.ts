/**
 * Rolling restarts of every gateway and every graphql behind a stock balancer, at 250 requests a second: a field is renamed and
 * the change taken back, in an order in which no client of either version fails. Then `kill -9` of each process. A client of the
 * new version that asks too early is told by log and metric. A kill fails what was under way on that process, and nothing after a second.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { type Chain, rolePorts, startChain } from "../../../deploy/local/chain.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import {
  type Asked,
  balancerHasAll,
  failuresOf,
  isEverywhere,
  makeReleases,
  type Release,
  type Releases,
} from "./releases.ts";

const perSecond = Number(process.env.RATE ?? 250);
const requests = Number(process.env.REQUESTS ?? 30_000);
/** In the order of docs/guides/operating.md. */
const names = ["graphql1", "graphql2", "gateway1", "gateway2"] as const;

const headers = { "content-type": "application/json", "x-api-key": demoKeys[0]?.key ?? "" };

type Failure = { readonly at: number; readonly what: string };

/** The clients that run, and their requests in flight, which may wait long where the machine is busy. */
type Clients = { readonly running: Set<Asked>; readonly pending: Set<Promise<void>> };

const clientsOf = (asked: Asked): Clients => ({ running: new Set([asked]), pending: new Set() });

/** Sends requests of the clients that run, in turn, at the rate until none runs. */
async function load({ url, certificate }: Chain, { running, pending }: Clients) {
  const agent = new Agent({ connections: 64, connect: { ca: certificate } });
  const failures: Failure[] = [];
  let sent = 0;
  const began = performance.now();
  while (running.size > 0) {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    const bodies = [...running].flat();
    for (; sent < due; sent++) {
      const body = JSON.stringify(bodies[sent % bodies.length]);
      const one = agent
        .request({ origin: url.origin, path: "/v1/graphql", method: "POST", headers, body })
        .then(async (answer) => {
          const text = await answer.body.text();
          return answer.statusCode === 200 && !text.includes('"errors"')
            ? ""
            : `${answer.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 200)}`;
        })
        .catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
        .then((what) => {
          if (what) failures.push({ at: performance.now(), what });
          pending.delete(one);
        });
      pending.add(one);
    }
    await sleep(4);
  }
  await Promise.all(pending);
  await agent.destroy();
  return { sent, failures };
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const tally = (reasons: readonly string[]): string =>
  [...Map.groupBy(reasons, (reason) => reason)].map(([what, all]) => `${all.length} × ${what}`).join("; ") ||
  "none";

/** Whether the log and the metrics of a replica tell of the client that asked it for what it does not know yet. */
async function isTold(chain: Chain, name: keyof typeof rolePorts, [, saved]: Asked): Promise<boolean> {
  const lines = (chain.members.get(name)?.output() ?? "").split("\n").filter((line) => line.startsWith("{"));
  const told = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg, document }) => msg === "request" && document === saved.documentId);
  const metrics = await (await fetch(`http://127.0.0.1:${rolePorts[name] + 5_000}/metrics`)).text();
  return (
    told.some(({ client, code }) => client === "early" && code === "PERSISTED_QUERY_NOT_FOUND") &&
    /^http_server_request_errors_total\{.*code="PERSISTED_QUERY_NOT_FOUND".*\} [1-9]/m.test(metrics)
  );
}

/** Renames a field and takes the rename back, as often as there is time, while the clients that may run do. */
async function rollOut(chain: Chain, releases: Releases, { running, pending }: Clients, until: number) {
  const { old, both, last, clients } = releases;
  const early = { times: 0, refused: 0, told: 0 };
  let restarts = 0;
  let rollOuts = 0;
  const replace = async (release: Release, afterFirst = async (): Promise<void> => {}): Promise<void> => {
    release.take();
    for (const name of names) {
      await sleep(500);
      await chain.members.get(name)?.restart();
      await balancerHasAll();
      restarts++;
      if (name === "graphql1") await afterFirst();
    }
    if (await isEverywhere(release)) rollOuts++;
  };
  const askEarly = async (): Promise<void> => {
    const [, saved] = clients.new;
    const refused = await failuresOf(chain, Array(20).fill(saved), {
      ...headers,
      "graphql-client-name": "early",
    });
    early.refused += refused.filter((what) => what.endsWith("PERSISTED_QUERY_NOT_FOUND")).length;
    if (await isTold(chain, "graphql2", clients.new)) early.told++;
    early.times++;
  };
  const replaceClients = async (from: Asked, to: Asked): Promise<void> => {
    running.add(to);
    await sleep(1_000);
    running.delete(from);
    await Promise.all(pending);
  };
  do {
    await replace(both, askEarly);
    await replaceClients(clients.old, clients.new);
    await replace(last);
    await replace(both);
    await replaceClients(clients.new, clients.old);
    await replace(old);
  } while (performance.now() < until);
  return { restarts, rollOuts, early };
}

async function rolling(verdict: Verdict<"rolling">): Promise<void> {
  const releases = await makeReleases();
  const { clients, main } = releases;
  const chain = await startChain(
    { RATE_LIMIT_PER_KEY: "100000000", RATE_LIMIT_PER_ADDRESS: "100000000" },
    { main },
  );
  try {
    const loaded = clientsOf(clients.old);
    const loading = load(chain, loaded);
    const until = performance.now() + (requests / perSecond) * 1_000;
    const { restarts, rollOuts, early } = await rollOut(chain, releases, loaded, until);
    loaded.running.clear();
    const { sent, failures } = await loading;
    print(
      `${restarts} restarts, ${sent} requests, ${failures.length} failed: ${tally(failures.map(({ what }) => what))}`,
    );
    print(`early clients: ${early.refused} of ${20 * early.times} requests failed`);
    verdict.hold("requests", sent);
    verdict.hold("requests of either version that failed", failures.length);
    verdict.hold("releases that reached every replica", rollOuts / (restarts / names.length));
    verdict.hold("early requests for a new id that an old replica refused", early.refused);
    verdict.hold("roll-outs whose early requests the log and the metrics tell", early.told / early.times);
    let late = 0;
    for (const name of names) {
      const loaded = clientsOf(clients.old);
      const during = load(chain, loaded);
      await sleep(1_000);
      const killedAt = performance.now();
      chain.members.get(name)?.child().kill("SIGKILL");
      await sleep(4_000);
      loaded.running.clear();
      const killed = await during;
      late += killed.failures.filter(({ at }) => at > killedAt + 1_000).length;
      print(
        `kill -9 of ${name}: ${killed.failures.length} of ${killed.sent} failed: ${tally(killed.failures.map(({ what }) => what))}`,
      );
    }
    verdict.hold("requests that failed later than a second after a kill", late);
  } finally {
    await chain.stop();
    releases.remove();
  }
}

await readArguments("npm run suite -- rolling", (line) =>
  line.description("Restarts and kills each process of the whole chain under load, behind HAProxy."),
);
const verdict = new Verdict("rolling");
await rolling(verdict);
process.exit();
