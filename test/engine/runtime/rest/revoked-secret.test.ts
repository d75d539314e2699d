/** A vendor that revokes the server's secret while tenants use it: what the metrics of the alerts, the log and clients show. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { listens, startProgram } from "../../../support/child-process.ts";
import { freePort } from "../../../support/free-port.ts";
import { type Answered, ask, asTenant, json, layer, secrets } from "./vendor-project.ts";

const tenants = ["acme", "globex", "initech"];

test("a secret that all share is a failure of the product in the metrics, until its file has another one", async () => {
  let accepted: string = secrets["pager-key"];
  const { project, env } = await layer((request, response) => {
    const isPager = request.url?.startsWith("/services");
    if (isPager && request.headers.authorization !== accepted)
      return json(response, 401, { detail: "revoked" });
    json(response, 200, [{ id: "1", name: "one" }]);
  });
  project.write(
    "src/main.ts",
    `import { join } from "node:path";
import { serve } from "restbound/server";
await serve({ name: "vendor", root: join(import.meta.dirname, ".."), api: async () => (await import("../generated/index.ts")).api });
`,
  );
  project.write("package.json", '{ "name": "vendor", "type": "module" }');
  const metricsPort = await freePort();
  const environment = { ...env, METRICS_PORT: `${metricsPort}` };
  const program = startProgram([join(project.root, "src/main.ts"), "graphql"], environment, {
    cwd: project.root,
  });
  onTestFinished(() => program.stop());
  const url = await listens(program);
  const metrics = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const sum = (pattern: RegExp): number =>
      [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
    return {
      failed: sum(
        /^rest_calls_total\{operation="pager\/listServices".*outcome="(?:UPSTREAM_\w+|CIRCUIT_OPEN)".*\} (\d+)$/gm,
      ),
      ofOthers: sum(
        /^rest_calls_total\{operation="tracker.*outcome="(?:UPSTREAM_\w+|CIRCUIT_OPEN)".*\} (\d+)$/gm,
      ),
      isOpen: sum(/^rest_circuit_breaker_open\{product="PAGER"\} (\d+)$/gm),
      isOpenOfOthers: sum(/^rest_circuit_breaker_open\{product="(?!PAGER)\w+"\} (\d+)$/gm),
    };
  };
  const askAll = (): Promise<Answered[]> =>
    Promise.all(
      tenants.map((tenant) =>
        ask(url, "{ services { id } notes { id } }", asTenant(tenant, { "x-own-key": "own" })),
      ),
    );
  await askAll();
  expect(await metrics()).toEqual({ failed: 0, ofOthers: 0, isOpen: 0, isOpenOfOthers: 0 });

  accepted = "Token token=c4nary-renewed";
  const messages: string[] = [];
  for (let round = 0; round < 5; round++) {
    const answers = await askAll();
    messages.push(...answers.flatMap(({ errors = [] }) => errors.map(({ message }) => message)));
    for (const { data } of answers) expect(data).toMatchObject({ services: null, notes: [{ id: "1" }] });
  }
  // a trial call may pass in between
  expect([...new Set(messages)].sort()).toEqual([
    "pager/listServices: it failed too often; calls are suspended for a short time",
    "pager/listServices: the service refuses the server's credential",
  ]);
  expect(await metrics()).toEqual({ failed: 15, ofOthers: 0, isOpen: 1, isOpenOfOthers: 0 });
  // what the runbook of RestOperationFails tells to look for
  expect(program.output()).toMatch(/(?=.*"REST call failed").*"cause":"CREDENTIAL_REFUSED"/);

  project.write("secrets/pager-key", `${accepted}\n`);
  await sleep(1_100);
  const isWell = async () => (await askAll()).every(({ errors }) => errors === undefined);
  await expect.poll(isWell, { timeout: 20_000, interval: 200 }).toBe(true);
  expect(await metrics()).toMatchObject({ isOpen: 0 });
});
