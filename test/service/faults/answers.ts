/** Rows in which the upstream answers wrongly, late or not at all. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";
import { answer, canary, endInBody, type Fault, hang, reset, resetInBody } from "./proxy.ts";
import { both, codeOf, isPartial, ms, percent, type Row, send, soon, unavailable } from "./row.ts";
import type { Answer, World } from "./world.ts";

export const refused: Row = {
  fault: "upstream refused",
  criterion: "coded error in < 100 ms; sibling fields answer",
  async run(world, { patience }) {
    await world.crm.refuse();
    const results: Answer[] = [];
    for (let count = 0; count < 20; count++) results.push(await world.ask(both));
    const slowest = Math.max(...results.map((result) => result.ms));
    const good = results.every((result) => isPartial(result, "UPSTREAM_UNAVAILABLE"));
    return {
      measured: `slowest of 20: ${ms(slowest)}, ${codeOf(results[0] as Answer)}`,
      pass: good && slowest < 100 * patience,
    };
  },
};

export const hangs: Row = {
  fault: "upstream hangs",
  criterion: "fails at its deadline ± 0.2 s; socket closed; in-flight count back to 0",
  environment: { CALL_TIMEOUT_MS: "1500" },
  async run({ crm, ask }, { patience }) {
    crm.choose = () => hang;
    const results = await Promise.all([1, 2, 3, 4].map(() => ask(both)));
    const off = Math.max(...results.map((result) => Math.abs(result.ms - 1_500)));
    const closed = await soon(() => crm.underWay() === 0);
    const good = results.every((result) => isPartial(result, "UPSTREAM_TIMEOUT"));
    return {
      measured: `deadline 1.5 s, off by ${ms(off)}; ${crm.underWay()} in flight`,
      pass: good && closed && off < 200 * patience,
    };
  },
};

const brokenAnswers: [string, Fault, string][] = [
  ["reset", reset, "UPSTREAM_UNAVAILABLE"],
  ["reset mid-body", resetInBody, "UPSTREAM_UNAVAILABLE"],
  ["cut off", endInBody, "UPSTREAM_UNAVAILABLE"],
  ["truncated JSON", answer(200, `{"items":["${canary}`), "BAD_UPSTREAM_RESPONSE"],
  ["malformed JSON", answer(200, `{${canary}}`), "BAD_UPSTREAM_RESPONSE"],
  ["HTML", answer(200, `<p>${canary}</p>`, { "content-type": "text/html" }), "BAD_UPSTREAM_RESPONSE"],
  ["JSON as text", answer(200, '{"items":[]}', { "content-type": "text/plain" }), "BAD_UPSTREAM_RESPONSE"],
  ["empty 200", answer(200, ""), "BAD_UPSTREAM_RESPONSE"],
  ["empty 204", answer(204, ""), "BAD_UPSTREAM_RESPONSE"],
  ["not UTF-8", answer(200, Buffer.from(`{"items":["${canary}\xff"]}`, "latin1")), "BAD_UPSTREAM_RESPONSE"],
  ["no gzip", answer(200, `{"${canary}":1}`, { "content-encoding": "gzip" }), "BAD_UPSTREAM_RESPONSE"],
  ["no HTTP", ({ socket }) => void socket.write(`${canary}\r\n\r\n`), "BAD_UPSTREAM_RESPONSE"],
];

export const broken: Row = {
  fault: "reset mid-body, truncated or malformed JSON, wrong content type, undocumented empty 2xx",
  criterion: "coded error, no upstream text, no crash",
  async run({ crm, ask, child }) {
    const wrong: string[] = [];
    for (const [name, fault, code] of brokenAnswers) {
      crm.choose = () => fault;
      const result = await ask(both);
      if (!isPartial(result, code) || JSON.stringify(result).includes(canary))
        wrong.push(`${name}: ${codeOf(result)}`);
      crm.choose = () => undefined;
      await ask(both); // a success in between keeps the breaker shut
    }
    const isAlive = child.exitCode === null;
    return {
      measured: `${brokenAnswers.length} kinds, ${wrong.join("; ") || "all as told"}`,
      pass: isAlive && wrong.length === 0,
    };
  },
};

const violations: [unknown, (string | number)[]][] = [
  [{ items: [{ id: "1", name: null, secret: canary }] }, ["contacts", 0, "name"]],
  [{ items: [{ name: canary }] }, ["contacts", 0, "id"]],
  [{ items: [{ id: { a: canary }, name: "x" }] }, ["contacts", 0, "id"]],
  [{ items: canary }, ["contacts"]],
  [{ items: [null] }, ["contacts", 0]],
  [[canary], ["contacts"]],
];

export const violated: Row = {
  fault: "payload that violates the contract",
  criterion: "spec-valid GraphQL, right null bubbling and paths, masked message",
  async run({ crm, ask }) {
    let good = 0;
    for (const [value, path] of violations) {
      crm.choose = () => answer(200, JSON.stringify(value));
      const result = await ask(both);
      const isRight =
        isPartial(result, "BAD_UPSTREAM_RESPONSE") && String(result.errors?.[0]?.path) === String(path);
      if (isRight && !JSON.stringify(result).includes(canary)) good++;
    }
    return { measured: `${good} of ${violations.length} payloads`, pass: good === violations.length };
  },
};

export const limited: Row = {
  fault: "429 with Retry-After (seconds or date)",
  criterion:
    "a read is retried only for a wait of at most 1 s, else RATE_LIMITED at once with retryAfter; mutations surface at once",
  async run({ crm, messaging, ask }, { patience }) {
    const limit = (after: string): Fault => answer(429, `{"detail":"${canary}"}`, { "retry-after": after });
    const once429 = async (after: string): Promise<Answer> => {
      const before = crm.requests.length;
      crm.choose = (_request, count) => (count === before + 1 ? limit(after) : undefined);
      return ask(both);
    };
    const seconds = await once429("1");
    const date = await once429(new Date(Date.now() + 600_000).toUTCString());
    const dateRetryAfter = date.errors?.[0]?.extensions.retryAfter ?? 0;
    crm.choose = () => limit("60");
    const long = await ask(both);
    messaging.choose = () => limit("1");
    const mutation = await ask(send("limited"));
    const waited = seconds.errors === undefined && seconds.ms >= 1_000;
    const surfaced =
      isPartial(date, "RATE_LIMITED") &&
      Math.abs(dateRetryAfter - 600) < 60 &&
      date.ms < 500 * patience &&
      isPartial(long, "RATE_LIMITED") &&
      long.errors?.[0]?.extensions.retryAfter === 60 &&
      long.ms < 500 * patience;
    const atOnce =
      codeOf(mutation) === "RATE_LIMITED" && mutation.ms < 500 * patience && messaging.requests.length === 1;
    return {
      measured: `waited ${ms(seconds.ms)} for 1 s; a date: ${codeOf(date)} after ${ms(date.ms)}; 60 s: ${codeOf(long)} after ${ms(long.ms)}; mutation after ${ms(mutation.ms)}`,
      pass: waited && surfaced && atOnce,
    };
  },
};

/**
 * Readers side by side, each one read every 10 ms or so; how many reads succeeded, and the calls that they made. More
 * effort is more readers and not more time, because the budget of retries looks back ten seconds and no further.
 */
