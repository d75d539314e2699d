/** Shared by the platform tests: a platform in memory, the demo keys by name, and requests with a key. */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import { withDemoFile } from "../demo-file.ts";

const keyOf = (user: string): string => demoKeys.find((demo) => demo.user === user)?.key ?? "";

export const keys = {
  harborOwner: keyOf("usr_harbor_olivia"),
  harborAnalyst: keyOf("usr_harbor_noah"),
  lumenOwner: keyOf("usr_lumen_amara"),
};

export const config = (env: NodeJS.ProcessEnv = {}) =>
  readConfig({ LOG_LEVEL: "silent", ...env }, ["platform"]);

export const openPlatform = (env: NodeJS.ProcessEnv = {}): Promise<FastifyInstance> =>
  withDemoFile(env, (withFile) => createPlatform(config(withFile)));

export const get = (
  platform: FastifyInstance,
  url: string,
  key = keys.harborOwner,
): Promise<LightMyRequestResponse> => platform.inject({ url, headers: { "x-api-key": key } });

export function send(
  platform: FastifyInstance,
  payload: InjectOptions["payload"],
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const given = { "x-api-key": keys.harborOwner, "content-type": "application/json", ...headers };
  return platform.inject({ method: "POST", url: "/v1/messages", headers: given, payload });
}

type Item = Record<string, unknown> & { id: string };

export async function items(platform: FastifyInstance, url: string, key?: string): Promise<Item[]> {
  const { items: found } = (await get(platform, url, key)).json<{ items: Item[] }>();
  return found;
}

export async function first(platform: FastifyInstance, url: string, key?: string): Promise<Item> {
  const [item] = await items(platform, url, key);
  if (!item) throw new Error(`nothing at ${url}`);
  return item;
}
