/** Twenty restarts by SIGTERM under load: two instances behind a balancer that goes by readiness. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { headers, query } from "./requests.ts";
import { type Role, startRest, startRole } from "./role.ts";

await readArguments("npm run suite -- restarts", (line) =>
  line.description(
    "Restarts the graphql role by SIGTERM under load, behind a balancer that goes by readiness.",
  ),
);
const verdict = new Verdict("restarts");
const restarts = Number(process.env.RESTARTS ?? 20);
const rest = await startRest(5);
const agent = new Agent({ connections: 20, pipelining: 1 });
const instances: (Role | undefined)[] = [await startRole(rest.url), await startRole(rest.url)];
const ready = new Set(instances);
const outcomes = new Map<string, number>();
let isRunning = true;

async function balance(): Promise<void> {
  while (isRunning) {
    for (const instance of instances) {
      const isReady =
        instance &&
        (await fetch(new URL("/readyz", instance.url)).then(
          ({ ok }) => ok,
          () => false,
        ));
      if (isReady) ready.add(instance);
      else ready.delete(instance);
    }
    await sleep(50);
  }
}

async function client(): Promise<void> {
  for (let turn = 0; isRunning; turn++) {
    const choice = [...ready];
    const instance = choice[turn % choice.length];
    if (!instance) {
      await sleep(5);
      continue;
    }
    const outcome = await agent
      .request({ origin: instance.url.origin, path: "/v1/graphql", method: "POST", headers, body: query })
      .then(async ({ statusCode, body }) =>
        (await body.text()).includes('"errors"') ? "partial" : String(statusCode),
      )
      .catch((error: NodeJS.ErrnoException) => error.code ?? String(error));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    await sleep(2);
  }
}

const load = Promise.all([balance(), ...Array.from({ length: 10 }, client)]);
let slowest = 0;
let notZero = 0;
for (let restart = 0; restart < restarts; restart++) {
  await sleep(300);
  const instance = instances[restart % 2];
  if (!instance) continue;
  const began = performance.now();
  instance.child.kill("SIGTERM");
  const [code] = await once(instance.child, "exit");
  slowest = Math.max(slowest, performance.now() - began);
  if (code !== 0) notZero++;
  ready.delete(instance);
  instances[restart % 2] = await startRole(rest.url);
}
isRunning = false;
await load;
const failed = [...outcomes].filter(([name]) => name !== "200").reduce((sum, [, count]) => sum + count, 0);
const counts = [...outcomes].map(([name, n]) => `${name}: ${n}`).join(", ");
process.stdout.write(`${restarts} restarts: ${counts}\n`);
verdict.hold("requests", outcomes.get("200") ?? 0);
verdict.hold("failed requests", failed);
verdict.hold("exits with another code than 0", notZero);
verdict.hold("slowest exit", slowest);
await agent.destroy();
for (const instance of instances) await instance?.stop();
rest.close();
