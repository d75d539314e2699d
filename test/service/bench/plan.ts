/**
 * How many processes a rate of dashboard requests needs, and what they ask of the services behind them: arithmetic over the
 * figures of other benchmarks. `npm run bench -- plan --help` lists your own numbers. docs/guides/scale.md explains the rows.
 */
import { positive, readArguments } from "../../support/script-arguments.ts";

export type Numbers = {
  /** GraphQL requests a second of one core of `graphql` and of a gateway: `npm run bench -- sizing`. */
  readonly graphqlPerCore: number;
  readonly gatewayPerCore: number;
  /** REST calls of a request, after those that are shared or kept. */
  readonly calls: number;
  /** API keys in use, and seconds for which a gateway remembers one. */
  readonly keys: number;
  readonly cacheSeconds: number;
  /** Connections of a process to one product's service. */
  readonly connections: number;
};

/** The roles' rows of docs/guides/operating.md, measured on the machine that it names. */
export const measured: Numbers = {
  ...{ graphqlPerCore: 1_430, gatewayPerCore: 4_020, calls: 5 },
  ...{ keys: 2_000, cacheSeconds: 25, connections: 64 },
};

/** Half of what a core takes, for the slowest second is not the mean; one process more, for one may be missing. */
const processes = (rate: number, perCore: number): number => Math.max(2, Math.ceil(rate / (perCore / 2)) + 1);

/**
 * Look-ups a second. A key comes to a gateway every `gateways × keys / rate` seconds on average; it is looked up once, and then not
 * for `cacheSeconds`.
 */
export const lookUpsPerSecond = (
  rate: number,
  gateways: number,
  keys: number,
  cacheSeconds: number,
): number => (gateways * keys) / (cacheSeconds + (gateways * keys) / rate);

export function plan(rate: number, given: Numbers) {
  const graphql = processes(rate, given.graphqlPerCore);
  const gateways = processes(rate, given.gatewayPerCore);
  return {
    graphql,
    gateways,
    "REST calls a second": rate * given.calls,
    "connections to a product": graphql * given.connections,
    "key look-ups a second": Math.round(lookUpsPerSecond(rate, gateways, given.keys, given.cacheSeconds)),
    "Redis commands a second": 2 * rate,
    "memory, GiB": Math.ceil((graphql * 512 + gateways * 256) / 1_024),
  };
}

if (import.meta.main) {
  const line = await readArguments("npm run bench -- plan", (command) =>
    command
      .description("Prints how many processes rates of requests need, as a Markdown table.")
      .option("--rates <list>", "requests a second, comma-separated", "1000,10000,100000")
      .option("--graphql-per-core <number>", "as `sizing` measures it", positive, measured.graphqlPerCore)
      .option("--gateway-per-core <number>", "as `sizing` measures it", positive, measured.gatewayPerCore)
      .option("--calls <number>", "REST calls of a request", positive, measured.calls)
      .option("--keys <number>", "API keys in use", positive, measured.keys)
      .option("--cache-seconds <number>", "KEY_CACHE_MS in seconds", positive, measured.cacheSeconds)
      .option("--connections <number>", "REST_CONNECTIONS", positive, measured.connections),
  );
  const { rates, ...numbers } = line.opts<Numbers & { rates: string }>();
  const columns = rates.split(",").map((rate) => [rate, plan(positive(rate), numbers)] as const);
  console.log(
    `| requests a second | ${columns.map(([rate]) => Number(rate).toLocaleString("en")).join(" | ")} |`,
  );
  console.log(`| --- |${columns.map(() => " ---: |").join("")}`);
  for (const name of Object.keys(columns[0]?.[1] ?? {}) as (keyof ReturnType<typeof plan>)[])
    console.log(`| ${name} | ${columns.map(([, row]) => row[name].toLocaleString("en")).join(" | ")} |`);
}
