/** `restbound/rest`: the functions that generated resolvers call, and their types. */
export { batchEach, batchMany, batchOne } from "../runtime/rest/batch.ts";
export { type Connection, connection } from "../runtime/rest/connection.ts";
export { integer, untyped } from "../runtime/rest/encode.ts";
export { inheriting } from "../runtime/rest/inherited-values.ts";
export { inheritingLevel, level } from "../runtime/rest/level.ts";
export {
  type Entries,
  entries,
  entriesFrom,
  external,
  isEmptyList,
  itself,
  neverNull,
  property,
  propertyAt,
  required,
} from "../runtime/rest/property.ts";
export { resolveTypeByProperty, resolveTypeByValue } from "../runtime/rest/resolve-type.ts";
export type { Context, Rest } from "../runtime/rest/rest-context.ts";
export type { Operation } from "../shared/operation.ts";