async function readMany(
  { crm, ask }: World,
  readers: number,
  each: number,
): Promise<{ good: number; calls: number }> {
  const before = crm.requests.length;
  let good = 0;
  async function readOn(): Promise<void> {
    for (let read = 0; read < each; read++) {
      const { errors } = await ask("{ contacts { id } }");
      if (!errors) good++;
      await sleep(10);
    }
  }
  await Promise.all(Array.from({ length: readers }, readOn));
  return { good, calls: crm.requests.length - before };
}

export const flapping: Row = {
  fault: "5xx flapping at 50 %",
  criterion: "upstream amplification ≤ 1.2×, read success ≥ 70 %",
  async run(world, { effort, patience }) {
    const healthyReads = 150 * effort;
    const reads = 100 * effort;
    const healthy = await readMany(world, effort, 150);
    world.crm.choose = (_request, count) => (count % 2 === 0 ? unavailable : undefined);
    const failing = await readMany(world, effort, 100);
    const enough = patience === 1 ? 0.7 : 0.55; // on a slow machine most good reads are more than ten seconds ago
    const amplification = (healthy.calls + failing.calls) / (healthyReads + reads);
    return {
      measured: `every second call fails, for ${reads} reads after ${healthyReads} good ones: ${amplification.toFixed(2)}×, ${percent(failing.good, reads)}`,
      pass: amplification <= 1.2 && failing.good >= enough * reads,
    };
  },
};

export const flappingAlways: Row = {
  fault: "5xx at random, 50 %, from the start",
  criterion: "upstream amplification ≤ 1.2× (so at most 60 % can succeed; the breaker may open)",
  async run(world, { effort }) {
    const random = new Random("flapping", seed);
    world.crm.choose = () => (random.chance(0.5) ? unavailable : undefined);
    const reads = 150 * effort;
    const { good, calls } = await readMany(world, effort, 150);
    return {
      measured: `${(calls / reads).toFixed(2)}×, ${percent(good, reads)} of ${reads} reads`,
      pass: calls <= 1.2 * reads + 1,
    };
  },
};

export const redirected: Row = {
  fault: "redirect to another host",
  criterion: "that host sees 0 requests",
  async run({ crm, messaging, ask }) {
    let seen = 0;
    const other = createServer((_request, response) => {
      seen++;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/${canary}`;
    const codes = new Set<string>();
    for (const status of [301, 302, 303, 307, 308]) {
      crm.choose = messaging.choose = () => answer(status, "", { location });
      codes.add(codeOf(await ask(both))).add(codeOf(await ask(send("redirected"))));
      crm.choose = messaging.choose = () => undefined;
      await ask(both);
    }
    other.close();
    return {
      measured: `${seen} requests; ${[...codes].join()}`,
      pass: seen === 0 && [...codes].join() === "BAD_UPSTREAM_RESPONSE",
    };
  },
};
