/** Prints docs/reference/alerts.md from the rules of deploy/prometheus, with how soon after a fault each alert fires. */
import { parse } from "yaml";
import { read } from "./page.ts";

type Rule = { readonly alert?: string; readonly expr: string; readonly for?: string };

type Delay = {
  /** Seconds from a complete fault to the alert, if a scrape and an evaluation follow the fault at once. */
  readonly earliest: number;
  /** Seconds that a scrape and an evaluation may add. */
  readonly spread: number;
  /** The windows of the rates that the rule compares with a bound, such as `5m`. */
  readonly windows: readonly string[];
};

const { global } = parse(read("deploy/prometheus/prometheus.yaml")) as {
  global: { scrape_interval: string; evaluation_interval: string };
};
const { groups } = parse(read("deploy/prometheus/alerts.yaml")) as {
  groups: { interval?: string; rules: Rule[] }[];
};

/** What has to pass before a comparison is true, by its form. `bound` is the number that it compares with. */
const comparisons: readonly (readonly [RegExp, (bound: number, window: number) => number])[] = [
  [
    /histogram_quantile\((?<bound>0\.\d+),[^>]*\[(?<window>\w+)\]\)+ > /g,
    (bound, window) => (1 - bound) * window,
  ],
  [/\/ [^/>]*\[(?<window>\w+)\]\)\) > (?<bound>0\.\d+)/g, (bound, window) => bound * window],
  [/\[(?<window>\w+)\]\)\)\s*< (?<bound>0\.\d+) \* /g, (bound, window) => (1 - bound) * window],
  [
    /error_ratio:rate(?<window>\w+) > (?:(?<bound>[\d.]+) \* )?0\.001/g,
    (bound, window) => bound * 0.001 * window,
  ],
  [/age_seconds > (?<bound>\d+)/g, (bound) => bound],
];

/** The delay of each alert by its name, with the intervals of deploy/prometheus. */
export const delays: ReadonlyMap<string, Delay> = new Map(
  groups.flatMap(({ interval = global.evaluation_interval, rules }) =>
    rules.flatMap(({ alert, expr, for: hold = "0s" }): [string, Delay][] => {
      if (alert === undefined) return [];
      // `> 0` is true at the first event, whatever the window
      const rates = expr.matchAll(
        /(?:(?:rate|increase)\([^[\]]*\[|error_ratio:rate)(\w+)\b(?!\] offset|\]\)+ > 0\n)/g,
      );
      return [
        [
          alert,
          {
            earliest: Math.ceil(untilTrue(expr)) + seconds(hold),
            spread: seconds(global.scrape_interval) + seconds(interval),
            windows: [...new Set([...rates].map(([, window = ""]) => window))],
          },
        ],
      ];
    }),
  ),
);

function seconds(duration: string): number {
  const [, amount, unit = ""] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const unitSeconds = new Map(Object.entries({ s: 1, m: 60, h: 3_600, d: 86_400 })).get(unit);
  if (unitSeconds === undefined) throw new Error(`${duration} is not a duration`);
  return Number(amount) * unitSeconds;
}

/**
 * Seconds from a fault of all calls or requests until the expression is true, at constant traffic: the part of each window that
 * must be faulty before a ratio, a quantile or a fall of traffic crosses its bound. `or` needs one of its operands, `and` all.
 */
function untilTrue(expr: string): number {
  const ofOperand = (operand: string): number[] =>
    comparisons.flatMap(([form, until]) =>
      [...operand.matchAll(form)].map(({ groups: { bound = "1", window = "0s" } = {} }) =>
        until(Number(bound), seconds(window)),
      ),
    );
  return Math.min(...expr.split(/\bor\b/).map((operand) => Math.max(0, ...ofOperand(operand))));
}

