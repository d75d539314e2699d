/** A configuration of the graphql role alone, without logs. By default, no REST platform listens at its URL. */
import { type Config, readConfig } from "../../../../src/engine/runtime/settings/config.ts";
import { patient } from "../../../support/patient.ts";

export const configure = (environment: NodeJS.ProcessEnv = {}): Config =>
  readConfig({ REST_BASE_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent", ...patient, ...environment }, [
    "graphql",
  ]);
