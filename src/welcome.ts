/** What a started process says: where it is, with which keys, and one command that works. Nothing secret in production. */
import type { Config } from "./config.ts";

export async function welcome(config: Config, url: URL): Promise<string> {
  const { roles } = config;
  const lines = [`messaging-graphql (${[...roles].join(", ")}) is ready on ${url.origin}`];
  const graphql = roles.has("graphql") || (roles.has("gateway") && config.env.GRAPHQL_URL !== undefined);
  if (graphql && !config.production) lines.push(`explorer: ${url.origin}/v1/graphql in a browser`);
  if (roles.has("platform") && !config.production) lines.push("", ...(await demo(url, graphql)));
  return `${lines.join("\n")}\n`;
}

async function demo({ origin }: URL, graphql: boolean): Promise<string[]> {
  const { demoKeys } = await import("./platform/demo.ts");
  const { demoPath, demoQuery } = await import("./platform/demo-requests.ts");
  const keys = demoKeys.map(({ key, tenant, user, note }) => `  ${key}  ${tenant}, ${user}: ${note}`);
  const key = demoKeys[0]?.key ?? "";
  const call = graphql
    ? `${origin}/v1/graphql -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ query: demoQuery })}'`
    : `${origin}${demoPath} -H 'X-API-Key: ${key}'`;
  return ["demo keys:", ...keys, "", "try:", `  curl -s ${call}`];
}
