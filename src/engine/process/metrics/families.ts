/**
 * Metrics whose values are read when Prometheus asks. `prom-client` looks a value up by a hash of its labels at each
 * observation (1 µs); here the observer keeps a plain number.
 */
import type { Metric, Registry } from "prom-client";

export type Labels = Readonly<Record<string, string>>;

/** `metricName`: of a part of a histogram. */
type Sample = { readonly labels: Labels; readonly value: number; readonly metricName?: string };

export function addMetric(
  registry: Registry,
  type: "counter" | "gauge" | "histogram",
  name: string,
  help: string,
  read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  const get = async () => ({ name, help, type, aggregator: "sum", values: await read() });
  registry.registerMetric({ name, get, reset: () => {} } as unknown as Metric);
}

export class Count {
  value = 0;
}

/** A counter with one child for each set of labels. The maker of the children must bound their number. */
export class CounterFamily {
  readonly #children: { readonly labels: Labels; readonly count: Count }[] = [];

  constructor(registry: Registry, name: string, help: string) {
    addMetric(registry, "counter", name, help, () =>
      this.#children.map(({ labels, count }) => ({ labels, value: count.value })),
    );
  }

  child(labels: Labels): Count {
    const count = new Count();
    this.#children.push({ labels, count });
    return count;
  }
}

/** The upper bounds of the buckets of durations, in seconds: those of OpenTelemetry, from 1 ms on. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

class Buckets {
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    let at = 0;
    while (value > (this.bounds[at] ?? Number.POSITIVE_INFINITY)) at++;
    (this.counts[at] as number)++;
    this.sum += value;
  }
}

export class Durations extends Buckets {
  observe(ms: number): void {
    this.add(ms / 1_000);
  }
}

/** A histogram with one child for each set of labels. */
export class HistogramFamily {
  readonly #name: string;
  readonly #children: { readonly labels: Labels; readonly buckets: Buckets }[] = [];

  constructor(registry: Registry, name: string, help: string) {
    this.#name = name;
    addMetric(registry, "histogram", name, help, () =>
      this.#children.flatMap(({ labels, buckets }) => this.#samples(labels, buckets)),
    );
  }

  /** `bounds`: the upper bounds of its buckets. */
  buckets(labels: Labels, bounds: readonly number[]): Buckets {
    return this.add(labels, new Buckets(bounds));
  }

  protected add<T extends Buckets>(labels: Labels, buckets: T): T {
    this.#children.push({ labels, buckets });
    return buckets;
  }

  #samples(labels: Labels, { bounds, counts, sum }: Buckets): Sample[] {
    let count = 0;
    const cumulative = [...counts].map((inBucket, at) => {
      count += inBucket;
      return {
        metricName: `${this.#name}_bucket`,
        labels: { ...labels, le: String(bounds[at] ?? "+Inf") },
        value: count,
      };
    });
    return [
      ...cumulative,
      { metricName: `${this.#name}_sum`, labels, value: sum },
      { metricName: `${this.#name}_count`, labels, value: count },
    ];
  }
}

export class DurationFamily extends HistogramFamily {
  child(labels: Labels): Durations {
    return this.add(labels, new Durations(seconds));
  }
}

/** The value of a key, made when it is first needed. */
export function known<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = values.get(key);
  if (value !== undefined) return value;
  const made = make();
  values.set(key, made);
  return made;
}
