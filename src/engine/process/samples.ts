/**
 * The values that the explorer and the dashboard open with, if this process runs demo data: an API key, and variables
 * for the saved operations.
 */
import type { Config } from "../config.ts";
import type { Samples } from "../graphql/explorer/page.ts";

/** Returns nothing in production, without the platform, and where no demo key works. */
export async function samplesOf(config: Config): Promise<Samples> {
  if (config.production || !config.roles.has("platform")) return {};
  const { workingDemoKeys } = await import("../../platform/demo/demo.ts");
  const { demoVariables } = await import("../../platform/demo/requests.ts");
  const [demo] = workingDemoKeys(config);
  return demo ? { key: demo.key, variables: demoVariables(new Date()) } : {};
}
