/** `restbound/codegen`: a project's configuration for graphql-codegen, which `codegen.ts` and editors read. */
export { configFor } from "../build/codegen/generate.ts";
