/**
 * Checks the configuration before the start: missing variables, and settings that are unsafe in production. Each finding is one
 * line that names the variable and says how to fix it.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import leven from "leven";
import { prefixOf } from "../runtime/http/endpoint-paths.ts";
import type { GeneratedApi } from "../runtime/rest/generated-api.ts";
import { findHeldFileFaults, findTenantFileFaults } from "../runtime/rest/held-credentials.ts";
import { baseUrls, hasOwnDocument } from "../runtime/rest/upstream/base-urls.ts";
import { youngGeneration } from "../runtime/settings/capacity.ts";
import { type Config, ConfigError, roleNames } from "../runtime/settings/config.ts";
import { secrets, variables } from "../runtime/settings/environment.ts";
import { readKeyLines } from "../runtime/settings/key-lines.ts";
import { audienceUrl } from "../runtime/settings/token-settings.ts";
import { listFiles } from "../shared/list-files.ts";
import { isGatewayHeader } from "../shared/never-credentials.ts";
import type { Operations } from "../shared/operation.ts";
import { hashSpec } from "../shared/spec-hash.ts";

/** Returns the products that GraphQL fields call, spelled as in `REST_BASE_URL_<TAG>`. */
export const productsOf = (operations: Operations): ReadonlySet<string> =>
  new Set(Object.values(operations).map(({ product }) => product));

/** Throws a `ConfigError` with all errors that prevent a start. */
export function assertStartable(
  config: Config,
  { operations, subgraph }: Pick<GeneratedApi, "operations" | "subgraph">,
): void {
  const lines = [...findErrors(config, operations), ...findSubgraphErrors(config, subgraph)];
  if (lines.length > 0) throw new ConfigError(lines);
}

/** Finds settings that are missing, contradictory or, in production, unsafe. */
function* findErrors(config: Config, operations: Operations): Iterable<string> {
  const { roles, env, production } = config;
  for (const name of missingUrls(config, operations))
    yield `${name}: ${[...roles].join(" and ")} needs it; set it to an http:// or https:// URL`;
  if (roles.has("gateway")) {
    yield* findKeyErrors(config);
    yield* findVendorAsRest(config, operations);
  }
  if (env.METRICS_PORT === env.PORT && env.PORT !== 0)
    yield `METRICS_PORT: ${env.PORT} is PORT too; set another METRICS_PORT`;
  if (env.DRAIN_MS >= env.STOP_TIMEOUT_MS)
    yield `STOP_TIMEOUT_MS: ${env.STOP_TIMEOUT_MS} is over before DRAIN_MS, which is ${env.DRAIN_MS}; set more`;
  if (roles.has("graphql")) yield* findHeldErrors(config, operations);
  const tokenVariables = ["TOKEN_ISSUER", "TOKEN_AUDIENCE", "TOKEN_JWKS"] as const;
  const isPublishing = env.AUTHORIZATION_SERVERS.length > 0;
  const isVerifying = Boolean(env.TOKEN_ISSUER || env.TOKEN_JWKS || (env.TOKEN_AUDIENCE && !isPublishing));
  for (const name of tokenVariables)
    if (!env[name] && isVerifying)
      yield `${name}: is not set; access tokens need ${tokenVariables.join(", ")}`;
  if (isPublishing && !audienceUrl(env.TOKEN_AUDIENCE ?? ""))
    yield "TOKEN_AUDIENCE: is not a URL; with AUTHORIZATION_SERVERS, set it to the public URL of this API, such as https://api.example.com/v1";
  if (!production) return;
  if (env.TOKEN_JWKS instanceof URL && env.TOKEN_JWKS.protocol === "http:")
    yield "TOKEN_JWKS: over http://, an attacker on the network can replace the keys and make tokens; use https:// or a file";
  for (const issuer of env.AUTHORIZATION_SERVERS)
    if (issuer.startsWith("http:"))
      yield `AUTHORIZATION_SERVERS: over ${issuer}, an attacker on the network can read tokens; use https://`;
  if (isOpenGateway(config, operations)) yield openGateway;
  if (env.CORS_ORIGINS.includes("*"))
    yield "CORS_ORIGINS: `*` lets any site call this API in production; list the dashboards' origins instead";
  for (const origin of env.CORS_ORIGINS)
    if (origin.startsWith("http://"))
      yield `CORS_ORIGINS: ${origin} is not safe in production; use its https:// origin`;
  if (env.LOG_LEVEL === "debug")
    yield "LOG_LEVEL: `debug` logs too much in production; use info, warn or error";
}

