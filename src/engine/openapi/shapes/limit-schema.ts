/** The limits that a REST schema sets on one value, as a JSON Schema (2020-12). */
import type { JsonSchema } from "../../standards/json-schema.ts";
import { validLimits } from "./limits.ts";
import { numberFormats, type Shape } from "./shape.ts";

/** Leaves out the type, the enum, the items and the properties. */
export const limitSchema = ({ limits, format }: Shape): JsonSchema => ({
  ...Object.fromEntries(validLimits(limits)),
  ...(format && !numberFormats.has(format) && { format }),
});
