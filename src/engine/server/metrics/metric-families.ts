/**
 * Metrics whose values are read when Prometheus asks. `prom-client` looks a value up by a hash of its labels at each
 * observation (1 µs); here a plain number is kept, for each list of label values.
 */
import { type Metric, Registry } from "prom-client";

type Value = string | number | boolean;
export type Labels = Readonly<Record<string, string>>;
/** The values of the labels, and then the value itself. */
type Row = readonly [...labels: Value[], value: number];
type Rows = Iterable<Row> | Promise<Iterable<Row>>;

/** `metricName`: of a part of a histogram. */
type Sample = { readonly labels: Labels; readonly value: number; readonly metricName?: string };

/** Makes labels of the values of `names`, in their order. */
export const labels =
  <const Names extends readonly string[]>(...names: Names) =>
  (...values: { readonly [At in keyof Names]: Value }): Labels =>
    Object.fromEntries(names.map((name, at) => [name, String(values[at])]));

/** The upper bounds of the buckets of durations, in seconds: those of OpenTelemetry, from 1 ms on. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class MetricFamilies {
  readonly registry = new Registry();

  /** A metric whose rows are kept elsewhere. */
  add(
    type: "counter" | "gauge",
    name: string,
    help: string,
    names: readonly string[],
    rows: () => Rows,
  ): void {
    const labelled = labels(...names);
    this.#register(type, name, help, async () =>
      [...(await rows())].map((row) => ({
        labels: labelled(...row.slice(0, -1)),
        value: row.at(-1) as number,
      })),
    );
  }

  /** A counter. Returns the function that finds the child of some values. */
  counters<Values extends readonly Value[]>(
    name: string,
    help: string,
    labelsOf: (...values: Values) => Labels,
  ): (...values: Values) => { value: number } {
    const { children, of } = family(labelsOf, () => ({ value: 0 }));
    this.#register("counter", name, help, () =>
      children.map(({ labels, child: { value } }) => ({ labels, value })),
    );
    return of;
  }

  /** A histogram. `bounds`: the upper bounds of its buckets; without them, its values are durations in seconds. */
  histograms<Values extends readonly Value[]>(
    name: string,
    help: string,
    labelsOf: (...values: Values) => Labels,
    bounds = seconds,
  ): (...values: Values) => Buckets {
    const { children, of } = family(labelsOf, () => new Buckets(bounds));
    this.#register("histogram", name, help, () =>
      children.flatMap(({ labels, child }) => child.samples(name, labels)),
    );
    return of;
  }

  #register(type: string, name: string, help: string, read: () => Sample[] | Promise<Sample[]>): void {
    const get = async () => ({ name, help, type, aggregator: "sum", values: await read() });
    this.registry.registerMetric({ name, get, reset: () => {} } as unknown as Metric);
  }
}

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