/** Finds settings that are valid but probably unintended. */
export function* findSuspectSettings(config: Config, operations: Operations): Iterable<string> {
  const { roles, env, production } = config;
  if (!production && isOpenGateway(config, operations)) yield openGateway;
  if (!production) yield* findOpenDemo(config);
  const isGraphql = roles.has("graphql");
  const isAlone = isGraphql && !roles.has("gateway") && env.GATEWAY_SECRET === undefined;
  // a warning, not an error: without a gateway, REST may authenticate callers by their own credentials
  if (production && isAlone)
    yield "GATEWAY_SECRET: is not set, so context headers are dropped, and only credentials identify callers; if there is a gateway, set its secret here";
  if (isGraphql && !isAlone) yield* findContextProducts(config, operations);
  if (isGraphql) yield* findIneffective(config, operations);
  if (isGraphql) yield* findTenantFileFaults(operations, env.CREDENTIALS_DIRECTORY);
  if (roles.has("gateway") && !isGraphql) yield* findWrongGraphql(config);
}

/**
 * Finds errors that affect credentials of the server (`spec/credentials.yaml`): callers are not identified, a product has the
 * wrong origin or would receive context headers, or a file is missing.
 */
export function* findHeldErrors(config: Config, operations: Operations): Iterable<string> {
  const { roles, env } = config;
  const fixed = new Set(Object.values(operations).flatMap(({ headers = {} }) => Object.keys(headers)));
  for (const name of fixed)
    if (isGatewayHeader(env.CONTEXT_HEADER_PREFIX, name))
      yield `CONTEXT_HEADER_PREFIX: ${name} is a context header, and spec/credentials.yaml fixes it; remove it there`;
  const held = Object.values(operations).filter((operation) => operation.held);
  if (held.length === 0) return;
  if (!roles.has("gateway") && env.GATEWAY_SECRET === undefined)
    yield "GATEWAY_SECRET: is not set, and spec/credentials.yaml has credentials of the server, which are for known tenants only; run the gateway role too, or set the secret of the gateway in front";
  const urls = baseUrls(config, operations);
  const origins = new Map(held.map(({ product, held }) => [product, held?.origin]));
  for (const [product, origin] of origins) {
    const url = urls.get(product);
    if (url instanceof URL && url.origin !== origin)
      yield `REST_BASE_URL_${product}: ${url.origin} is not ${origin}, to which spec/credentials.yaml pins the credential`;
    if (env.CONTEXT_PRODUCTS.includes(product))
      yield `CONTEXT_PRODUCTS: ${product} is called with a credential of the server, so it is a vendor's, and gets no context headers; leave it out`;
  }
  yield* findHeldFileFaults(operations, env.CREDENTIALS_DIRECTORY);
}

/**
 * Finds errors in the settings of a federation subgraph. The federation gateway enforces parts of the supergraph
 * (`@inaccessible`, `@authenticated`), so clients must not bypass it in production. The gateway's operations are not saved.
 */
export function* findSubgraphErrors(
  { roles, env, production }: Config,
  subgraph: GeneratedApi["subgraph"],
): Iterable<string> {
  if (!subgraph || !roles.has("graphql")) return;
  if (env.OPERATIONS === "saved")
    yield "OPERATIONS: `saved` refuses the operations of a federation gateway, which are not saved; leave it out, or remove @link from spec/schema.graphql";
  if (production && !roles.has("gateway") && env.GATEWAY_SECRET === undefined)
    yield "GATEWAY_SECRET: is not set, so clients could bypass the gateway of this subgraph; run the gateway role too, which verifies keys, or set the secret that the gateway in front sends as X-Gateway-Proof";
}

/** Finds a vendor's API in `REST_BASE_URL`: the vendor would get the gateway's proof and callers' keys. */
function* findVendorAsRest({ env }: Config, operations: Operations): Iterable<string> {
  const origin = env.REST_BASE_URL?.origin;
  if (origin !== undefined && Object.values(operations).some(({ held }) => held?.origin === origin))
    yield `REST_BASE_URL: ${origin} is the API of a vendor, to which spec/credentials.yaml pins a credential; the gateway would send it GATEWAY_SECRET and the callers' keys; leave it out, or set it to your own REST platform`;
}

