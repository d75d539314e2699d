/** `restbound`: the configuration of a process, coded errors, and the type of the value that codegen makes. */
export { type Config, ConfigError, type Role, readConfig } from "../config.ts";
export { CodedError } from "../errors.ts";
export type { GeneratedApi } from "../rest/api.ts";
