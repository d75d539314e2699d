/** Configurations that are valid and not meant: each is one true line, at `--check-config` or at its first sign. */
import { expect, onTestFinished, test } from "vitest";
import { fakeKeyService, goodKey } from "../gateway/fakes.ts";
import { get, runHere, runReady } from "./program.ts";

const url = "http://127.0.0.1:9";
const gateway = { REST_BASE_URL: url, KEY_INTROSPECTION_URL: url, GATEWAY_SECRET: "a-secret-of-the-gateway" };
const graphql = { REST_BASE_URL: url };

test.each<[role: string, environment: NodeJS.ProcessEnv, exitCode: number, line: RegExp | undefined]>([
  [
    "graphql",
    { ...graphql, NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" },
    2,
    /^NODE_EXTRA_CA_CERTS: .* \(ENOENT\)$/,
  ],
  ["graphql", { ...graphql, NODE_EXTRA_CA_CERTS: "package.json" }, 0, undefined],
  [
    ...(["graphql", { ...graphql, OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/v1/traces` }] as const),
    ...([
      2,
      /^OTEL_EXPORTER_OTLP_ENDPOINT: wants the collector's base URL, for \/v1\/traces is added/,
    ] as const),
  ],
  ["graphql", { ...graphql, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` }, 0, undefined],
  [
    ...(["graphql", { ...graphql, CALL_TIMEOUT_MS: "20000" }] as const),
    ...([0, /^CALL_TIMEOUT_MS: 20000 has no effect, for REQUEST_TIMEOUT_MS ends .* after 15000$/] as const),
  ],
  ["graphql", { ...graphql, CALL_TIMEOUT_MS: "15000" }, 0, undefined],
  ["gateway", { ...gateway, GRAPHQL_URL: url }, 0, /^GRAPHQL_URL: is REST_BASE_URL too/],
  [
    "gateway",
    { ...gateway, GRAPHQL_URL: "http://localhost:4000", PORT: "4000" },
    0,
    /^GRAPHQL_URL: is this gateway/,
  ],
  [
    "gateway",
    { ...gateway, GRAPHQL_URL: "http://a.example/graphql" },
    0,
    /requests go to \/graphql\/v1\/graphql/,
  ],
  ["gateway", { ...gateway, GRAPHQL_URL: "http://a.example/v1/graphql" }, 0, undefined],
])("%s with %o", async (role, environment, exitCode, line) => {
  const found = await runHere([role, "--check-config"], environment);
  expect(found.exitCode).toBe(exitCode);
  const lines = found.printed.flatMap((text) => /^messaging-graphql: (.*)/.exec(text)?.[1] ?? []);
  expect(lines).toEqual(line === undefined ? [] : [expect.stringMatching(line)]);
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
    "API_ENVIRONMENT: is test, and a live key came: such keys are refused without a look-up",
  ]);
});
