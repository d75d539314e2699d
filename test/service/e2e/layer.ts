/**
 * What the end-to-end tests share: all roles in this process and in memory, with every REST call counted where it
 * arrives, at the platform. They are those of `src`, or of the bundle in the folder that `BUNDLE` names.
 */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { patient } from "../../support/patient.ts";
import { withDemoFile } from "../demo-file.ts";

const { BUNDLE: bundle } = process.env;
const { open }: typeof import("../../../src/engine/server/serve.ts") =
  bundle === undefined
    ? await import("../../../src/engine/server/serve.ts")
    : await import(join(bundle, "server.js"));
const { service }: typeof import("../../../src/main.ts") =
  bundle === undefined ? await import("../../../src/main.ts") : await import(join(bundle, "main.js"));

const keyOf = (user: string): string => demoKeys.find((demo) => demo.user === user)?.key ?? "";
export const keys = {
  owner: keyOf("usr_harbor_olivia"),
  analyst: keyOf("usr_harbor_noah"),
  otherOwner: keyOf("usr_lumen_amara"),
};

export type GraphqlError = {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; argument?: string; errors?: { argument?: string }[] };
};
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of many shapes
export type Answer = { data?: any; errors?: GraphqlError[] };
export type Layer = Awaited<ReturnType<typeof startLayer>>;

/** Starts the roles (none named: all) on a free port, closed with `close` or after the test that runs. */
export async function startLayer(roles: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const hasPlatform = roles.length === 0 || roles.includes("platform");
  const start = (variables: NodeJS.ProcessEnv) => open(service, variables, roles);
  const variables = { ...patient, ...environment };
  const { url, servers } = await (hasPlatform ? withDemoFile(variables, start) : start(variables));
  const calls: string[] = [];
  servers.at(-1)?.server.prependListener("request", ({ method, url: path = "" }) => {
    if (path.startsWith("/v1/")) calls.push(`${method} ${path}`);
  });
  const close = async (): Promise<void> => {
    for (const { server } of servers) server.closeAllConnections();
    for (const server of servers) await server.close();
  };
  const rest = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL(path, url), { headers });
  const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  const ask = async (
    query: string,
    variables: Record<string, unknown> = {},
    credentials: Record<string, string> = { "x-api-key": keys.owner },
  ): Promise<Answer> =>
    (await (await post(JSON.stringify({ query, variables }), credentials)).json()) as Answer;
  return { url, calls, rest, post, ask, close };
}

/** A layer that ends with the test that runs. */
export async function openLayer(...given: Parameters<typeof startLayer>): Promise<Layer> {
  const layer = await startLayer(...given);
  onTestFinished(layer.close);
  return layer;
}

/** Today and `days` before it, as the contract writes dates. */
export const range = (days: number): { from: string; to: string } => ({
  from: new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
  to: new Date().toISOString().slice(0, 10),
});
