/** Variables near ours are named; those of other programs never are. */
import { expect, test } from "vitest";
import { secrets, variables } from "../../../src/engine/runtime/settings/environment.ts";
import { findMisspelledVariables } from "../../../src/engine/server/check-config.ts";

test.each([
  ["MAX_DEPHT", "MAX_DEPTH"],
  ["GRAPHQL_GTE", "GRAPHQL_GET"],
  ["graphql_get", "GRAPHQL_GET"],
  ["CORS_ORIGIN", "CORS_ORIGINS"],
  ["REQUEST_TIMEOUT", "REQUEST_TIMEOUT_MS"],
  ["NODE_ENVV", "NODE_ENV"],
  ["REST_BASEURL", "REST_BASE_URL"],
])("%s is named with %s", (wrong, right) => {
  expect(findMisspelledVariables({ [wrong]: "1" })).toEqual([
    `${wrong}: is not a setting and has no effect; did you mean ${right}?`,
  ]);
});

test("the variables of this project are no finding, nor is a product's upstream, which another check reads", () => {
  const names = [...Object.keys(variables), ...secrets.map((name) => `${name}_FILE`)];
  const own = names.map((name) => [name, "1"]);
  expect(
    findMisspelledVariables({ ...Object.fromEntries(own), REST_BASE_URL_CMR: "http://127.0.0.1" }),
  ).toEqual([]);
});

/** Of shells, npm, containers, Kubernetes, CI, clouds, databases and observability. */
const others = `
  HOME HOSTNAME HOSTTYPE HOSTS POST PATH PWD OLDPWD SHLVL SHELL USER LOGNAME LANG LC_ALL TERM TMPDIR TZ EDITOR PAGER MAIL
  DISPLAY SSH_AUTH_SOCK SSH_CONNECTION XDG_RUNTIME_DIR XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS COLORTERM LS_COLORS
  http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE CURL_CA_BUNDLE DEBUG FORCE_COLOR NO_COLOR
  npm_command npm_config_cache npm_config_user_agent npm_config_global_prefix npm_config_noproxy npm_execpath
  npm_lifecycle_event npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version INIT_CWD
  NODE NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION NODE_NO_WARNINGS NODE_DEBUG NODE_COMPILE_CACHE NVM_DIR
  YARN_VERSION UV_THREADPOOL_SIZE KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT KUBERNETES_PORT_443_TCP
  KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_PORT_443_TCP_PORT KUBERNETES_PORT_443_TCP_PROTO KUBERNETES_SERVICE_PORT_HTTPS
  GRAPHQL_PORT GRAPHQL_SERVICE_HOST GRAPHQL_SERVICE_PORT GRAPHQL_PORT_4000_TCP GATEWAY_PORT GATEWAY_SERVICE_HOST
  PLATFORM_SERVICE_HOST PLATFORM_PORT REST_SERVICE_HOST REST_SERVICE_PORT POD_NAME POD_NAMESPACE POD_IP NODE_NAME
  CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_API_URL GITHUB_GRAPHQL_URL GITHUB_SERVER_URL GITHUB_ENV GITHUB_PATH GITHUB_BASE_REF
  RUNNER_OS RUNNER_TEMP GITLAB_CI CI_JOB_ID CI_API_V4_URL CI_API_GRAPHQL_URL BUILD_ID JENKINS_URL
  AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_SECRET
  DATABASE_URL DATABASE_HOST PGHOST PGPORT PGUSER PGPASSWORD MYSQL_HOST REDIS_URL REDIS_HOST MONGO_URL DATA_DIR DATA_PATH
  LOG_DIR LOG_FILE LOG_FORMAT API_URL API_KEY API_HOST API_TOKEN BASE_URL REST_URL MAX_RETRIES MAX_CONNECTIONS MAX_WORKERS
  WEB_CONCURRENCY SERVICE_NAME SENTRY_DSN DD_AGENT_HOST OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME OTEL_TRACES_SAMPLER
  OTEL_RESOURCE_ATTRIBUTES SECRET_KEY SESSION_SECRET JWT_SECRET COOKIE_SECRET CORS_ENABLED INVOCATION_ID JOURNAL_STREAM
  LISTEN_FDS NOTIFY_SOCKET SYSTEMD_EXEC_PID VITEST VITEST_POOL_ID TEST MODE DEV PROD SSR
`;

test("an environment full of other programs' variables names nothing", () => {
  const names = others.trim().split(/\s+/);
  expect(names.length).toBeGreaterThan(150);
  const environment = Object.fromEntries([...names, ...Object.keys(process.env)].map((name) => [name, "1"]));
  expect(findMisspelledVariables(environment)).toEqual([]);
});
