/**
 * A configuration of the graphql role alone, without logs. By default, no REST platform listens at its URL, and a busy
 * machine has the time to connect.
 */
import { type Config, readConfig } from "../../src/config.ts";

export const configure = (environment: NodeJS.ProcessEnv = {}): Config =>
  readConfig(
    {
      REST_BASE_URL: "http://127.0.0.1:1",
      CONNECT_TIMEOUT_MS: "10000",
      LOG_LEVEL: "silent",
      ...environment,
    },
    ["graphql"],
  );
