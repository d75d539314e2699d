/**
 * Writes the mapping of a discriminator as the proof reads it. If the mapping leaves a schema out, the values of the
 * schema's own property count. Without this, openapi-typescript takes the schema's name (OpenAPI 3.1 §4.8.25).
 */
import { enumerationOf } from "../../openapi/shapes/enumeration.ts";
import { isRecord, membersOf } from "../../standards/json-object.ts";
import type { Json, Resolve } from "./merge-all-of.ts";

export function withMapping(schema: Json, resolve: Resolve): Json {
  const { discriminator, oneOf } = schema;
  if (!isRecord(discriminator) || typeof discriminator.propertyName !== "string" || !Array.isArray(oneOf))
    return schema;
  const { propertyName, mapping } = discriminator;
  const written = membersOf(mapping);
  const stated = oneOf.flatMap((member) => {
    const reference = isRecord(member) ? member.$ref : undefined;
    if (typeof reference !== "string" || Object.values(written).includes(reference)) return [];
    return statedValues(resolve(reference), propertyName, resolve).map(
      (value) => [value, reference] as const,
    );
  });
  if (stated.length === 0) return schema;
  return {
    ...schema,
    discriminator: { ...discriminator, mapping: { ...Object.fromEntries(stated), ...written } },
  };
}

/** The values that the property allows. */
function statedValues(schema: unknown, property: string, resolve: Resolve, left = 8): string[] {
  if (!isRecord(schema) || left === 0) return [];
  if (typeof schema.$ref === "string") return statedValues(resolve(schema.$ref), property, resolve, left - 1);
  const own = isRecord(schema.properties) ? schema.properties[property] : undefined;
  const texts = enumerationOf(membersOf(own))?.filter((each) => typeof each === "string") ?? [];
  if (texts.length > 0) return texts;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  return parts.flatMap((part) => statedValues(part, property, resolve, left - 1));
}
