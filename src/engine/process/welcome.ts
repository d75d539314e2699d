/** The text of a started process: where it listens, and what its platform adds. */
import type { Config } from "../config.ts";
import type { Running } from "./program.ts";
import type { Service } from "./service.ts";

/** `unready` holds the reasons why the front is not ready; `brief` limits the text to the first line. */
export async function welcome(
  config: Config,
  { name, platform }: Pick<Service, "name" | "platform">,
  { url, metrics }: Pick<Running, "url" | "metrics">,
  unready: Iterable<string>,
  brief: boolean,
): Promise<string> {
  const { roles } = config;
  const reasons = [...unready].join(", ");
  const place = reasons ? `listens on ${url.origin}, not ready: ${reasons}` : `is ready on ${url.origin}`;
  const lines = [`${name} (${[...roles].join(", ")}) ${place}`];
  if (brief) return lines.join("\n");
  const graphql = roles.has("graphql") || (roles.has("gateway") && config.env.GRAPHQL_URL !== undefined);
  if (graphql && !config.production) lines.push(`explorer: ${url.origin}/v1/graphql in a browser`);
  if (metrics) lines.push(`metrics: ${metrics.origin}/metrics`);
  if (roles.has("platform") && platform) lines.push(...(await platform()).welcome(config, url.origin));
  return lines.join("\n");
}
