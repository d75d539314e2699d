/**
 * Rolling restarts of every gateway and every graphql behind a stock balancer, at 250 requests a second; then `kill -9` of
 * each. A restart fails no request. A kill fails what was under way on that process, and nothing after a second.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import {
  type Balancer,
  balancerArgument,
  balancers,
  type Chain,
  startChain,
} from "../../deploy/local/chain.ts";
import { demoKeys } from "../../src/platform/demo/demo.ts";
import { Verdict } from "../suites/verdict.ts";
import { readArguments } from "../support/script-arguments.ts";

const perSecond = Number(process.env.RATE ?? 250);
const requests = Number(process.env.REQUESTS ?? 30_000);
const names = ["gateway1", "graphql1", "gateway2", "graphql2"];

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

/** What the balancer says of the requests that it lost. It asked another process for those that were refused. */
const reasonsOf = (output: string): string[] =>
  [...output.matchAll(/\*\d+ (.*?), client.*?upstream: "http:\/\/([^/"]*)/g)]
    .map(([, reason, upstream]) => `${reason} (${upstream})`)
    .filter((reason) => !reason.includes("Connection refused"));

async function rolling(balancer: Balancer, verdict: Verdict<"rolling">): Promise<void> {
  const chain = await startChain(balancer, {
    RATE_LIMIT_PER_KEY: "100000000",
    RATE_LIMIT_PER_ADDRESS: "100000000",
  });
  try {
    let isOver = false;
    let restarts = 0;
    const until = performance.now() + (requests / perSecond) * 1_000;
    const running = load(chain, () => isOver);
    while (performance.now() < until) {
      await sleep(500);
      await chain.members.get(names[restarts++ % names.length] ?? "")?.restart();
    }
    isOver = true;
    const { sent, failures } = await running;
    print(
      `${balancer}: ${restarts} restarts, ${sent} requests, ${failures.length} failed: ${tally(failures.map(({ what }) => what))}`,
    );
    const reasons = reasonsOf(chain.members.get(balancer)?.output() ?? "");
    if (failures.length > 0) print(`${balancer}: its own reasons: ${tally(reasons)}`);
    verdict.hold("requests", sent, balancer);
    verdict.hold("requests that a restart failed", failures.length, balancer);
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
        `${balancer}: kill -9 of ${name}: ${killed.failures.length} of ${killed.sent} failed: ${tally(killed.failures.map(({ what }) => what))}`,
      );
    }
    verdict.hold("requests that failed later than a second after a kill", late, balancer);
  } finally {
    await chain.stop();
  }
}

const { args } = await readArguments("npm run suite -- rolling", (line) =>
  line
    .description("Restarts and kills each process of the whole chain under load, behind each balancer.")
    .addArgument(balancerArgument),
);
const verdict = new Verdict("rolling");
for (const balancer of args.length > 0 ? (args as Balancer[]) : balancers) await rolling(balancer, verdict);
process.exit();
