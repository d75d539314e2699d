/**
 * Writes the messages of the process. Outside production, messages are text for people, and warnings go to stderr. In production,
 * each message is a JSON log line, because log collectors only accept JSON. `LOG_LEVEL` does not suppress these messages.
 */
import { hostname } from "node:os";
import type { Config } from "../runtime/settings/config.ts";
import type { Io } from "../shared/cli/command.ts";
import { printable, printableLines } from "../shared/cli/printable.ts";
import { withShownUrls } from "../shared/shown-url.ts";
import type { RunningRoles } from "./program.ts";
import type { Service } from "./service.ts";

const levels = { info: 30, warn: 40, fatal: 60 } as const;

export type ProcessLogger = {
  /** In production, the text must be a single line. `more`: further fields of the JSON log line. */
  readonly info: (text: string, more?: object) => void;
  readonly warn: (line: string) => void;
  /** Writes the reason of a failed start to stderr. */
  readonly fatal: (line: string) => void;
};

export function createProcessLogger(
  name: string,
  { out, error }: Pick<Io, "out" | "error">,
  production: boolean,
): ProcessLogger {
  if (!production) {
    const complain = (line: string): void => error(`${name}: ${printable(withShownUrls(line))}`);
    return { info: (text) => out(printableLines(text)), warn: complain, fatal: complain };
  }
  const logLine = (level: keyof typeof levels, text: string, more = {}): string => {
    const origin = { level: levels[level], time: Date.now(), pid: process.pid, hostname: hostname() };
    return JSON.stringify({ ...origin, ...more, msg: printable(withShownUrls(text)) });
  };
  return {
    info: (text, more) => out(logLine("info", text, more)),
    warn: (line) => out(logLine("warn", line)),
    fatal: (line) => error(logLine("fatal", line)),
  };
}

/**
 * Returns the startup message: where the process listens and, unless `brief` is true, further URLs and the lines that
 * `platform.welcome` returns. `unready` are the reasons why the front is not ready.
 */
export async function startupMessage(
  config: Config,
  { name, platform }: Pick<Service, "name" | "platform">,
  { url, metrics }: Pick<RunningRoles, "url" | "metrics">,
  { unready, brief }: { readonly unready: Iterable<string>; readonly brief: boolean },
): Promise<string> {
  const { roles } = config;
  const reasons = [...unready].join(", ");
  const place = reasons ? `listens on ${url.origin}, not ready: ${reasons}` : `is ready on ${url.origin}`;
  const lines = [`${name} (${[...roles].join(", ")}) ${place}`];
  if (brief) return lines.join("\n");
  const graphql = roles.has("graphql") || (roles.has("gateway") && config.env.GRAPHQL_URL !== undefined);
  // the explorer needs introspection, which is rejected if only saved operations are allowed
  if (graphql && !config.production && config.env.OPERATIONS === "all")
    lines.push(`explorer: ${url.origin}/v1/graphql in a browser`);
  if (metrics) lines.push(`metrics: ${metrics.origin}/metrics`);
  if (roles.has("platform") && platform) lines.push(...(await platform()).welcome(config, url.origin));
  return lines.join("\n");
}
