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

type Value = string | number | boolean;

class Node<Child> extends Map<Value, Node<Child>> {
  child: Child | undefined;
}

/** The children of a metric, one for each list of values. Whoever gives the values must bound their number. */
function family<Values extends readonly Value[], Child>(
  labelsOf: (...values: Values) => Labels,
  make: () => Child,
) {
  const root = new Node<Child>();
  const children: { readonly labels: Labels; readonly child: Child }[] = [];
  const of = (...values: Values): Child => {
    let node = root;
    for (const value of values) {
      let next = node.get(value);
      if (!next) {
        next = new Node();
        node.set(value, next);
      }
      node = next;
    }
    if (node.child !== undefined) return node.child;
    node.child = make();
    children.push({ labels: labelsOf(...values), child: node.child });
    return node.child;
  };
  return { children, of };
}

/** A counter. Returns the function that finds the child of some values. */
export function counters<Values extends readonly Value[]>(
  registry: Registry,
  name: string,
  help: string,
  labelsOf: (...values: Values) => Labels,
): (...values: Values) => { value: number } {
  const { children, of } = family(labelsOf, () => ({ value: 0 }));
  addMetric(registry, "counter", name, help, () =>
    children.map(({ labels, child: { value } }) => ({ labels, value })),
  );
  return of;
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

  samples(name: string, labels: Labels): Sample[] {
    let count = 0;
    const cumulative = [...this.counts].map((inBucket, at) => {
      count += inBucket;
      const le = String(this.bounds[at] ?? "+Inf");
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...cumulative,
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** A histogram. `bounds`: the upper bounds of its buckets; without them, its values are durations in seconds. */
export function histograms<Values extends readonly Value[]>(
  registry: Registry,
  name: string,
  help: string,
  labelsOf: (...values: Values) => Labels,
  bounds = seconds,
): (...values: Values) => Buckets {
  const { children, of } = family(labelsOf, () => new Buckets(bounds));
  addMetric(registry, "histogram", name, help, () =>
    children.flatMap(({ labels, child }) => child.samples(name, labels)),
  );
  return of;
}
