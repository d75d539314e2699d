/** `restbound/codegen`: the configuration of graphql-codegen for a project, as `codegen.ts` and editors read it. */
export { configFor } from "../build/codegen/generate.ts";
