/** `restbound`: the configuration of a process, errors with codes, and the type of the generated code. */

export { CodedError } from "../runtime/coded-error.ts";
export type { GeneratedApi } from "../runtime/rest/generated-api.ts";
export { type Config, ConfigError, type Role, readConfig } from "../runtime/settings/config.ts";
