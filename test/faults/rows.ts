/**
 * SECURITY.md's table of faults, row by row, as far as the graphql role is concerned: what is done to the upstream, what
 * is measured, and whether that meets the criterion.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import {
  answer,
  canary,
  endInBody,
  endless,
  type Fault,
  hang,
  loseAnswer,
  reset,
  resetInBody,
} from "./proxy.ts";
import { type Answer, key, type World } from "./world.ts";

export type Row = {
  readonly fault: string;
  readonly criterion: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly run: (world: World, trial: Trial) => Promise<Outcome>;
};
export type Trial = {
  /** Multiplies how often things are tried. */
  readonly effort: number;
  /** Multiplies each time that a criterion allows: 1 on a quiet machine. */
  readonly patience: number;
};
export type Outcome = { readonly measured: string; readonly pass: boolean };

const both = "{ me { id } contacts { id name } }";
const ms = (value: number): string => `${Math.round(value)} ms`;
const codeOf = ({ errors }: Answer): string =>
  errors?.map(({ extensions }) => extensions.code).join() ?? "none";
const isPartial = (result: Answer, code: string): boolean =>
  result.status === 200 &&
  result.data?.me?.id !== undefined &&
  result.data.contacts === null &&
  codeOf(result) === code;
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(0)} %`;
const send = (body: string): string =>
  `mutation { sendMessage(channel: "sms", to: "+12025550143", body: ${JSON.stringify(body)}) { id } }`;

/** Waits until `check` holds; whether it did within ten seconds. */
async function soon(check: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 1_000 && !check(); tries++) await sleep(10);
  return check();
}

const refused: Row = {
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

const hangs: Row = {
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

const broken: Row = {
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

const violated: Row = {
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

const limited: Row = {
  fault: "429 with Retry-After (seconds or date)",
  criterion:
    "reads wait only inside the deadline, else RATE_LIMITED with retryAfter; mutations surface at once",
  async run({ crm, messaging, ask }, { patience }) {
    const limit = (after: string): Fault => answer(429, `{"detail":"${canary}"}`, { "retry-after": after });
    const once429 = async (after: () => string): Promise<Answer> => {
      const before = crm.requests.length;
      crm.choose = (_request, count) => (count === before + 1 ? limit(after()) : undefined);
      return ask(both);
    };
    const seconds = await once429(() => "1");
    const date = await once429(() => new Date(Date.now() + 2_000).toUTCString());
    crm.choose = () => limit("60");
    const long = await ask(both);
    messaging.choose = () => limit("1");
    const mutation = await ask(send("limited"));
    const waited =
      seconds.errors === undefined && seconds.ms >= 1_000 && date.errors === undefined && date.ms >= 900;
    const surfaced =
      isPartial(long, "RATE_LIMITED") &&
      long.errors?.[0]?.extensions.retryAfter === 60 &&
      long.ms < 500 * patience;
    const atOnce =
      codeOf(mutation) === "RATE_LIMITED" && mutation.ms < 500 * patience && messaging.requests.length === 1;
    return {
      measured: `waited ${ms(seconds.ms)} for 1 s, ${ms(date.ms)} for a date; 60 s: ${codeOf(long)} after ${ms(long.ms)}; mutation after ${ms(mutation.ms)}`,
      pass: waited && surfaced && atOnce,
    };
  },
};

const unavailable = answer(503, `{"detail":"${canary}"}`);

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

const flapping: Row = {
  fault: "5xx flapping at 50 %",
  criterion: "upstream amplification ≤ 1.2×, read success ≥ 70 %",
  async run(world, { effort, patience }) {
    const [healthyReads, reads] = [150 * effort, 100 * effort];
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

const flappingAlways: Row = {
  fault: "5xx at random, 50 %, from the start",
  criterion: "upstream amplification ≤ 1.2× (so at most 60 % can succeed; the breaker may open)",
  async run(world, { effort }) {
    world.crm.choose = () => (Math.random() < 0.5 ? unavailable : undefined);
    const reads = 150 * effort;
    const { good, calls } = await readMany(world, effort, 150);
    return {
      measured: `${(calls / reads).toFixed(2)}×, ${percent(good, reads)} of ${reads} reads`,
      pass: calls <= 1.2 * reads + 1,
    };
  },
};

const redirected: Row = {
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

const tooLarge: Row = {
  fault: "20 bodies of 10 MiB and more at once",
  criterion: "aborted at the cap; RSS growth < 300 MiB",
  async run({ crm, ask, resetPeakRss, peakRss }) {
    crm.choose = () => endless(64 * 1_048_576);
    const before = resetPeakRss();
    const results = await Promise.all(Array.from({ length: 20 }, () => ask(both)));
    const growth = peakRss() - before;
    const good = results.every((result) =>
      /^(BAD_UPSTREAM_RESPONSE|UPSTREAM_UNAVAILABLE|LIMIT_EXCEEDED|SERVICE_UNAVAILABLE)$/.test(
        codeOf(result),
      ),
    );
    return {
      measured: `${codeOf(results[0] as Answer)}, RSS +${growth.toFixed(0)} MiB`,
      pass: good && growth < 300,
    };
  },
};

const bomb: Row = {
  fault: "gzip bomb",
  criterion: "aborted at the cap; RSS growth < 50 MiB",
  async run({ crm, ask, resetPeakRss, peakRss }) {
    const packed = gzipSync(Buffer.alloc(200 * 1_048_576));
    crm.choose = () => answer(200, packed, { "content-encoding": "gzip" });
    const before = resetPeakRss();
    const result = await ask(both);
    const growth = peakRss() - before;
    return {
      measured: `${packed.length >> 10} KiB for 200 MiB: ${codeOf(result)}, RSS +${growth.toFixed(0)} MiB`,
      pass: isPartial(result, "BAD_UPSTREAM_RESPONSE") && growth < 50,
    };
  },
};

const left: Row = {
  fault: "client disconnects",
  criterion: "its read calls aborted within 100 ms; mutations finish",
  async run({ crm, messaging, ask, platform }, { patience }) {
    crm.choose = () => hang;
    const leaving = new AbortController();
    ask('{ a: contacts(q: "a") { id } b: contacts(q: "b") { id } }', leaving.signal).catch(() => {});
    await soon(() => crm.underWay() === 2);
    const at = performance.now();
    leaving.abort();
    await soon(() => crm.left.length === 2);
    const slowest = Math.max(...crm.left) - at;
    messaging.choose =
      () =>
      ({ passOn }) =>
        void setTimeout(passOn, 150);
    const body = `left ${Date.now()}`;
    const mutating = new AbortController();
    ask(send(body), mutating.signal).catch(() => {});
    await soon(() => messaging.underWay() === 1);
    mutating.abort();
    let stored = 0;
    for (let tries = 0; tries < 50 && stored === 0; tries++) {
      await sleep(200);
      stored = await countStored(platform, body);
    }
    return {
      measured: `reads closed after ${ms(slowest)}; message stored ${stored}×`,
      pass: crm.left.length === 2 && slowest < 100 * patience && stored === 1,
    };
  },
};

/** How often a message with this text stands in the newest conversations. */
async function countStored(platform: URL, body: string): Promise<number> {
  const get = async (path: string): Promise<{ items: { id: string; body: string }[] }> =>
    (await (await fetch(new URL(path, platform), { headers: { "x-api-key": key } })).json()) as never;
  const { items } = await get("/v1/inbox/conversations?limit=5");
  const ids = items.map(({ id }) => id).join(",");
  const messages = await get(`/v1/inbox/messages?conversationIds=${ids}&limitPerConversation=20`);
  return messages.items.filter((message) => message.body === body).length;
}

const mutations: Row = {
  fault: "mutations under 30 % faults",
  criterion: "0 duplicate writes",
  async run({ messaging, ask, platform }, { effort }) {
    const faults = [reset, loseAnswer, unavailable, endInBody];
    messaging.choose = () =>
      Math.random() < 0.3 ? faults[Math.floor(Math.random() * faults.length)] : undefined;
    const total = 60 * effort;
    let [duplicates, lost] = [0, 0];
    const run = Date.now();
    for (let count = 0; count < total; count++) {
      const body = `once ${run} ${count}`;
      const { errors } = await ask(send(body));
      const stored = await countStored(platform, body);
      if (stored > 1) duplicates++;
      if (!errors && stored === 0) lost++;
    }
    const calls = messaging.requests.length;
    return {
      measured: `${total} mutations, ${calls} calls, ${duplicates} twice, ${lost} lost`,
      pass: duplicates === 0 && lost === 0 && calls <= total,
    };
  },
};

const costly: Row = {
  fault: "worst-case documents of up to 1 MiB",
  criterion: "refused within 100 ms of CPU",
  async run({ ask, cpuMs }, { patience }) {
    const names = Array.from({ length: 400 }, (_, index) => index);
    const circle = names.map(
      (i) => `fragment F${i} on IdentityProfile { ...F${(i + 1) % 400} ...F${(i + 7) % 400} }`,
    );
    const documents = {
      deep: "{ a ".repeat(250_000),
      wide: `{ me { ${"id ".repeat(330_000)} } }`,
      repeated: `{ ${"conversations { contact { conversations { id } } } ".repeat(450)} }`,
      circle: `{ me { ...F0 } } ${circle.join(" ")}`,
      name: `{ ${"a".repeat(1_000_000)} }`,
    };
    const spent: string[] = [];
    let slowest = 0;
    for (const [name, document] of Object.entries(documents)) {
      const times: number[] = [];
      for (let count = 0; count < 5; count++) {
        const before = cpuMs();
        const { status } = await ask(document + " ".repeat(count)); // a document that was refused before costs nothing
        times.push(status === 400 ? cpuMs() - before : Number.POSITIVE_INFINITY);
      }
      const median = times.sort((a, b) => a - b)[2] ?? 0;
      slowest = Math.max(slowest, median);
      spent.push(`${name} ${median}`);
    }
    return { measured: `ms, median of 5: ${spent.join(", ")}`, pass: slowest <= 100 * patience };
  },
};

const terminated: Row = {
  fault: "SIGTERM under load",
  criterion: "readiness fails first, 0 failed requests, exit ≤ 10 s",
  async run({ child, graphql, ask }) {
    const outcomes = new Map<string, number>();
    let isReady = true;
    const client = async (): Promise<void> => {
      while (isReady) {
        const outcome = await ask(both).then(codeOf, (error) => String(error.cause?.code ?? error));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const balancer = async (): Promise<void> => {
      while (isReady) {
        isReady = (await fetch(new URL("/readyz", graphql))).ok;
        await sleep(10);
      }
    };
    const load = Promise.all([balancer(), ...Array.from({ length: 10 }, client)]);
    await sleep(500);
    const at = performance.now();
    child.kill("SIGTERM");
    const [[code]] = await Promise.all([once(child, "exit"), load]);
    const took = performance.now() - at;
    const total = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
    return {
      measured: `${total} requests: ${[...outcomes].map(([name, count]) => `${name === "none" ? "good" : name} ${count}`).join(", ")}; exit ${code} after ${ms(took)}`,
      pass: outcomes.size === 1 && outcomes.has("none") && code === 0 && took < 10_000,
    };
  },
};

/** Rows that share one `graphql` role: none of them needs a fresh process or leaves one behind that others cannot use. */
export const groups: readonly (readonly Row[])[] = [
  [refused],
  [hangs],
  [broken, violated, limited, redirected, left, costly, mutations],
  [flapping],
  [flappingAlways],
  [tooLarge],
  [bomb],
  [{ ...terminated, environment: { NODE_ENV: "production", LOG_LEVEL: "info" } }],
];