/** 135 as `2 min 15 s`. */
function duration(total: number): string {
  const minutes = Math.floor(total / 60);
  const parts = [
    minutes > 0 ? `${minutes} min` : "",
    total % 60 > 0 || minutes === 0 ? `${total % 60} s` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

function printedDelay({ earliest, spread, windows }: Delay): string {
  if (windows.length === 0) return `${duration(earliest)} to ${duration(earliest + spread)}`;
  const units = { s: " s", m: " min", h: " h", d: " d" };
  const names = windows.map((window) =>
    window.replace(/[smhd]$/, (unit) => units[unit as keyof typeof units]),
  );
  return `${duration(earliest)} at the earliest (rates over ${names.join(", ")})`;
}

/** Of each alert the comment above it, which ends with what to do first, its severity and its delay. */
export function alertBlocks(): readonly string[] {
  const rules = read("deploy/prometheus/alerts.yaml");
  const sections = [...rules.matchAll(/((?:^ +# .*\n)+) +- alert: (\w+)\n[\s\S]*?severity: (\w+)/gm)].map(
    ([, comment = "", name = "", severity]) => {
      const text = comment
        .replaceAll(/^ +# /gm, "")
        .trim()
        .replaceAll(/\n(?!- ) */g, " ");
      const [meaning, first = ""] = text.split(" First: ");
      const delay = delays.get(name);
      if (delay === undefined) throw new Error(`${name} has no delay`);
      const head = `## ${name}\n\n\`${severity}\` after ${printedDelay(delay)}: ${meaning}`;
      return `${head}\n\nFirst: ${first.replace("\n- ", "\n\n- ")}`;
    },
  );
  return [introduction, order, ...sections];
}

const introduction = `What each alert of \`deploy/prometheus/alerts.yaml\` means, and what to do first. A \`page\` wakes somebody; a \`ticket\` waits for the
morning. [operating.md](../guides/operating.md#alerts) has the objective behind them.

- *Row: Panel* is a panel of \`deploy/grafana/dashboard.json\`; a \`query\` is for Prometheus.
- **Delays** are from the moment at which a metric shows the fault, with scrapes each ${duration(seconds(global.scrape_interval))}. A range is one scrape and one evaluation
  wide. "At the earliest" is for a fault of all calls or requests at constant traffic; if only a part fails, the rates need longer to
  cross the bound. A frozen process is noticed one scrape later. Alertmanager adds \`group_wait\`.
- An alert that is *pending* has not lasted long enough: most faults of seconds never fire.`;

const order = `## Several alerts fire

Read them in this order: the first line that fits is the cause, and what it explains needs no attention of its own.

| together | the cause is | it explains |
| --- | --- | --- |
| \`NameNotResolved\` with anything | name servers, or that name | \`ProductDown\`, \`KeyIntrospectionFails\`, \`RedisDown\` of that name |
| \`BalancerDown\`, or \`NoServerForBalancer\` for \`gateways\` | the balancer, or all gateways (\`RoleDown\`, \`RoleAbsent\`) | \`EdgeProbeFails\`, \`TrafficDropped\` |
| \`NoServerForBalancer\` for \`graphql\` | all \`graphql\` processes: \`RoleDown\`, \`RoleCrashLoops\`, \`NotReady\` name why | \`EdgeProbeFails\`, \`ErrorBudgetBurnsFast\` |
| \`RoleDown\`, \`RoleCrashLoops\` or \`MemoryHigh\` of one process | that process | \`ServerDownForBalancer\`, \`RoleRestarted\` |
| \`KeyIntrospectionFails\` at all gateways, and \`ProductDown\` or \`RestOperationFails\` of most products | the whole REST platform, or the network to it | \`Shedding\` without a reason, \`OperationFails\`, \`ErrorBudgetBurnsFast\` |
| \`KeyIntrospectionFails\` alone | at all gateways, key introspection; at one, that gateway | \`Shedding\` without a reason |
| \`RedisDown\` and \`RevocationsMissed\` of all gateways | Redis | more key lookups |
| the same of one gateway | that gateway's network, or its password | more key lookups |
| \`RevocationsMissed\` without \`RedisDown\` | the log in Redis: rights, or lost entries | |
| \`GatewaySecretDiffers\` of one \`graphql\` process; of all | that process; a gateway | \`Refused\` with \`refused_key\` |
| \`EventLoopLate\`, and \`ProductSlow\` of all products | too little CPU time | \`Shedding\` with \`event_loop\`, \`ClientsLeave\` |
| \`ProductDown\` or \`ProductSlow\` of one product | that product | \`RestOperationFails\`, \`RestOperationSlow\`, \`OperationFails\`, \`ClientsLeave\`, \`QuotaAlmostReached\`, \`ErrorBudgetBurnsFast\` |

One \`instance\` or all of them is the first question: one is that process, its machine or its network; all are what they share.`;
