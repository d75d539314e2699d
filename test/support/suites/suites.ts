/**
 * The suites that `npm run suite -- <name>` runs in addition to `npm test`, and the benchmarks that `npm run bench -- <name>`
 * runs.
 */

type Told = { readonly does: string };
/** A suite that is a script and parses its own arguments. */
export type Script = Told & { readonly file: string };
/** A suite that vitest runs: all tests of its projects, or those in `files`. */
export type Tests = Told & {
  readonly projects: readonly string[];
  readonly files?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
};
/** Suites that run one after another, even if one fails. */
export type Group = Told & { readonly suites: readonly string[] };

export type Runnable = Script | Tests | Group;

export const suites: Readonly<Record<string, Runnable>> = {
  browser: {
    does: "the explorer, the dashboard and the browser's own cache in Chromium",
    projects: ["browser"],
  },
  benches: { does: "a short run of each benchmark: its tables are whole", projects: ["bench"] },
  caches: {
    does: "the public tests for HTTP caches, which npm fetches, against the REST client",
    file: "test/engine/cache-suite/main.ts",
  },
  chain: {
    does: "the whole chain with a Redis cluster and Prometheus: what each fault loses, and how soon its alert fires",
    file: "test/service/load/chain.ts",
  },
  chaos: {
    does: "forty clients of mixed manners over a REST that fails in every way",
    file: "test/service/chaos/chaos.ts",
  },
  deploy: {
    does: "the image's file tree, the manifests; the balancer, a shared cache and alerts, if HAProxy, Varnish and promtool are here",
    projects: ["deploy"],
  },
  differential: {
    does: "10,000 random operations on plans and on graphql-js",
    projects: ["shared"],
    files: ["test/engine/runtime/graphql/plan/differential"],
    environment: { DIFFERENTIAL_CASES: "10000" },
  },
  documents: {
    does: "real OpenAPI documents, which npm fetches: proposed, bound, generated, type-checked and served through Prism",
    file: "test/engine/documents/main.ts",
  },
  edits: {
    does: "`check --base` over random edits of real documents, beside an oracle",
    file: "test/engine/documents/edited.ts",
  },
  enclosing: {
    does: "links over Chatwoot's and GitHub's documents that take values of enclosing objects, served through Prism",
    file: "test/engine/documents/enclosing/main.ts",
  },
  faults: {
    does: "a proxy between GraphQL and REST refuses, hangs, resets, floods and lies",
    file: "test/service/faults/main.ts",
  },
  floods: { does: "floods of requests that cost more than they weigh", file: "test/service/load/floods.ts" },
  fuzz: {
    does: "20,000 random bodies, heads, variables and answers of REST; every name that objects inherit",
    projects: ["slow", "apart", "shared"],
    files: [
      "test/service/fuzz",
      "test/engine/runtime/graphql/variables.test.ts",
      "test/engine/build/bind/composed.test.ts",
      "test/engine/build/codegen/hostile.test.ts",
      "test/engine/names/every-name.test.ts",
    ],
    environment: {
      FUZZ_CASES: "5000",
      VARIABLES_SHARE: "1",
      HOSTILE_CASES: "200",
      EVERY_NAME: "1",
      COMPOSED_CASES: "500",
    },
  },
  history: {
    does: "`check --base` over versions of real documents, beside an oracle",
    file: "test/engine/documents/history.ts",
  },
  inputs: {
    does: "what bodies of 1 MiB with hostile variables cost",
    projects: ["slow"],
    files: ["test/engine/runtime/graphql/variables.test.ts"],
    environment: { BODY_BYTES: "1048576" },
  },
  leaving: {
    does: "clients that leave at random moments, in every role",
    file: "test/service/chaos/leaving.ts",
  },
  load: {
    does: "the five suites of load, one after another",
    suites: ["overload", "restarts", "slow-clients", "two-tenants", "floods"],
  },
  mutations: {
    does: "edits of the spec in every way that breaks or spares clients",
    file: "test/service/mutations/main.ts",
  },
  overload: {
    does: "load at twice and at five times what the role can do",
    file: "test/service/load/overload.ts",
  },
  package: {
    does: "the engine's tarball: projects on documents that npm fetches, and one of a version before",
    projects: ["package"],
  },
  react: {
    does: "examples/react with the packed client, from npm: its types, its tests with the mocks, its build",
    file: "test/service/clients/react-example.ts",
  },
  replicas: {
    does: "100,000 interleaved requests of 50 callers over two replicas",
    projects: ["many"],
    files: ["test/service/e2e/replicas.test.ts"],
    environment: { REQUESTS: "100000" },
  },
  restarts: {
    does: "restarts by SIGTERM under load, behind readiness",
    file: "test/service/load/restarts.ts",
  },
  rolling: {
    does: "a field is renamed under load, and the rename taken back, with clients of both versions; kills of each process",
    file: "test/service/load/rolling.ts",
  },
  slow: {
    does: "the tests that `npm test` leaves out because they take long",
    projects: ["slow"],
    environment: { REQUESTS: "10000" },
  },
  "slow-clients": {
    does: "a thousand sockets that never finish a header",
    file: "test/service/load/slow-loris.ts",
  },
  "supply-chain": {
    does: "what an installation takes from others: integrity, licences, the bill of materials",
    file: "deploy/supply-chain.ts",
  },
  tenants: {
    does: "10,000 interleaved requests of 50 tenants",
    projects: ["many"],
    files: ["test/service/e2e/tenants.test.ts", "test/service/e2e/replicas.test.ts"],
    environment: { REQUESTS: "10000" },
  },
  "two-tenants": {
    does: "what one tenant's costly requests do to another tenant",
    file: "test/service/load/two-tenants.ts",
  },
  wide: {
    does: "specs with thousands of everything: codegen's cost grows with the size and not with its square",
    projects: ["slow"],
    files: ["test/engine/build/codegen/wide.test.ts"],
    environment: { WIDE: "1000" },
  },
};

export const benches: Readonly<Record<string, Runnable>> = {
  gateway: { does: "what the gateway adds to a call", file: "test/service/bench/gateway.ts" },
  growth: { does: "how cost grows with the size of the work", file: "test/service/bench/growth.ts" },
  peers: {
    does: "the graphql role beside a floor program, Mercurius, Apollo Server and Tailcall (needs nginx and wrk)",
    file: "test/service/bench/bench.ts",
  },
  plan: {
    does: "how many processes a rate of requests needs: arithmetic, it measures nothing",
    file: "test/service/bench/plan.ts",
  },
  polling: {
    does: "what repeated queries of one caller cost (needs nginx and wrk)",
    file: "test/service/bench/polling.ts",
  },
  processes: {
    does: "two graphql processes behind HAProxy beside one (needs haproxy)",
    file: "test/service/bench/processes.ts",
  },
  profile: {
    does: "what the graphql role spends its processor time on (needs nginx and wrk)",
    file: "test/service/bench/profile.ts",
  },
  sizing: { does: "requests/s of a core, and memory, of both roles", file: "test/service/bench/sizing.ts" },
  start: {
    does: "what a start of the graphql role costs, beside a floor program, Mercurius and Apollo Server",
    file: "test/service/bench/start.ts",
  },
  warming: { does: "what requests to a fresh graphql role cost", file: "test/service/bench/warming.ts" },
};
