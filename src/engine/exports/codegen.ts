/** `restbound/codegen`: the configuration that a project's `codegen.ts` exports to graphql-codegen and editors. */
export { configFor } from "../build/codegen/generate.ts";
