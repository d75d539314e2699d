/**
 * The thresholds ("bars") of the suites that measure. A suite compares each measured value with its bar (`verdict.ts`). Suites
 * that run vitest have their thresholds in their tests.
 */

export type Bar = {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** `%`: the value is a fraction and is printed as a percentage. */
  readonly unit?: "%" | "×" | "MiB" | "ms";
};

const none: Bar = { atMost: 0 };
const some: Bar = { atLeast: 1 };

export const bars = {
  mutations: {
    "breaking edits": { atLeast: 100 },
    "harmless edits": { atLeast: 20 },
    "edits with a missing or a wrong finding": none,
  },
  caches: {
    "required cases that pass": { atLeast: 127 },
    "required or optional cases that fail without a reason": none,
    "reasons that no case needs": none,
  },
  documents: {
    operations: some,
    "proposed, of the operations that a field can show": { atLeast: 0.99, unit: "%" },
    "bound alone, of the proposed ones": { atLeast: 0.97, unit: "%" },
    "type-checked, of those that bind together": { atLeast: 1, unit: "%" },
    "right, of the values served": { atLeast: 0.99, unit: "%" },
  },
  edits: {
    "fields that an edit breaks, found": some,
    "fields that an edit breaks, missed": none,
    "findings of an edit that breaks something": { atLeast: 1, atMost: 1 },
    "false, of all findings": { atMost: 0.02, unit: "%" },
  },
  history: {
    "steps from one version to the next": some,
    "fields that a step breaks, found": some,
    "fields that a step breaks, missed": none,
    "false, of all findings": { atMost: 0.02, unit: "%" },
  },
  enclosing: { documents: { atLeast: 2 }, faults: none },
  faults: { faults: { atLeast: 13 }, "faults whose criterion is not met": none },
  overload: {
    "goodput at twice the capacity, of the capacity": { atLeast: 0.9, unit: "%" },
    "goodput at five times the capacity, of the capacity": { atLeast: 0.8, unit: "%" },
    "answers that are neither right nor a 503 with Retry-After": none,
  },
  restarts: {
    requests: { atLeast: 100 },
    "failed requests": none,
    "exits with another code than 0": none,
    "slowest exit": { atMost: 10_000, unit: "ms" },
  },
  "slow-clients": {
    "sockets that are still open": none,
    "time until the last was closed, of the time for a header": { atMost: 1.3, unit: "×" },
    "median of another client beside them, of what it was": { atMost: 5, unit: "×" },
  },
  "two-tenants": {
    "p95 of the other tenant, of what it was": { atMost: 5, unit: "×" },
    "failed requests of the other tenant": none,
    "memory at most": { atMost: 512, unit: "MiB" },
    "processes that ended": none,
  },
  floods: {
    "answers that name the flood's own limit": some,
    "median of the other caller, of what it was": { atMost: 5, unit: "×" },
    "memory at most": { atMost: 512, unit: "MiB" },
  },
  leaving: {
    "requests of another caller": { atLeast: 20 },
    "failed requests of another caller": none,
    "things left over": none,
  },
  chaos: {
    "whole answers": { atLeast: 100 },
    "wrong answers": none,
    "things left over": none,
    "resident memory": { atMost: 512, unit: "MiB" },
  },
  rolling: {
    requests: { atLeast: 100 },
    "requests of either version that failed": none,
    "releases that reached every replica": { atLeast: 1, unit: "%" },
    "early requests for a new id that an old replica refused": some,
    "roll-outs whose early requests the log and the metrics tell": { atLeast: 1, unit: "%" },
    "requests that failed later than a second after a kill": none,
  },
  chain: {
    requests: { atLeast: 1_000 },
    "wrong answers": none,
    "releases that did not reach every replica": none,
    "lost in roll-outs": none,
    "lost in restarts": none,
    "lost while Redis fails": none,
    "lost by a kill": { atMost: 10 },
    "lost by a frozen role": { atMost: 25 },
    "until its alert fires": { atMost: 60_000, unit: "ms" },
    "until a revoked key is refused by both gateways": { atMost: 30_000, unit: "ms" },
    "answers to a revoked key after that": none,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Bar>>>>;
