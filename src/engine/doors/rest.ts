/** `restbound/rest`: the functions that generated resolvers call, and the types that they are held to. */
export { batchEach, batchMany, batchOne } from "../rest/batch.ts";
export { type Connection, connection } from "../rest/connection.ts";
export { integer, untyped } from "../rest/encode.ts";
export { inheriting } from "../rest/inherit.ts";
export { inheritingLevel, level } from "../rest/level.ts";
export { holder, member } from "../rest/member.ts";
export { type Entries, entries, entriesFrom, itself, property, propertyAt } from "../rest/property.ts";
export type { Context, Rest } from "../rest/rest.ts";
export type { Operation } from "../standards/operation.ts";
