/** `restbound`: the configuration of a process, coded errors, and the type of the generated API. */

export { CodedError } from "../runtime/coded-error.ts";
export type { GeneratedApi } from "../runtime/rest/generated-api.ts";
export { type Config, ConfigError, type Role, readConfig } from "../runtime/settings/config.ts";
