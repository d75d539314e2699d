/**
 * The environment variables: the default and the meaning of each; `validators.ts` has the checks. `config.ts` reads them.
 * `npm run docs` prints `docs/variables.md` from them.
 */
import { bool, type CleanedEnv, str } from "envalid";
import { defaultContextPrefix } from "../../shared/never-credentials.ts";
import { connectionsPerProduct } from "./capacity.ts";
import {
  addresses,
  count,
  headerPrefix,
  httpUrl,
  label,
  manifestPlaces,
  names,
  origins,
  pattern,
  port,
  redisPlace,
  secret,
  unconfirmedMs,
} from "./validators.ts";

/** `<name>_FILE` names a file that holds the value. */
export const secrets = [
  ...(["GATEWAY_SECRET", "GATEWAY_SECRET_OLD", "KEY_INTROSPECTION_CREDENTIALS", "REDIS_URL"] as const),
];

export const variables = {
  PORT: port({ default: 4000, desc: "port of the front role; 0 takes a free one" }),
  HOST: str({ default: "127.0.0.1", desc: "address to listen on" }),
  METRICS_PORT: port({ default: undefined, desc: "port of `/metrics`, on the same address; absent: none" }),
  NODE_ENV: str({
    choices: ["development", "test", "production"],
    default: "development",
    desc: "`production` turns off the explorer, GraphQL introspection, suggestions and demo data",
  }),
  REST_BASE_URL: httpUrl({
    default: undefined,
    desc: "REST platform behind roles that run without `platform`; a path prefix is kept",
  }),
  GRAPHQL_URL: httpUrl({ default: undefined, desc: "`graphql` role behind a gateway that runs alone" }),
  KEY_INTROSPECTION_URL: httpUrl({
    default: undefined,
    desc: "key introspection endpoint (RFC 7662) for a gateway that runs alone; the embedded platform's is `/internal/keys/introspect`",
  }),
  GATEWAY_SECRET: secret({ default: undefined, desc: "the gateway's proof to the roles behind it" }),
  GATEWAY_SECRET_OLD: secret({
    default: undefined,
    desc: "a proof that is taken too, while `GATEWAY_SECRET` is rotated",
  }),
  CONTEXT_HEADER_PREFIX: headerPrefix({
    default: defaultContextPrefix,
    desc: "first part of the eight context headers' names",
  }),
  API_ENVIRONMENT: str({
    choices: ["test", "live"],
    default: "test",
    desc: "which key prefix is good: `sk_test_` or `sk_live_`; demo data is for `test`",
  }),
  CORS_ORIGINS: origins({
    default: [],
    desc: "origins that browsers may call from, comma-separated; `*` is any",
  }),
  TRUSTED_PROXIES: addresses({
    default: [],
    desc: "addresses or CIDR blocks whose `X-Forwarded-For` says who calls",
  }),
  RATE_LIMIT_PER_KEY: count({
    default: 1_200,
    devDefault: Number.POSITIVE_INFINITY,
    desc: "requests a minute of one API key; outside production only if it is set",
  }),
  RATE_LIMIT_PER_ADDRESS: count({
    default: 3_000,
    devDefault: Number.POSITIVE_INFINITY,
    desc: "requests a minute from one address; outside production only if it is set",
  }),
  REDIS_URL: redisPlace({
    default: undefined,
    desc: "Redis or Valkey, one server, Sentinel or a cluster, where gateways count their limits together and read which keys are revoked; absent: each for itself",
  }),
  DATA_FILE: str({ default: undefined, desc: "the platform's SQLite file; absent: in memory" }),
  LOG_LEVEL: str({
    choices: ["debug", "info", "warn", "error", "silent"],
    default: "warn",
    desc: "least severe log line that is written; requests' lines have `ACCESS_LOG`, and `silent` leaves them out too",
  }),
  DRAIN_MS: count({
    default: 1_000,
    devDefault: 50,
    desc: "notice at SIGTERM: `/readyz` says 503 and answers close the connections that were open, before the port is closed; 50 outside production",
  }),
  STOP_TIMEOUT_MS: count({
    default: 9_000,
    desc: "from SIGTERM until the process ends in any case; `docker stop` kills after 10000",
  }),
  BUILD: label({
    default: "development",
    desc: "what this process was built from, such as a git commit; `/healthz` and `/metrics` tell it",
  }),
  ACCESS_LOG: str({
    choices: ["off", "errors", "all"],
    default: "errors",
    desc: "a log line for each request, or for each that got an error, also where `LOG_LEVEL` is `warn` or `error`; a flood of errors is counted by the minute",
  }),
  GRAPHQL_GET: bool({ default: true, desc: "`off` refuses queries sent by GET; mutations always are" }),
  OPERATIONS: str({ choices: ["all", "saved"], default: "all", desc: "`saved` runs saved operations only" }),
  OPERATIONS_FROM: manifestPlaces({
    default: [],
    desc: "manifests of apps' own operations, comma-separated: folders, `app=file` or `app=URL`",
  }),
  MCP: bool({
    default: false,
    desc: "`on` serves the saved operations that are tools to agents, at `/v1/mcp`",
  }),
  MAX_BODY_BYTES: count({
    default: 1_048_576,
    desc: "request body; an operation's arguments in characters, counted at each place",
  }),
  MAX_HEADERS: count({ default: 64, desc: "request headers" }),
  MAX_HEADER_BYTES: count({ default: 16_384, desc: "request headers, together" }),
  MAX_OPERATIONS: count({ default: 1, desc: "operations of an HTTP request; more than one is a batch" }),
  MAX_DOCUMENT_LENGTH: count({ default: 100_000, desc: "characters of a document" }),
  MAX_DOCUMENT_LINES: count({ default: 5_000, desc: "lines of a document" }),
  MAX_DEFINITIONS: count({ default: 100, desc: "operations and fragments of a document" }),
  MAX_TOKENS: count({ default: 5_000, desc: "tokens of a document" }),
  MAX_DEPTH: count({ default: 15, desc: "depth of an operation" }),
  MAX_ALIASES: count({ default: 30, desc: "aliases of an operation" }),
  MAX_ALIAS_LENGTH: count({ default: 100, desc: "characters of an alias" }),
  MAX_ROOT_FIELDS: count({ default: 20, desc: "root fields of an operation" }),
  MAX_FIELDS: count({ default: 5_000, desc: "fields of an operation, fragments and interfaces unfolded" }),
  MAX_DIRECTIVES: count({ default: 50, desc: "directives of an operation" }),
  MAX_BOUND_FIELDS: count({ default: 50, desc: "bound fields of an operation, before it runs" }),
  MAX_REST_CALLS: count({ default: 50, desc: "REST calls of a request, while it runs" }),
  MAX_CONCURRENT_REQUESTS: count({
    default: 256,
    desc: "GraphQL requests under way at once; one more is a 503",
  }),
  REST_CONNECTIONS: count({
    default: connectionsPerProduct,
    desc: "connections to one product's REST service; callers share them, and one has two thirds at most",
  }),
  CONNECT_TIMEOUT_MS: count({ default: 1_000, desc: "connecting to an upstream" }),
  CALL_TIMEOUT_MS: count({ default: 10_000, desc: "one REST call" }),
  REQUEST_TIMEOUT_MS: count({ default: 15_000, desc: "a whole request" }),
  UPSTREAM_CA_FILE: str({
    default: undefined,
    desc: "authorities (PEM) of upstreams' certificates, beside Node's own; read again for each connection",
  }),
  UPSTREAM_CERT_FILE: str({
    default: undefined,
    desc: "client certificate (PEM) for upstreams that want one; read again for each connection",
  }),
  UPSTREAM_KEY_FILE: str({ default: undefined, desc: "the client certificate's private key (PEM)" }),
  MAX_RESPONSE_BYTES: count({
    default: 10_485_760,
    desc: "an upstream's response body, decompressed; a value of JSON counts for 20 bytes at least",
  }),
  MAX_REQUEST_BYTES: count({ default: 10_485_760, desc: "all response bodies of a request" }),
  MAX_ANSWER_BYTES: count({ default: 10_485_760, desc: "a GraphQL answer" }),
  KEY_INTROSPECTION_TIMEOUT_MS: count({ default: 1_000, desc: "key introspection; fails closed" }),
  KEY_INTROSPECTION_CREDENTIALS: str({
    default: undefined,
    desc: "how the gateway authenticates to key introspection: `id:secret` (Basic) or a token (Bearer)",
  }),
  KEY_INTROSPECTION_NAMES: names({
    default: undefined,
    desc: "names of the service's members for ours, such as `tenant_id=org,key_scopes=scope,roles=`; without a name a list is empty",
  }),
  KEY_PATTERN: pattern({
    default: undefined,
    desc: "regular expression of a whole key that is looked up, `.+` for any token; absent: `API_ENVIRONMENT`'s keys",
  }),
  KEY_CACHE_MS: count({
    default: 25_000,
    desc: "how long a good key is not looked up again; without `REDIS_URL`, a revocation takes as long",
  }),
  KEY_STALE_MS: count({
    default: undefined,
    desc: "how much longer a good key is accepted while key introspection fails; absent: 300000 with `REDIS_URL`, else not at all",
  }),
  KEY_UNCONFIRMED_MS: unconfirmedMs({
    default: 30_000,
    desc: "with `REDIS_URL`: how long a good key is accepted, at most, after revocations may have been missed",
  }),
};

export type Environment = CleanedEnv<typeof variables>;
