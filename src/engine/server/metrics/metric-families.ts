/**
 * Metrics whose values are collected at scrape time. `prom-client` hashes the labels at each observation (1 µs); here each
 * combination of label values has a plain number instead.
 */
import { type Metric, Registry } from "prom-client";

type Value = string | number | boolean;
export type Labels = Readonly<Record<string, string>>;
/** Label values, followed by the metric's value. */
type Row = readonly [...labels: Value[], value: number];
type Rows = Iterable<Row> | Promise<Iterable<Row>>;

/** `metricName`: name of a histogram's series (`_bucket`, `_sum`, `_count`). */
type Sample = { readonly labels: Labels; readonly value: number; readonly metricName?: string };

/** Returns a function that turns label values, in the order of `names`, into labels. */
export const labels =
  <const Names extends readonly string[]>(...names: Names) =>
  (...values: { readonly [At in keyof Names]: Value }): Labels =>
    Object.fromEntries(names.map((name, at) => [name, String(values[at])]));

/** Upper bounds of duration buckets in seconds, as the semantic conventions for HTTP and DNS metrics recommend them. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export class MetricFamilies {
  readonly registry = new Registry();

  /** A metric whose values are read from elsewhere at scrape time. */
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

  /** A counter. Returns a function from label values to the child. */
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

  /** A histogram. `bounds`: upper bounds of its buckets; by default those of durations in seconds. */
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

/** The children of a metric, one per combination of label values. The caller must bound their number. */
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
