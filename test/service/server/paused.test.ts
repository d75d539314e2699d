/** A process that was paused, as a frozen container is: responses that came meanwhile are read, and nobody is blamed. */
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { contextOf, goodKey, listen, makeKey } from "../../engine/gateway/fakes.ts";
import { me, send } from "../../engine/runtime/graphql/rest-stand-in.ts";
import type { Program } from "../../support/child-process.ts";
import { query, runReady } from "./program.ts";

/** All of them end during the pause. */
const deadlines = {
  CONNECT_TIMEOUT_MS: "2000",
  KEY_INTROSPECTION_TIMEOUT_MS: "4000",
  CALL_TIMEOUT_MS: "5000",
  REQUEST_TIMEOUT_MS: "5000",
};
const pauseMs = 6_000;

/** A service whose responses wait from `hold` to `release`. Before and after they are sent at once. */
async function heldService(handle: RequestListener) {
  const released = Promise.withResolvers<void>();
  let held = Promise.resolve();
  let arrived = 0;
  const { url, close } = await listen((request, response) => {
    arrived++;
    request.resume();
    held.then(() => handle(request, response));
  });
  onTestFinished(close);
  const hold = (): void => {
    arrived = 0; // those of the start
    held = released.promise;
  };
  return { url, arrived: () => arrived, hold, release: () => released.resolve() };
}

/** Pauses the program while `meanwhile` runs and its effects arrive. */
async function pause({ child }: Program, meanwhile: () => void): Promise<void> {
  child.kill("SIGSTOP");
  await sleep(200);
  meanwhile();
  await sleep(pauseMs);
  child.kill("SIGCONT");
}

const rest: RequestListener = ({ url = "" }, response) => {
  const items = url.includes("/agents")
    ? [{ id: "agent", name: "Ann" }]
    : [{ id: "contact", ownerId: "agent" }];
  send(response, url.includes("/me") ? me : { items });
};
const lists = [..."abcdef"].map((q) => `${q}: contacts(q: "${q}") { id owner { name } }`);

test("the graphql role goes on with the requests under way, and answers the next one", async () => {
  const { url, arrived, hold, release } = await heldService(rest);
  const program = await runReady(["graphql"], { REST_BASE_URL: url.href, ...deadlines });
  hold();
  const asked = query(program.url, `{ me { id } ${lists} }`, "key");
  await expect.poll(arrived).toBe(7);
  const polled = Promise.all(
    [1, 2, 3].map((n) => query(program.url, `{ me { id } n${n}: __typename }`, "key")),
  );
  await sleep(2_200); // the calls have passed their first deadline
  await pause(program, release);
  const next = query(program.url, "{ me { id } }", "key");
  const contact = [{ id: "contact", owner: { name: "Ann" } }];
  const contacts = Object.fromEntries([..."abcdef"].map((q) => [q, contact]));
  expect(await asked).toEqual({ data: { me: { id: "1" }, ...contacts } });
  expect(await polled).toEqual([1, 2, 3].map((n) => ({ data: { me: { id: "1" }, [`n${n}`]: "Query" } })));
  expect(await next).toEqual({ data: { me: { id: "1" } } });
});

test("the gateway goes on with the look-ups under way, with those that wait, and with forwarded requests", async () => {
  const keyService = await heldService((_request, response) => send(response, contextOf("good")));
  const graphql = await heldService((_request, response) => send(response, { data: {} }));
  const program = await runReady(["gateway"], {
    REST_BASE_URL: graphql.url.href,
    KEY_INTROSPECTION_URL: keyService.url.href,
    GRAPHQL_URL: graphql.url.href,
    GATEWAY_SECRET: "a-secret-of-the-gateway-of-32-characters",
    ...deadlines,
  });
  for (const service of [keyService, graphql]) service.hold();
  const keys = [goodKey, ...Array.from({ length: 40 }, (_, index) => makeKey(`key${index}x`))];
  const asked = keys.map((key) => query(program.url, "{ me { id } }", key));
  await expect.poll(keyService.arrived).toBe(16);
  await pause(program, keyService.release);
  await expect.poll(graphql.arrived).toBe(keys.length);
  await pause(program, graphql.release);
  expect(await Promise.all(asked)).toEqual(keys.map(() => ({ data: {} })));
});
