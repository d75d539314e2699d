/** The wrong configurations of an operator: each is one true line, at `--check-config` or at its first sign. */
import { expect, onTestFinished, test } from "vitest";
import { fakeKeyService, goodKey } from "../../engine/gateway/fakes.ts";
import { get, run, runHere, runReady } from "./program.ts";

const url = "http://127.0.0.1:9";
const secret = { GATEWAY_SECRET: "a-secret-of-the-gateway" };
const rest = { REST_BASE_URL: url };
const gateway = { ...rest, ...secret, KEY_INTROSPECTION_URL: url };
const production = { NODE_ENV: "production" };
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: url };

/** The lines that `--check-config` prints beside the configuration, and its exit code. */
async function check(line: string, environment: NodeJS.ProcessEnv) {
  const { exitCode, printed } = await runHere(
    [...line.split(" "), "--check-config"].filter(Boolean),
    environment,
  );
  return { exitCode, lines: printed.flatMap((text) => /^messaging-graphql: (.*)/.exec(text)?.[1] ?? []) };
}

/** The command line, the environment, and how each line begins or goes. */
type Wrong = [line: string, environment: NodeJS.ProcessEnv, ...lines: RegExp[]];

const refused: Wrong[] = [
  ["gatway", {}, /^unknown role "gatway": .*did you mean "gateway"/],
  ["--hlep", {}, /^unknown option '--hlep'; did you mean "--help"\? \(npm start -- --help /],
  ["", { PORT: "70000" }, /^PORT: must be a port from 0 to 65535/],
  ["", { PORT: "x", REST_BASE_URL: "ftp://a" }, /^PORT: /, /^REST_BASE_URL: must be an http:/],
  ["", { PORT: "4111", METRICS_PORT: "4111" }, /^METRICS_PORT: 4111 is PORT too/],
  ["platform", { HOST: "192.0.2.1" }, /^HOST: 192\.0\.2\.1 is not an address of this machine/],
  ["platform", { HOST: "no.such.example" }, /^HOST: no\.such\.example is not an address of this machine/],
  ["platform", { DATA_FILE: "/nowhere/data.db" }, /^DATA_FILE: cannot be opened .*ENOENT/],
  ["platform", { DATA_FILE: "." }, /^DATA_FILE: cannot be opened .*EISDIR/],
  ["", { NODE_ENV: "prod" }, /^NODE_ENV: must be one of development, test, production$/],
  ["", { API_ENVIRONMENT: "prod" }, /^API_ENVIRONMENT: must be one of test, live$/],
  ["", { LOG_LEVEL: "verbose" }, /^LOG_LEVEL: must be one of debug, info, warn, error, silent$/],
  ["", { ...production, LOG_LEVEL: "debug" }, /^LOG_LEVEL: `debug` logs too much/],
  ["", { BUILD: "a b" }, /^BUILD: must be at most 200 visible ASCII characters, without spaces$/],
  ["", { GRAPHQL_GET: "maybe" }, /^GRAPHQL_GET: /],
  ["", { MCP: "maybe" }, /^MCP: must be on or off$/],
  ["", { MAX_DEPTH: "0" }, /^MAX_DEPTH: must be a whole number from 1 up$/],
  ["", { CALL_TIMEOUT_MS: "10s" }, /^CALL_TIMEOUT_MS: must be a whole number/],
  ["", { DRAIN_MS: "9000" }, /^STOP_TIMEOUT_MS: 9000 is over before DRAIN_MS, which is 9000/],
  ["", { TRUSTED_PROXIES: "proxy.example" }, /^TRUSTED_PROXIES: must be IP addresses/],
  ["", { TRUSTED_PROXIES: "10.0.0.0/33" }, /^TRUSTED_PROXIES: must be/],
  ["", { TRUSTED_PROXIES: "::1/128, ::/0" }, /^TRUSTED_PROXIES: must be/],
  [
    "",
    { CORS_ORIGINS: "https://app.example/" },
    /^CORS_ORIGINS: must be .*"https:\/\/app\.example\/" is not one/,
  ],
  ["", { CORS_ORIGINS: "https://a.example,https://App.example" }, /"https:\/\/App\.example" is not one/],
  ["", { ...production, CORS_ORIGINS: "*" }, /^CORS_ORIGINS: .*list the dashboards/],
  ["", { ...production, CORS_ORIGINS: "http://a.example" }, /^CORS_ORIGINS: http:\/\/a\.example is not safe/],
  ["", { TOKEN_ISSUER: "a", TOKEN_JWKS: "ftp://a" }, /^TOKEN_JWKS: must be an http:/],
  ["", { AUTHORIZATION_SERVERS: "https://a" }, /^TOKEN_AUDIENCE: is not a URL; with AUTHORIZATION_SERVERS/],
  [
    "",
    { AUTHORIZATION_SERVERS: "a", TOKEN_AUDIENCE: "https://b/v1" },
    /^AUTHORIZATION_SERVERS: must be an http:/,
  ],
  [
    "",
    { ...production, AUTHORIZATION_SERVERS: "http://a", TOKEN_AUDIENCE: "https://b/v1" },
    /^AUTHORIZATION_SERVERS: over http:\/\/a, /,
  ],
  ["", { TOKEN_ISSUER: "a" }, /^TOKEN_AUDIENCE: is not set; access tokens need/, /^TOKEN_JWKS: is not set/],
  [
    "",
    { ...production, TOKEN_ISSUER: "a", TOKEN_AUDIENCE: "b", TOKEN_JWKS: "http://a/jwks?p=1" },
    /^TOKEN_JWKS: over http:\/\/, an attacker on the network/,
  ],
  ["", { CONTEXT_HEADER_PREFIX: "Content-" }, /^CONTEXT_HEADER_PREFIX: .*content-type/],
  ["", { CONTEXT_HEADER_PREFIX: "X-" }, /^CONTEXT_HEADER_PREFIX: .*x-api-key/],
  ["", { GATEWAY_SECRET: "short" }, /^GATEWAY_SECRET: must be at least 16 visible ASCII characters$/],
  [
    "",
    { GATEWAY_SECRET_FILE: "/nowhere/secret" },
    /^GATEWAY_SECRET_FILE: the file cannot be read \(ENOENT\)$/,
  ],
  [
    "",
    { ...secret, GATEWAY_SECRET_FILE: "LICENSE" },
    /^GATEWAY_SECRET_FILE: .*too; set one/,
    /^GATEWAY_SECRET: /,
  ],
  [
    "gateway",
    { ...gateway, ...production, GATEWAY_SECRET: "" },
    /^GATEWAY_SECRET: is not set, so services behind/,
  ],
  ["graphql", {}, /^REST_BASE_URL: graphql needs it; set it to/],
  ["gateway", {}, /^REST_BASE_URL: gateway/, /^KEY_INTROSPECTION_URL: gateway/],
  ["gateway", rest, /^KEY_INTROSPECTION_URL: gateway/],
  [
    "gateway",
    { ...rest, KEYS_FILE: "/nowhere/keys" },
    /^KEYS_FILE: \/nowhere\/keys: cannot be read \(ENOENT\)/,
  ],
  [
    "",
    { REST_BASE_URL_CRM: "http://user@a.example" },
    /^REST_BASE_URL_CRM: must be a URL without query, fragment or user/,
  ],
  ["", { REST_BASE_URL_CRM: "http://:word@a.example" }, /^REST_BASE_URL_CRM: must be a URL without/],
  ["", { REST_BASE_URL_CRM: `${url}?a=1` }, /^REST_BASE_URL_CRM: must be a URL without/],
  ["", { REDIS_URL: "http://127.0.0.1:6379" }, /^REDIS_URL: must be a redis:/],
  ["", { KEY_PATTERN: "(a" }, /^KEY_PATTERN: /],
  ["", { KEY_INTROSPECTION_NAMES: "tenant=org" }, /^KEY_INTROSPECTION_NAMES: must be pairs such as/],
  [
    "",
    { OPERATIONS_FROM: "web.json" },
    /^OPERATIONS_FROM: name the app before a file or URL: app=web\.json$/,
  ],
  [
    "graphql",
    { ...rest, UPSTREAM_CA_FILE: "/none" },
    /^UPSTREAM_CA_FILE: the file cannot be read \(ENOENT\)$/,
  ],
  [
    "graphql",
    { ...rest, UPSTREAM_CA_FILE: "LICENSE" },
    /^UPSTREAM_CA_FILE: does not contain a PEM certificate/,
  ],
  ["graphql", { ...rest, UPSTREAM_CERT_FILE: "LICENSE" }, /^UPSTREAM_CERT_FILE: requires UPSTREAM_KEY_FILE/],
  ["graphql", { ...rest, NODE_EXTRA_CA_CERTS: "/none" }, /^NODE_EXTRA_CA_CERTS: .* \(ENOENT\)$/],
  [
    "platform",
    { OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/v1/traces` },
    /^OTEL_EXPORTER_OTLP_ENDPOINT: must be the collector's base URL, because \/v1\/traces is appended/,
  ],
  [
    "platform",
    { ...traced, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    /^OTEL_EXPORTER_OTLP_PROTOCOL: must be http\/json/,
  ],
  ["platform", { ...traced, OTEL_TRACES_EXPORTER: "zipkin" }, /^OTEL_TRACES_EXPORTER: must be otlp or none/],
  [
    "platform",
    { ...traced, OTEL_TRACES_SAMPLER: "sometimes" },
    /^OTEL_TRACES_SAMPLER: must be one of always_on/,
  ],
  [
    "platform",
    { ...traced, OTEL_TRACES_SAMPLER_ARG: "2" },
    /^OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1/,
  ],
];

test.each(refused)("refused: %s with %o", async (line, environment, ...lines) => {
  const found = await check(line, environment);
  expect(found).toEqual({ exitCode: 2, lines: lines.map((each) => expect.stringMatching(each)) });
});

const doubtful: Wrong[] = [
  ["", { MAX_DEPHT: "8" }, /^MAX_DEPHT: is not a setting .*did you mean MAX_DEPTH\?$/],
  ["", { ROLE: "graphql" }, /^ROLE: has no effect; name the role on the command line: npm start -- graphql$/],
  ["graphql", { ...rest, REST_BASE_URL_CMR: url }, /^REST_BASE_URL_CMR: is not used, .* REST_BASE_URL_CRM,/],
  [
    "graphql",
    { ...rest, CONNECT_TIMEOUT_MS: "10001" },
    /^CONNECT_TIMEOUT_MS: 10001 has no effect, .* after 10000$/,
  ],
  [
    "graphql",
    { ...rest, CALL_TIMEOUT_MS: "20000" },
    /^CALL_TIMEOUT_MS: 20000 has no effect, .* after 15000$/,
  ],
  ["graphql", { ...rest, ...production }, /^GATEWAY_SECRET: is not set, so context headers are dropped/],
  [
    "graphql",
    { ...rest, OPERATIONS_FROM: "web=/none" },
    /^OPERATIONS_FROM: \/none cannot be read \(does not exist\)$/,
  ],
  [
    "graphql",
    { ...rest, OPERATIONS_FROM: "web=LICENSE" },
    /^OPERATIONS_FROM: LICENSE cannot be read \(is not valid JSON\)$/,
  ],
  ["gateway", { ...gateway, GATEWAY_SECRET: "" }, /^GATEWAY_SECRET: is not set, so services behind/],
  ["gateway", { ...gateway, GRAPHQL_URL: url }, /^GRAPHQL_URL: is REST_BASE_URL too/],
  ["gateway", { ...gateway, GRAPHQL_URL: `${url}/v1/graphql` }, /^GRAPHQL_URL: is REST_BASE_URL too/],
  [
    "gateway",
    { ...gateway, REST_BASE_URL: `${url}/api/`, GRAPHQL_URL: `${url}/api/v1/graphql` },
    /^GRAPHQL_URL: is REST_BASE_URL too/,
  ],
  [
    "gateway",
    { ...gateway, GRAPHQL_URL: `${url}/v1` },
    /^GRAPHQL_URL: is at REST_BASE_URL's host, .* \/v1\/v1\/graphql/,
  ],
  [
    "gateway",
    { ...gateway, GRAPHQL_URL: "http://a.example/a" },
    /^GRAPHQL_URL: requests go to \/a\/v1\/graphql/,
  ],
  [
    "gateway",
    { ...gateway, GRAPHQL_URL: "http://localhost:4000", PORT: "4000" },
    /^GRAPHQL_URL: is this gateway itself/,
  ],
  [
    "",
    { HOST: "0.0.0.0" },
    /^HOST: 0\.0\.0\.0 lets other machines in, with the demo keys .*NODE_ENV=production$/,
  ],
  [
    "",
    { TRUSTED_PROXIES: "127.0.0.1" },
    /^TRUSTED_PROXIES: a proxy in front lets .* the demo keys .*NODE_ENV=production$/,
  ],
  [
    "",
    { API_ENVIRONMENT: "live" },
    /^API_ENVIRONMENT: live keys are accepted, with the explorer .*NODE_ENV=production$/,
  ],
];

test.each(doubtful)("said: %s with %o", async (line, environment, ...lines) => {
  const found = await check(line, environment);
  expect(found).toEqual({ exitCode: 0, lines: lines.map((each) => expect.stringMatching(each)) });
});

test.each<Wrong>([
  ["graphql", { ...rest, NODE_EXTRA_CA_CERTS: "package.json" }],
  ["graphql", { ...rest, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` }],
  ["graphql", { ...rest, CALL_TIMEOUT_MS: "15000", CONNECT_TIMEOUT_MS: "15000" }],
  ["graphql", { ...rest, ...production, ...secret, ROLE: "graphql" }],
  ["", { ROLE: "of another program" }],
  ["gateway", { ...gateway, GRAPHQL_URL: "http://a.example/v1/graphql" }],
  ["gateway", { ...gateway, REST_BASE_URL: `${url}/api`, GRAPHQL_URL: url }],
  ["platform", { ...production, HOST: "0.0.0.0", API_ENVIRONMENT: "live", TRUSTED_PROXIES: "127.0.0.1" }],
])("right, so nothing is said: %s with %o", async (line, environment) => {
  expect(await check(line, environment)).toEqual({ exitCode: 0, lines: [] });
});

