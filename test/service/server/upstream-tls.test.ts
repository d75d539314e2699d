/** Upstreams by TLS, as an operator finds them at night: what `/readyz`, the log and a client say of each fault. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { revocationStream } from "../../../src/engine/gateway/revocation-log.ts";
import { contextOf, fakeKeyService, goodKey } from "../../engine/gateway/fakes.ts";
import { redisServer } from "../../engine/gateway/redis.ts";
import { type Authority, makeAuthority } from "../../support/certificates.ts";
import { freePort } from "../../support/free-port.ts";
import { get, query, runReady } from "./program.ts";

let known: Authority;
let unknown: Authority;
beforeAll(() => {
  known = makeAuthority();
  unknown = makeAuthority();
});
afterAll(() => {
  known.remove();
  unknown.remove();
});

/** REST and key introspection in one. */
const answer: RequestListener = ({ method }, response): void => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(method === "POST" ? contextOf("good") : { items: [], id: "1" }));
};

/** A service of this machine, by TLS if there is a certificate. */
async function service(tls?: SecureContextOptions) {
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const by = (protocol: string): string => `${protocol}://127.0.0.1:${port}`;
  return { by, server: server as TlsServer };
}

const statusOf = async (url: URL): Promise<string> =>
  ((await (await get(url, "/readyz")).json()) as { status: string }).status;

/** The warnings of a role that is ready. */
const warningsOf = async (url: URL): Promise<string> =>
  ((await (await get(url, "/readyz")).json()) as { warnings: string[] }).warnings.join();

type Answer = { data: { me: unknown }; errors: { extensions: { code: string } }[] };

