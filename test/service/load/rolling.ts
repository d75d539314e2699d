/**
 * Rolling restarts of every gateway and every graphql behind a stock balancer, at 250 requests a second, to a release with a
 * field and a saved operation more and back; then `kill -9` of each. A restart fails no request. Clients that need what is
 * new ask after the last replica, and are served; one that asks before it is told by log and metric. A kill fails what was
 * under way on that process, and nothing after a second.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { type Chain, rolePorts, startChain } from "../../../deploy/local/chain.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { failuresOf, isEverywhere, makeReleases, type News, type Releases } from "./two-releases.ts";

const perSecond = Number(process.env.RATE ?? 250);
const requests = Number(process.env.REQUESTS ?? 30_000);
/** In the order of docs/guides/operating.md. */
const names = ["graphql1", "graphql2", "gateway1", "gateway2"] as const;

const body = JSON.stringify({ query: "{ me { id } contacts { id name } }" });
const headers = { "content-type": "application/json", "x-api-key": demoKeys[0]?.key ?? "" };

type Failure = { readonly at: number; readonly what: string };

/** Sends requests at the rate until `isOver`. */
async function load({ url, certificate }: Chain, isOver: () => boolean) {
  const agent = new Agent({ connections: 64, connect: { ca: certificate } });
  const failures: Failure[] = [];
  let sent = 0;
  const began = performance.now();
  const pending = new Set<Promise<void>>();
  while (!isOver()) {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    for (; sent < due; sent++) {
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
async function isTold(chain: Chain, name: keyof typeof rolePorts, { saved }: News): Promise<boolean> {
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

/** Rolls out the next release and back again, as long as there is time. */
async function rollOut(chain: Chain, { old, next, news }: Releases, until: number) {
  const shipped: string[] = [];
  const early = { times: 0, refused: 0, told: 0 };
  let [restarts, rollOuts] = [0, 0];
  for (let release = next; performance.now() < until; release = release === next ? old : next) {
    release.take();
    for (const name of names) {
      await sleep(500);
      await chain.members.get(name)?.restart();
      restarts++;
      if (release !== next || name !== "graphql1") continue;
      const asked = Array<object>(20).fill(news.saved);
      const refused = await failuresOf(chain, asked, { ...headers, "graphql-client-name": "early" });
      early.refused += refused.filter((what) => what.endsWith("PERSISTED_QUERY_NOT_FOUND")).length;
      if (await isTold(chain, "graphql2", news)) early.told++;
      early.times++;
    }
    if (release !== next || !(await isEverywhere(next))) continue;
    rollOuts++;
    shipped.push(...(await failuresOf(chain, Array(10).fill([news.saved, news.field]).flat(), headers)));
  }
  return { restarts, rollOuts, shipped, early };
}

async function rolling(verdict: Verdict<"rolling">): Promise<void> {
  const releases = await makeReleases();
  const chain = await startChain(
    { RATE_LIMIT_PER_KEY: "100000000", RATE_LIMIT_PER_ADDRESS: "100000000" },
    { main: releases.main },
  );
  try {
    let isOver = false;
    const running = load(chain, () => isOver);
    const until = performance.now() + (requests / perSecond) * 1_000;
    const { restarts, rollOuts, shipped, early } = await rollOut(chain, releases, until);
    isOver = true;
    const { sent, failures } = await running;
    print(
      `${restarts} restarts, ${sent} requests, ${failures.length} failed: ${tally(failures.map(({ what }) => what))}`,
    );
    print(
      `clients that asked after the last replica failed: ${tally(shipped)}; before it, ${early.refused} of ${20 * early.times}`,
    );
    verdict.hold("requests", sent);
    verdict.hold("requests that a restart failed", failures.length);
    verdict.hold("releases that reached every replica", rollOuts);
    verdict.hold("requests for what is new that failed after the last replica", shipped.length);
    verdict.hold("early requests for a new id that an old replica refused", early.refused);
    verdict.hold("roll-outs whose early requests the log and the metrics tell", early.told / early.times);
    let late = 0;
    for (const name of names) {
      let killedAt = 0;
      let isDone = false;
      const during = load(chain, () => isDone);
      await sleep(1_000);
      killedAt = performance.now();
      chain.members.get(name)?.child().kill("SIGKILL");
      await sleep(4_000);
      isDone = true;
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
