/** JSON Schema 2020-12, as REST's limits are written in it and held to it, by Ajv: the same when it is proved and when it runs. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { soundLimits } from "./limits.ts";
import { numberFormats, type Shape } from "./shape.ts";

export type JsonSchema = { [keyword: string]: unknown };

/** Schemas are made here, of limits that are known to be sound: they are not checked again. */
export const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false, logger: false });
addFormats.default(ajv);

/** What a shape demands of a value beside its type and its enum; not of its items or properties. */
export const limitSchema = ({ limits, format }: Shape): JsonSchema => ({
  ...Object.fromEntries(soundLimits(limits)),
  ...(format && !numberFormats.has(format) && { format }),
});
