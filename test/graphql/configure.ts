/** A configuration of the graphql role alone, silent, in front of a REST platform that is not there unless it is named. */
import { type Config, readConfig } from "../../src/config.ts";

export const configure = (environment: NodeJS.ProcessEnv = {}): Config =>
  readConfig({ REST_BASE_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent", ...environment }, ["graphql"]);