test("REST, a fault a product: a warning of /readyz, the start, the call's cause, a client's code; mended, it is gone", async () => {
  const good = known.issue();
  const services = await Promise.all(
    [good, unknown.issue(), known.issue("IP:127.0.0.1", -1), known.issue("DNS:other.example")].map(service),
  );
  const [identity, inbox, ai, crm] = services as [Service, Service, Service, Service];
  const plain = await service();
  const program = await runReady(["graphql"], {
    NODE_EXTRA_CA_CERTS: known.file,
    REST_BASE_URL: identity.by("https"),
    REST_BASE_URL_INBOX: inbox.by("https"),
    REST_BASE_URL_AI: ai.by("https"),
    REST_BASE_URL_CRM: crm.by("https"),
    REST_BASE_URL_INSIGHTS: plain.by("https"),
    REST_BASE_URL_MESSAGING: identity.by("http"),
  });
  const metrics = 'metrics(from: "2026-01-01", to: "2026-01-02") { __typename }';
  const faults = [
    ["INBOX", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", /authority.*NODE_EXTRA_CA_CERTS/, "conversations { id }"],
    ["AI", "CERT_HAS_EXPIRED", /its certificate has expired/, "agents { id }"],
    ["CRM", "ERR_TLS_CERT_ALTNAME_INVALID", /for another host/, "contacts { id }"],
    ["INSIGHTS", "ERR_SSL_WRONG_VERSION_NUMBER", /does not speak TLS; is it http:/, metrics],
    ["MESSAGING", "UND_ERR_SOCKET", /does it require https:/, 'message(id: "1") { id }'],
  ] as const;
  expect((await get(program.url, "/readyz")).status).toBe(200);
  const status = await warningsOf(program.url);
  expect(status).not.toMatch(/REST_BASE_URL \(|127\.0\.0\.1/);
  for (const [product, cause, words] of faults) {
    const reason = `\\(${cause}: [^)]*${words.source}[^)]*\\)`;
    expect(status).toMatch(new RegExp(`waiting for REST_BASE_URL_${product} ${reason}`));
    expect(program.output()).toMatch(
      new RegExp(`REST_BASE_URL_${product}: https?://\\S+ is not usable ${reason}`),
    );
  }
  for (const [, cause, , field] of faults) {
    const { data, errors } = (await query(program.url, `{ me { id } ${field} }`, "a-key")) as Answer;
    const codes = errors.map(({ extensions }) => extensions.code);
    expect([field, data.me, codes]).toEqual([field, { id: "1" }, ["UPSTREAM_UNAVAILABLE"]]);
    await program.prints(new RegExp(`"cause":"${cause}"`));
  }
  for (const { server } of [inbox, ai, crm]) server.setSecureContext(good);
  for (const product of ["INBOX", "AI", "CRM"])
    await program.prints(new RegExp(`REST_BASE_URL_${product}: reached`));
  expect((await warningsOf(program.url)).match(/waiting for \w+/g)?.sort()).toEqual([
    "waiting for REST_BASE_URL_INSIGHTS",
    "waiting for REST_BASE_URL_MESSAGING",
  ]);
});

type Service = Awaited<ReturnType<typeof service>>;

describe("key introspection", () => {
  test.each<[string, () => Promise<string>, string | undefined]>([
    ["a private authority", async () => (await service(known.issue())).by("https"), undefined],
    [
      "an unknown authority",
      async () => (await service(unknown.issue())).by("https"),
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    [
      "an expired certificate",
      async () => (await service(known.issue("IP:127.0.0.1", -1))).by("https"),
      "CERT_HAS_EXPIRED",
    ],
    [
      "another host",
      async () => (await service(known.issue("DNS:a.example"))).by("https"),
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    ["http by https", async () => (await service()).by("https"), "ERR_SSL_WRONG_VERSION_NUMBER"],
    ["https by http", async () => (await service(known.issue())).by("http"), "UND_ERR_SOCKET"],
  ])("%s", async (_name, keys, cause) => {
    const rest = await service(known.issue());
    const program = await runReady(["gateway"], {
      NODE_EXTRA_CA_CERTS: known.file,
      REST_BASE_URL: rest.by("https"),
      KEY_INTROSPECTION_URL: await keys(),
    });
    const expected = cause === undefined ? "ok" : `waiting for KEY_INTROSPECTION_URL (${cause}: `;
    expect((await statusOf(program.url)).slice(0, expected.length)).toBe(expected);
    const { status } = await get(program.url, "/v1/identity/me", goodKey);
    expect(status).toBe(cause === undefined ? 200 : 503);
    if (cause !== undefined)
      await program.prints(new RegExp(`"code":"SERVICE_UNAVAILABLE","cause":"${cause}"`));
  });
});

test.skipIf(!redisServer)(
  "rediss: a private authority is taken, an unknown one is a line and refuses nothing",
  async () => {
    const keys = await fakeKeyService();
    onTestFinished(keys.close);
    const port = await freePort();
    const [key = "", certificate = ""] = known.issue().files;
    const tls = ["--tls-port", String(port), "--port", "0", "--tls-auth-clients", "no"];
    const files = ["--tls-key-file", key, "--tls-cert-file", certificate, "--tls-ca-cert-file", known.file];
    const engine = spawn(redisServer ?? "", [...tls, ...files, "--bind", "127.0.0.1", "--save", ""]);
    onTestFinished(() => void engine.kill("SIGKILL"));
    await once(engine.stdout, "data");
    for (const [authority, isUp] of [
      [known, true],
      [unknown, false],
    ] as const) {
      const program = await runReady(["gateway"], {
        NODE_ENV: "production",
        GATEWAY_SECRET: "a-secret-of-the-gateway",
        NODE_EXTRA_CA_CERTS: authority.file,
        REST_BASE_URL: keys.url.href,
        KEY_INTROSPECTION_URL: keys.url.href,
        REDIS_URL: `rediss://127.0.0.1:${port}`,
        RATE_LIMIT_PER_KEY: "1",
      });
      if (isUp) {
        const asked = new Redis(port, "127.0.0.1", { tls: { ca: readFileSync(known.file) } });
        onTestFinished(() => asked.disconnect());
        await expect.poll(() => asked.exists(revocationStream)).toBe(1); // a heartbeat
        expect(program.output()).not.toContain("REDIS_URL");
      } else await program.prints(/"cause":"SELF_SIGNED_CERT_IN_CHAIN","msg":"REDIS_URL: Redis is down/);
      expect((await get(program.url, "/v1/identity/me", goodKey)).status).toBe(200);
    }
  },
);
