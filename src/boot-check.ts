/**
 * What production refuses to start with: settings that are handy on a desk and a hole on the internet. Each finding
 * is one line that names the variable and says how to mend it. Nothing here is wrong outside production.
 */
import type { Config } from "./config.ts";

/** Returns one line per unsafe setting; none outside production. */
export function findUnsafe(config: Config): string[] {
  if (!config.production) return [];
  const lines: string[] = [];
  if (config.env.CORS_ORIGINS.includes("*")) {
    lines.push("CORS_ORIGINS: `*` lets any site call in production; list the dashboards' origins instead");
  }
  const plain = config.env.CORS_ORIGINS.filter((origin) => origin.startsWith("http://"));
  for (const origin of plain) lines.push(`CORS_ORIGINS: ${origin} is not safe in production; use its https:// origin`);
  if (config.env.LOG_LEVEL === "debug") {
    lines.push("LOG_LEVEL: `debug` tells too much in production; use info, warn or error");
  }
  return lines;
}