test("a start refuses as --check-config does, before anything listens", async () => {
  for (const [line, environment, ...lines] of refused) {
    const { exitCode, printed } = await runHere(line.split(" ").filter(Boolean), environment);
    const said = printed.map((text) =>
      text.startsWith("{") ? JSON.parse(text).msg : text.replace("messaging-graphql: ", ""),
    );
    expect([exitCode, said]).toEqual([2, lines.map((each) => expect.stringMatching(each))]);
  }
});

test("a misspelt production says so in JSON, which is all that its collector reads", async () => {
  const program = run([], { NODE_ENV: "prod" });
  expect(await program.ended).toBe(2);
  expect(JSON.parse(program.output())).toMatchObject({
    level: 60,
    msg: expect.stringMatching(/^NODE_ENV: must be/),
  });
});

test("a live key at a gateway that takes test keys is a line, once", async () => {
  const keys = await fakeKeyService();
  onTestFinished(keys.close);
  const services = { ...gateway, REST_BASE_URL: keys.url.href, KEY_INTROSPECTION_URL: keys.url.href };
  const program = await runReady(["gateway"], { ...services, NODE_ENV: "production" });
  for (const key of [goodKey, "nonsense", goodKey.replace("_test_", "_live_"), `sk_live_${"a".repeat(32)}`])
    await get(program.url, "/v1/identity/me", key);
  await program.prints(/API_ENVIRONMENT: /);
  await program.stop("SIGINT");
  expect(program.output().match(/API_ENVIRONMENT: [^"]*/g)).toEqual([
    "API_ENVIRONMENT: is test, but a live key was sent; these keys are rejected without a lookup",
  ]);
});
