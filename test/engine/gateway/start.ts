/** A gateway that listens on a free port in front of fakes, closed with everything behind it after the test. */

import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { createGateway } from "../../../src/engine/gateway/gateway.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { patient } from "../../support/patient.ts";
import { api } from "../desk/generated/index.ts";
import { fakeKeyService, type KeyService, listen, type Recorder, recorder } from "./fakes.ts";

export const secret = "a-secret-of-the-gateway";

export type Started = {
  url: URL;
  gateway: FastifyInstance;
  keys: KeyService;
  rest: Recorder;
  graphql: Recorder;
};
type Options = {
  env?: NodeJS.ProcessEnv;
  rest?: URL;
  graphql?: URL | null;
  /** null: none. */
  keyIntrospection?: URL | null;
  port?: number;
  operations?: typeof api.operations;
  /** The headers that the document's security schemes name. */
  credentials?: readonly string[];
  /** The request headers that the document declares. */
  requestHeaders?: readonly string[];
};

export async function startGateway({
  env = {},
  credentials,
  requestHeaders = api.requestHeaders,
  port = 0,
  ...behind
}: Options = {}): Promise<Started> {
  const [keys, rest, graphql] = await Promise.all([fakeKeyService(), recorder(), recorder()]);
  const config = readConfig({ GATEWAY_SECRET: secret, LOG_LEVEL: "silent", ...patient, ...env }, ["gateway"]);
  const graphqlUrl =
    behind.graphql === null ? undefined : (behind.graphql ?? new URL("/v1/graphql", graphql.url));
  const backends = {
    rest: behind.rest ?? rest.url,
    ...(behind.keyIntrospection !== null && {
      keyIntrospection: behind.keyIntrospection ?? new URL("/internal/keys/introspect", keys.url),
    }),
    ...(graphqlUrl ? { graphql: graphqlUrl, ...(config.env.MCP && { mcp: graphqlUrl }) } : {}),
  };
  const operations = credentials
    ? { "GET /": { id: "get", product: "", credentials: [credentials] } }
    : (behind.operations ?? api.operations);
  const gateway = await createGateway(config, backends, { ...api, operations, requestHeaders });
  await gateway.listen({ port, host: "127.0.0.1" });
  onTestFinished(async () => {
    gateway.server.closeAllConnections();
    await gateway.close();
    await Promise.all([keys.close(), rest.close(), graphql.close()]);
  });
  const url = new URL(`http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`);
  return { url, gateway, keys, rest, graphql };
}

/** An upstream of the test's own, closed after the test. */
export async function upstream(listener: RequestListener): Promise<URL> {
  const running = await listen(listener);
  onTestFinished(running.close);
  return running.url;
}

/** An address that refuses connections. */
export async function refusingUrl(): Promise<URL> {
  const { url, close } = await listen(() => {});
  await close();
  return url;
}