/** Returns the names of required variables that are not set. */
function missingUrls(config: Config, operations: Operations): ReadonlySet<string> {
  const { roles, env } = config;
  if (roles.has("platform")) return new Set();
  const urls = roles.has("graphql") ? [...baseUrls(config, operations).values()] : [];
  const missing = new Set(urls.filter((url) => typeof url === "string"));
  // if every product has its own document and URL, the gateway may serve only GraphQL
  const servesGraphqlAlone =
    roles.has("graphql") || (env.GRAPHQL_URL && Object.keys(operations).every(hasOwnDocument));
  if (roles.has("gateway") && !servesGraphqlAlone && !env.REST_BASE_URL) missing.add("REST_BASE_URL");
  return missing;
}

/** Finds errors in the settings for key verification: key introspection, a file of digests, or signing keys. */
function* findKeyErrors({ roles, env }: Config): Iterable<string> {
  if (!roles.has("platform") && !env.KEY_INTROSPECTION_URL && !env.KEYS_FILE && !env.TOKEN_ISSUER)
    yield "KEY_INTROSPECTION_URL: gateway needs a way to verify keys; set it to the URL of key introspection, KEYS_FILE to a file of keys' digests, or the TOKEN_… variables for signed access tokens";
  if (env.KEYS_FILE) yield* findKeyFileErrors(env.KEYS_FILE);
}

