/** The error of a failed `listen`, as one line that names the setting to change. */
import { ConfigError } from "../config.ts";

/** Returns a `ConfigError` where a setting is the remedy, and any other error unchanged. */
export function listenError(
  error: unknown,
  host: string,
  port: number,
  variable: "PORT" | "METRICS_PORT",
): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return new ConfigError([
      `${variable}: ${port} on ${host} is taken; stop what runs there or set another ${variable}`,
    ]);
  if (code === "EACCES")
    return new ConfigError([
      `${variable}: ${port} needs rights that this user lacks; set a ${variable} above 1023`,
    ]);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new ConfigError([`HOST: ${host} is no address of this machine`]);
  }
  return error;
}
