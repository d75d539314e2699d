/** The text of a started process: its URL and, where demo keys work, the keys and one command to try. It holds no secret. */
import type { Config } from "../config.ts";
import { hasDashboard } from "./dashboard.ts";
import type { Running } from "./program.ts";

/** `unready` holds the reasons why the front is not ready; `brief` limits the text to the first line. */
export async function welcome(
  config: Config,
  { url, metrics }: Pick<Running, "url" | "metrics">,
  unready: Iterable<string>,
  brief: boolean,
): Promise<string> {
  const { roles } = config;
  const reasons = [...unready].join(", ");
  const place = reasons ? `listens on ${url.origin}, not ready: ${reasons}` : `is ready on ${url.origin}`;
  const lines = [`messaging-graphql (${[...roles].join(", ")}) ${place}`];
  if (brief) return lines.join("\n");
  const graphql = roles.has("graphql") || (roles.has("gateway") && config.env.GRAPHQL_URL !== undefined);
  if (graphql && !config.production) lines.push(`explorer: ${url.origin}/v1/graphql in a browser`);
  if (hasDashboard(config)) lines.push(`dashboard: ${url.origin}/ in a browser`);
  if (metrics) lines.push(`metrics: ${metrics.origin}/metrics`);
  if (roles.has("platform")) lines.push(...(await demo(config, url, graphql)));
  return lines.join("\n");
}

async function demo(config: Config, { origin }: URL, graphql: boolean): Promise<string[]> {
  const { workingDemoKeys } = await import("../../platform/demo/demo.ts");
  const { demoPath, demoQuery } = await import("../../platform/demo/requests.ts");
  const working = workingDemoKeys(config);
  if (working.length === 0) return [];
  const keys = working.map(({ key, tenant, user, note }) => `  ${key}  ${tenant}, ${user}: ${note}`);
  const key = working[0]?.key ?? "";
  const call = graphql
    ? `${origin}/v1/graphql -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ query: demoQuery })}'`
    : `${origin}${demoPath} -H 'X-API-Key: ${key}'`;
  return ["", "demo keys:", ...keys, "", "try:", `  curl -s ${call}`];
}