function findKeyFileErrors(file: string): readonly string[] {
  try {
    readKeyLines(file);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
}

/** Whether the gateway has no configured secret, although services in other processes need the secret to verify its proof. */
const isOpenGateway = (config: Config, operations: Operations): boolean =>
  config.roles.has("gateway") &&
  config.env.GATEWAY_SECRET === undefined &&
  hasServicesElsewhere(config, operations);

/** Whether other processes receive the gateway's proof. Products with their own document need an entry in `CONTEXT_PRODUCTS`. */
const hasServicesElsewhere = ({ roles, env }: Config, operations: Operations): boolean =>
  !roles.has("platform") &&
  (!roles.has("graphql") ||
    env.REST_BASE_URL !== undefined ||
    env.KEY_INTROSPECTION_URL !== undefined ||
    env.CONTEXT_PRODUCTS.length > 0 ||
    !Object.keys(operations).every(hasOwnDocument));
const openGateway =
  "GATEWAY_SECRET: is not set, so services behind this gateway cannot authenticate it; set the same secret there";

/** Finds an empty `CONTEXT_PRODUCTS` if products have their own documents, and names in it that do not exist. */
function* findContextProducts({ env }: Config, operations: Operations): Iterable<string> {
  const own = Object.entries(operations).flatMap(([name, { product, held }]) =>
    hasOwnDocument(name) && !held ? [product] : [],
  );
  const products = [...new Set(own)].sort();
  if (products.length > 0 && env.CONTEXT_PRODUCTS.length === 0)
    yield `CONTEXT_PRODUCTS: is not set, so no REST gets the context headers and GATEWAY_SECRET; name those of ${products.join(", ")} that are your own, and no vendor's`;
  for (const name of env.CONTEXT_PRODUCTS)
    if (!own.includes(name))
      yield `CONTEXT_PRODUCTS: ${name} has no effect, because no product with its own document has this name${products.length > 0 ? `; there are ${products.join(", ")}` : ""}`;
}

/** Finds settings without effect: timeouts longer than the enclosing timeout, and base URLs of unused products. */
function* findIneffective({ env, upstreams }: Config, operations: Operations): Iterable<string> {
  const { CONNECT_TIMEOUT_MS: connect, CALL_TIMEOUT_MS: call, REQUEST_TIMEOUT_MS: request } = env;
  if (connect > call)
    yield `CONNECT_TIMEOUT_MS: ${connect} has no effect, because CALL_TIMEOUT_MS ends the whole call after ${call}`;
  if (call > request)
    yield `CALL_TIMEOUT_MS: ${call} has no effect, because REQUEST_TIMEOUT_MS ends the whole request after ${request}`;
  const products = productsOf(operations);
  const names = [...products].sort().map((product) => `REST_BASE_URL_${product}`);
  for (const tag of upstreams.keys())
    if (!products.has(tag))
      yield `REST_BASE_URL_${tag}: is not used, because no GraphQL field calls this product; there are ${names.join(", ")}`;
}

/** Finds a `GRAPHQL_URL` that leads to the wrong service, or whose path was probably meant to replace `/v1/graphql`. */
function* findWrongGraphql({ env }: Config): Iterable<string> {
  const { GRAPHQL_URL: graphql, REST_BASE_URL: rest, HOST, PORT } = env;
  if (!graphql) return;
  const itself = new Set([HOST, "127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${PORT}`));
  const prefix = prefixOf(graphql);
  const isAtRest = graphql.origin === rest?.origin;
  if (itself.has(graphql.host)) yield "GRAPHQL_URL: is this gateway itself; set the graphql role's address";
  else if (isAtRest && prefix === prefixOf(rest))
    yield "GRAPHQL_URL: is REST_BASE_URL too; set the graphql role's address";
  else if (prefix !== "")
    yield `GRAPHQL_URL: ${isAtRest ? "is at REST_BASE_URL's host, and " : ""}requests go to ${prefix}/v1/graphql, because its path is kept; leave the path out if that is not intended`;
}

/** Finds signs that a server with a development configuration can be reached by other machines, or accepts live keys. */
function* findOpenDemo({ roles, env }: Config): Iterable<string> {
  const isLoopback = /^(?:127\.|::1$|localhost$)/.test(env.HOST);
  const [sign] = [
    ...(isLoopback ? [] : [`HOST: ${env.HOST} lets other machines in`]),
    ...(env.TRUSTED_PROXIES.length > 0 ? ["TRUSTED_PROXIES: a proxy in front lets other machines in"] : []),
    ...(env.API_ENVIRONMENT === "live" ? ["API_ENVIRONMENT: live keys are accepted"] : []),
  ];
  const keys = roles.has("platform") && env.API_ENVIRONMENT === "test" ? "the demo keys printed here, " : "";
  if (sign !== undefined)
    yield `${sign}, with ${keys}the explorer and no rate limits; set NODE_ENV=production`;
}

/**
 * Throws `ConfigError` if `generated/` was generated from another spec. Does nothing if the project's folder `root` has no
 * `spec/`, because an installation may omit this folder.
 */
export function assertFresh(root: string, specHash: string): void {
  const folder = join(root, "spec");
  if (!existsSync(folder)) return;
  if (hashSpec(listFiles(folder), (name) => readFileSync(join(folder, name))) !== specHash)
    throw new ConfigError(["generated/ was made from another spec/ than this one; run npm run codegen"]);
}

/** Warns if the container has so few bytes of `memory` (0 or huge if unlimited) that V8 collects garbage too often. */
export function findSmallYoungGeneration(memory: number, options: string): string[] {
  const mib = Math.floor(memory / 1_048_576);
  return mib === 0 || mib >= youngGeneration.unneededFromMiB || options.includes("--max-semi-space-size")
    ? []
    : [
        `NODE_OPTIONS: set ${youngGeneration.option}; with the ${mib} MiB of this container, V8 collects garbage so often that a request takes up to twice the CPU time`,
      ];
}

/** The systemd unit in docs/guides/operating.md passes `ROLE` as an argument. Without such a unit, `ROLE` has no effect. */
export const findUnnamedRoles = ({ ROLE: role }: NodeJS.ProcessEnv, roles: readonly string[]): string[] =>
  roles.length === 0 && roleNames.some((name) => name === role)
    ? [`ROLE: has no effect; name the role on the command line: npm start -- ${role}`]
    : [];

/** Names of several words. Names of one word are too similar to variables of other programs. */
const longNames = Object.keys(variables).filter((name) => name.includes("_"));

const secretFiles = secrets.map((name) => `${name}_FILE`);

/** Two edits allow for transposed letters, three for a missing part such as `_MS`. */
const editsOf = (name: string): number => (name.length >= 15 ? 3 : name.length > 8 ? 2 : 1);

/**
 * Returns one line per variable that is probably a misspelling of one of `variables` (case-insensitive). The environment also
 * contains variables of other programs, so only longer names match: `MAX_DEPHT`, but not `HOME` (similar to `HOST`).
 */
export function findMisspelledVariables(environment: NodeJS.ProcessEnv): string[] {
  const given = Object.keys(environment).filter(
    (name) =>
      !Object.hasOwn(variables, name) && !secretFiles.includes(name) && !name.startsWith("REST_BASE_URL_"),
  );
  return given.flatMap((name) => {
    const near = longNames
      .map((known) => ({ known, edits: leven(name.toUpperCase(), known) }))
      .filter(({ known, edits }) => edits <= editsOf(known))
      .sort((left, right) => left.edits - right.edits)[0];
    return near ? [`${name}: is not a setting and has no effect; did you mean ${near.known}?`] : [];
  });
}
