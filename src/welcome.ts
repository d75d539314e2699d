/** What a started process says: where it is and, where demo keys work, which ones and one command to try. Nothing secret. */
import type { Config } from "./config.ts";

export async function welcome(config: Config, url: URL, metrics: URL | undefined): Promise<string> {
  const { roles } = config;
  const lines = [`messaging-graphql (${[...roles].join(", ")}) is ready on ${url.origin}`];
  const graphql = roles.has("graphql") || (roles.has("gateway") && config.env.GRAPHQL_URL !== undefined);
  if (graphql && !config.production) lines.push(`explorer: ${url.origin}/v1/graphql in a browser`);
  if (metrics) lines.push(`metrics: ${metrics.origin}/metrics`);
  if (roles.has("platform")) lines.push(...(await demo(config, url, graphql)));
  return `${lines.join("\n")}\n`;
}

async function demo(config: Config, { origin }: URL, graphql: boolean): Promise<string[]> {
  const { workingDemoKeys } = await import("./platform/demo.ts");
  const { demoPath, demoQuery } = await import("./platform/demo-requests.ts");
  const working = workingDemoKeys(config);
  if (working.length === 0) return [];
  const keys = working.map(({ key, tenant, user, note }) => `  ${key}  ${tenant}, ${user}: ${note}`);
  const key = working[0]?.key ?? "";
  const call = graphql
    ? `${origin}/v1/graphql -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ query: demoQuery })}'`
    : `${origin}${demoPath} -H 'X-API-Key: ${key}'`;
  return ["", "demo keys:", ...keys, "", "try:", `  curl -s ${call}`];
}
