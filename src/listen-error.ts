/** Why a port could not be listened on, as one line that says what to change. */
import { ConfigError } from "./config.ts";

/** A `ConfigError` for what a setting can mend; any other error as it is. */
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
