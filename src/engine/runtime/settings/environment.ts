/**
 * The environment variables, with their defaults and descriptions. `config.ts` reads the variables, `validators.ts` checks them,
 * and `npm run docs` prints `docs/reference/variables.md` from them.
 */
import { bool, type CleanedEnv, str } from "envalid";
import { defaultContextPrefix } from "../../shared/never-credentials.ts";
import { connectionsPerProduct, keyLookups } from "./capacity.ts";
import {
  addresses,
  count,
  headerPrefix,
  httpUrl,
  issuers,
  label,
  manifestLocations,
  names,
  origins,
  pattern,
  port,
  products,
  redisAddress,
  secret,
  unconfirmedMs,
  urlOrFile,
} from "./validators.ts";

/** Variables whose value may be in a file named by `<name>_FILE`. */
export const secrets = [
  ...(["GATEWAY_SECRET", "GATEWAY_SECRET_OLD", "KEY_INTROSPECTION_CREDENTIALS", "REDIS_URL"] as const),
];

export const variables = {
  PORT: port({ default: 4000, desc: "port of the front role; 0: any free port" }),
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
  KEYS_FILE: str({
    default: undefined,
    desc: "file with the digests of API keys, which `restbound key` writes, in place of key introspection or before it; re-read within a second",
  }),
  GATEWAY_SECRET: secret({ default: undefined, desc: "the gateway's proof to the roles behind it" }),
  GATEWAY_SECRET_OLD: secret({
    default: undefined,
    desc: "a proof that is also accepted, while `GATEWAY_SECRET` is rotated",
  }),
  CREDENTIALS_DIRECTORY: str({
    default: "/run/secrets",
    desc: "folder of the credentials that `spec/credentials.yaml` names, as systemd sets it; each file is re-read within a second",
  }),
  CONTEXT_HEADER_PREFIX: headerPrefix({
    default: defaultContextPrefix,
    desc: "first part of the eight context headers' names",
  }),
  CONTEXT_PRODUCTS: products({
    default: [],
    desc: "products with their own documents (`spec/openapi/<product>.yaml`) whose REST gets the context headers and the gateway's proof, comma-separated; products of one document all get them",
  }),
  API_ENVIRONMENT: str({
    choices: ["test", "live"],
    default: "test",
    desc: "which key prefix is valid: `sk_test_` or `sk_live_`; demo data is for `test`",
  }),
  CORS_ORIGINS: origins({
    default: [],
    desc: "origins that browsers may call from, comma-separated; `*` is any",
  }),
  TRUSTED_PROXIES: addresses({
    default: [],
    desc: "addresses or CIDR blocks whose `X-Forwarded-For` is trusted",
  }),
  RATE_LIMIT_PER_KEY: count({
    default: 1_200,
    devDefault: Number.POSITIVE_INFINITY,
    desc: "requests per minute of one API key; outside production only if set",
  }),
  RATE_LIMIT_PER_ADDRESS: count({
    default: 3_000,
    devDefault: Number.POSITIVE_INFINITY,
    desc: "requests per minute from one address; outside production only if set",
  }),
  REDIS_URL: redisAddress({
    default: undefined,
    desc: "Redis or Valkey (one server, Sentinel or a cluster), where gateways share rate limits and read revoked keys; absent: each gateway on its own",
  }),
  DATA_FILE: str({ default: undefined, desc: "the platform's SQLite file; absent: in memory" }),
  LOG_LEVEL: str({
    choices: ["debug", "info", "warn", "error", "silent"],
    default: "warn",
    desc: "lowest level of log lines; request lines are controlled by `ACCESS_LOG`, but `silent` suppresses them too",
  }),
  DRAIN_MS: count({
    default: 1_000,
    devDefault: 50,
    desc: "notice period at SIGTERM, before the port is closed: `/readyz` returns 503 and responses close open connections; 50 outside production",
  }),
  STOP_TIMEOUT_MS: count({
    default: 9_000,
    desc: "longest time from SIGTERM until the process exits; `docker stop` kills after 10000",
  }),
  BUILD: label({
    default: "development",
    desc: "what this process was built from, such as a git commit; shown by `/healthz` and `/metrics`",
  }),
  ACCESS_LOG: str({
    choices: ["off", "errors", "all"],
    default: "errors",
    desc: "a log line for each request, or for each with an error, regardless of `LOG_LEVEL` (except `silent`); a flood of errors is counted per minute",
  }),
  GRAPHQL_GET: bool({ default: true, desc: "`off` rejects queries sent by GET; mutations always are" }),
  OPERATIONS: str({ choices: ["all", "saved"], default: "all", desc: "`saved` runs saved operations only" }),
  OPERATIONS_FROM: manifestLocations({
    default: [],
    desc: "manifests of the apps' operations, comma-separated: folders, `app=file` or `app=URL`",
  }),
  USAGE_DIR: str({
    default: undefined,
    desc: "folder in which the `graphql` role records for each day which operations and fields clients use, for `check --usage`; absent: nowhere",
  }),
  MCP: bool({
    default: false,
    desc: "`on` offers saved operations as tools to agents, at `/v1/mcp`",
  }),
  MAX_BODY_BYTES: count({
    default: 1_048_576,
    desc: "request body; also the characters of an operation's arguments, counted at each use",
  }),
  MAX_HEADERS: count({ default: 64, desc: "request headers" }),
  MAX_HEADER_BYTES: count({ default: 16_384, desc: "all request headers together" }),
  MAX_OPERATIONS: count({ default: 1, desc: "operations of an HTTP request; more than one is a batch" }),
  MAX_DOCUMENT_LENGTH: count({ default: 100_000, desc: "characters of a document" }),
  MAX_DOCUMENT_LINES: count({ default: 5_000, desc: "lines of a document" }),
  MAX_DEFINITIONS: count({ default: 100, desc: "operations and fragments of a document" }),
  MAX_TOKENS: count({ default: 5_000, desc: "tokens of a document" }),
  MAX_DEPTH: count({ default: 15, desc: "depth of an operation" }),
  MAX_ALIASES: count({ default: 30, desc: "aliases of an operation" }),
  MAX_ALIAS_LENGTH: count({ default: 100, desc: "characters of an alias" }),
  MAX_ROOT_FIELDS: count({ default: 20, desc: "root fields of an operation" }),
  MAX_FIELDS: count({
    default: 5_000,
    desc: "fields of an operation, with fragments and interfaces expanded",
  }),
  MAX_DIRECTIVES: count({ default: 50, desc: "directives of an operation" }),
  MAX_BOUND_FIELDS: count({ default: 50, desc: "bound fields of an operation, before it runs" }),
  MAX_REST_CALLS: count({ default: 50, desc: "REST calls of a request, while it runs" }),
  MAX_CONCURRENT_REQUESTS: count({
    default: 256,
    desc: "concurrent GraphQL requests; further ones get a 503",
  }),
  REST_CONNECTIONS: count({
    default: connectionsPerProduct,
    desc: "connections to one product's REST service, shared by callers; one gets at most two thirds",
  }),
  CONNECT_TIMEOUT_MS: count({ default: 1_000, desc: "connecting to an upstream" }),
  CALL_TIMEOUT_MS: count({ default: 10_000, desc: "one REST call" }),
  REQUEST_TIMEOUT_MS: count({ default: 15_000, desc: "a whole request" }),
  UPSTREAM_CA_FILE: str({
    default: undefined,
    desc: "CA certificates (PEM) for upstreams, in addition to Node's; re-read for each connection",
  }),
  UPSTREAM_CERT_FILE: str({
    default: undefined,
    desc: "client certificate (PEM) for upstreams that require one; re-read for each connection",
  }),
  UPSTREAM_KEY_FILE: str({ default: undefined, desc: "the client certificate's private key (PEM)" }),
  MAX_RESPONSE_BYTES: count({
    default: 10_485_760,
    desc: "an upstream's response body, decompressed; a JSON value counts as at least 20 bytes",
  }),
  MAX_REQUEST_BYTES: count({ default: 10_485_760, desc: "all response bodies of a request" }),
  MAX_ANSWER_BYTES: count({ default: 10_485_760, desc: "a GraphQL response" }),
  KEY_INTROSPECTION_TIMEOUT_MS: count({ default: 1_000, desc: "key introspection; fails closed" }),
  KEY_INTROSPECTION_CREDENTIALS: str({
    default: undefined,
    desc: "how the gateway authenticates to key introspection: `id:secret` (Basic) or a token (Bearer)",
  }),
  KEY_INTROSPECTION_NAMES: names({
    default: undefined,
    desc: "our names = the service's names of response members, such as `tenant_id=org,key_scopes=scope,roles=`; an empty name means an empty list",
  }),
  KEY_PATTERN: pattern({
    default: undefined,
    desc: "regular expression that a key must match completely to be looked up, `.+` for any token; absent: `API_ENVIRONMENT`'s keys",
  }),
  KEY_CACHE_MS: count({
    default: 25_000,
    desc: "how long a valid key is cached; without `REDIS_URL`, a revocation takes as long",
  }),
  KEY_CACHE_SIZE: count({
    default: undefined,
    desc: "valid keys that a gateway caches, and as many tokens; absent: one for each 16 KiB of Node's heap limit, from 10000 to 100000. While more are in use, most of the cached ones stay",
  }),
  KEY_LOOKUPS: count({
    default: keyLookups.running,
    desc: "concurrent lookups of a gateway at key introspection. 16 at 100 ms are 160 new keys a second; the service must accept those of all gateways",
  }),
  KEY_STALE_MS: count({
    default: undefined,
    desc: "how much longer a valid key is accepted while key introspection fails; absent: 300000 with `REDIS_URL`, else 0",
  }),
  KEY_UNCONFIRMED_MS: unconfirmedMs({
    default: 30_000,
    desc: "with `REDIS_URL`: longest time for which a valid key is accepted after revocations may have been missed",
  }),
  TOKEN_ISSUER: label({
    default: undefined,
    desc: "`iss` of access tokens (RFC 9068) that the gateway verifies without key introspection; absent: none",
  }),
  TOKEN_AUDIENCE: label({
    default: undefined,
    desc: "`aud` that access tokens need. If it is the public URL of this API, clients find the issuer by it (RFC 9728)",
  }),
  AUTHORIZATION_SERVERS: issuers({
    default: [],
    desc: "issuers of access tokens that key introspection knows, comma-separated, for clients that sign in (RFC 9728); needs `TOKEN_AUDIENCE`",
  }),
  TOKEN_JWKS: urlOrFile({
    default: undefined,
    desc: "URL or file of the issuer's public keys (JWK Set)",
  }),
  TOKEN_NAMES: names({
    default: undefined,
    desc: "our names = claims, such as `tenant_id=org,roles=`; an empty claim means an empty list. Otherwise `user_id=sub,api_key_id=client_id,key_scopes=scope`, and our names",
  }),
};

export type Environment = CleanedEnv<typeof variables>;
