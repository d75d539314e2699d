/**
 * Rewrites a bundled document so that openapi-typescript reads it as the proof does: a `content` has the one media type
 * that bindings use, a parameter in a media type of its own has its schema, and an `allOf` whose schemas describe the
 * same property is one schema, and so is a `$ref` with statements beside it. A discriminator maps the
 * values that its schemas state, and has schemas to choose from. The values of an `enum` are of the schema's type.
 */
import { holdsNames, literalKeywords } from "../../openapi/reach.ts";
import { usedMedia } from "../../openapi/read-content.ts";
import { enumerationOf } from "../../openapi/shapes/enumeration.ts";
import { isRecord } from "../../standards/json-object.ts";
import { withMapping } from "./mapped-discriminator.ts";
import { type Json, makesType, mergedAllOf, type Resolve } from "./merge-all-of.ts";

export function readPlainly(whole: Json): Json {
  const resolve: Resolve = (reference) =>
    reference
      .split("/")
      .slice(1)
      .reduce<unknown>(
        (value, step) =>
          isRecord(value) ? value[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined,
        whole,
      );
  const known = new Map<unknown, unknown>();
  const read = (value: unknown, at?: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (known.has(value)) return known.get(value);
    const made = Array.isArray(value) ? value.map((item) => read(item)) : readRecord(value as Json, at);
    known.set(value, made);
    return made;
  };
  const readRecord = (value: Json, at?: string): Json => {
    const plain = holdsNames(at) ? value : plainRecord(value, at, resolve);
    return Object.fromEntries(
      Object.entries(plain).map(([key, member]) => [
        key,
        literalKeywords.has(key) && !holdsNames(at) ? member : read(member, key),
      ]),
    );
  };
  return read(whole) as Json;
}

function plainRecord(value: Json, at: string | undefined, resolve: Resolve): Json {
  if (at === "content") return oneMedia(value);
  if (typeof value.in === "string" && isRecord(value.content) && value.schema === undefined) {
    const [entry] = Object.values(oneMedia(value.content));
    const { content: _, ...parameter } = value;
    return { ...parameter, schema: isRecord(entry) ? (entry.schema ?? {}) : {} };
  }
  const { $ref: reference, ...beside } = value;
  if (typeof reference === "string" && makesType(beside))
    return withTypedValues(mergedAllOf({ allOf: [{ $ref: reference }, beside] }, resolve));
  return withTypedValues(
    Array.isArray(value.allOf)
      ? mergedAllOf(withoutHeirs(value), resolve)
      : withMapping(withoutHeirs(value), resolve),
  );
}

function withTypedValues(schema: Json): Json {
  const { enum: _, const: __, ...others } = schema;
  const values = enumerationOf(schema);
  return Object.keys(others).length === Object.keys(schema).length
    ? schema
    : { ...others, ...(values && { enum: values }) };
}

/**
 * A discriminator chooses among the members of a `oneOf`. Of one without members, which the heirs of the schema name in
 * `allOf`, openapi-typescript makes an `Omit` that loses all properties where more are allowed.
 */
function withoutHeirs(schema: Json): Json {
  if (!isRecord(schema.discriminator) || Array.isArray(schema.oneOf)) return schema;
  const { discriminator: _, ...others } = schema;
  return others;
}

function oneMedia(content: Json): Json {
  const media = usedMedia(Object.keys(content));
  return media === undefined ? content : { [media]: content[media] };
}
