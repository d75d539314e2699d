/**
 * Converts `oneOf` and `anyOf` to a shape. A null member makes the shape nullable. A single other member without a
 * `discriminator` becomes the shape. Otherwise, the members become the shape's variants, and it has the properties that all of
 * them share.
 */

import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { type RestDocument, type RestNode, refOf } from "../document.ts";
import { escapePointer, unescapePointer } from "../json-pointer.ts";
import { mergeShapes, withIdentity } from "./merge-shapes.ts";
import {
  acceptsType,
  type Condition,
  type JsonType,
  makeProperty,
  type Property,
  Shape,
  type Variants,
  withNullable,
} from "./shape.ts";
import { composedIdentity } from "./shape-identity.ts";

export function foldVariants(
  document: RestDocument,
  base: Shape,
  shapes: readonly Member[],
  condition: Condition,
): Shape {
  const members = shapes.filter(({ node }) => !isNull(document.follow(node)?.value));
  const nullable = members.length < shapes.length || members.some(({ shape }) => shape.nullable);
  const [only] = members;
  if (!only) return base;
  const hasDiscriminator = membersOf(base.node.value).discriminator !== undefined;
  const folded =
    members.length === 1 && !hasDiscriminator
      ? only.shape
      : combineShapes(
          base.node,
          members.map(({ shape }) => shape),
          variantsOf(document, base.node, members),
        );
  const named = members.length === 1 && base.types.size === 0 && base.properties.size === 0 && !base.items;
  const allowsNull = base.nullable || (base.types.size === 0 && base.values === undefined);
  const both = mergeShapes(base, folded, named ? folded.node : base.node);
  const merged = members.length > 1 ? both.with({ conditions: [...both.conditions, condition] }) : both;
  const saysNothing = named && !base.values && !base.format && Object.keys(base.limits).length === 0;
  return withNullable(saysNothing ? withIdentity(merged, folded.identity) : merged, nullable && allowsNull);
}

const isNull = (value: unknown): boolean =>
  isRecord(value) &&
  (value.type === "null" ||
    value.const === null ||
    (Array.isArray(value.enum) && value.enum.every((item) => item === null)));

type Member = { node: RestNode; shape: Shape };

/** Returns a shape whose values satisfy at least one of `shapes`. */
function combineShapes(node: RestNode, shapes: readonly Shape[], variants?: Variants): Shape {
  const values = shapes.every((shape) => shape.values)
    ? [...new Set(shapes.flatMap((shape) => shape.values ?? []))]
    : undefined;
  const formats = new Set(shapes.map((shape) => shape.format));
  const [format] = formats;
  return new Shape({
    node,
    identity: composedIdentity(
      "oneOf",
      shapes.map((shape) => shape.identity),
      node,
    ),
    types: shapes.some((shape) => shape.types.size === 0) ? [] : shapes.flatMap((shape) => [...shape.types]),
    integers: shapes.flatMap((shape) => (allows(shape, "integer") ? shape.integers : [])),
    members: () => shapes,
    values,
    format: formats.size === 1 ? format : undefined,
    properties: () => sharedProperties(shapes),
    items: () => combineItems(shapes),
    ...(variants && { variants: () => variants }),
  });
}

const allows = ({ types }: Shape, type: JsonType): boolean => types.size === 0 || acceptsType(types, type);

/** Returns the shape of an array's items; `undefined` if a shape allows arrays of arbitrary items. */
function combineItems(shapes: readonly Shape[]): Shape | undefined {
  const arrays = shapes.filter((shape) => allows(shape, "array"));
  const items = arrays.flatMap((shape) => shape.items ?? []);
  return arrays.length === items.length ? combineNullable(items) : undefined;
}

/** Combines the shapes; the result is nullable if any of them is. Returns the first shape if all have the same identity. */
export function combineNullable(shapes: readonly Shape[]): Shape | undefined {
  const [first] = shapes;
  if (!first || shapes.length === 1) return first;
  const isSame = shapes.every(({ identity }) => identity.text === first.identity.text);
  return withNullable(
    isSame ? first : combineShapes(first.node, shapes),
    shapes.some((shape) => shape.nullable),
  );
}

/** Returns the properties that all shapes have. A property is required if all shapes require it. */
function sharedProperties(shapes: readonly Shape[]): Map<string, Property> {
  const [first, ...others] = shapes;
  const found = new Map<string, Property>();
  for (const [name, one] of first?.properties ?? []) {
    const rest = others.flatMap((shape) => shape.properties.get(name) ?? []);
    if (rest.length === others.length) found.set(name, combineProperties(one, rest));
  }
  return found;
}

function combineProperties(one: Property, others: readonly Property[]): Property {
  const all = [one, ...others];
  // if only some shapes declare the property `writeOnly`, their responses omit it even if it is required
  const isRequired = all.every(({ required, only }) => required && only === one.only);
  const only = all.every((each) => each.only === one.only) ? one.only : undefined;
  const make = (): Shape => combineNullable(all.map(({ shape }) => shape)) ?? one.shape;
  const combined = makeProperty({ name: one.name, node: one.node, required: isRequired, only }, make);
  // the schema is unknown if one of the shapes does not declare the property
  return all.some(({ isUndeclared }) => isUndeclared)
    ? Object.assign(combined, { isUndeclared: true })
    : combined;
}

function variantsOf(document: RestDocument, node: RestNode, members: readonly Member[]): Variants {
  const discriminator = membersOf(membersOf(node.value).discriminator);
  const name = typeof discriminator.propertyName === "string" ? discriminator.propertyName : undefined;
  const mapping = Object.entries(membersOf(discriminator.mapping));
  const targets = new Set(members.map(({ node: at }) => document.follow(at)?.value));
  const schemas = mapping.map(
    ([value, reference]) => [value, mappedSchema(document, node, String(reference))?.value] as const,
  );
  const mappedValues = new Set(
    schemas.flatMap(([value, schema]) => (targets.has(schema) && schema !== undefined ? [value] : [])),
  );
  const { defaultMapping } = discriminator;
  const byDefault =
    typeof defaultMapping === "string" ? mappedSchema(document, node, defaultMapping)?.value : undefined;
  return {
    ...(name !== undefined && { property: name }),
    members: members.map(({ node: at, shape }) => {
      const target = document.follow(at)?.value;
      const mapped = schemas.flatMap(([value, schema]) =>
        target !== undefined && target === schema ? [value] : [],
      );
      const stated =
        shape.properties.get(name ?? "")?.shape.values?.filter((value) => typeof value === "string") ?? [];
      // a member without a `$ref` is named after the schema that the mapping assigns to its discriminator value
      const reference = refOf(at.value) ?? mapping.find(([value]) => stated.includes(value))?.[1];
      const schemaName = typeof reference === "string" ? schemaNameOf(reference) : undefined;
      const values = mapped.length > 0 ? mapped : stated.length > 0 ? stated : schemaName ? [schemaName] : [];
      // a variant may inherit an enum that lists the values of all variants, so values that the mapping assigns to another
      // variant are not counted as unmapped
      const unmapped = stated.filter((value) => !values.includes(value) && !mappedValues.has(value));
      const isDefault = target !== undefined && target === byDefault;
      return {
        node: at,
        shape,
        values,
        unmapped,
        ...(schemaName && { name: schemaName }),
        ...(isDefault && { isDefault: true as const }),
      };
    }),
  };
}

/** Returns the name of a referenced schema: the last token of the JSON pointer, or the file's name without its extension. */
function schemaNameOf(reference: string): string | undefined {
  const [file = "", fragment = ""] = reference.split("#");
  const step =
    fragment.split("/").at(-1) ||
    file
      .split("/")
      .at(-1)
      ?.replace(/\.\w+$/, "");
  return step ? unescapePointer(step) : undefined;
}

/**
 * Resolves a value of a discriminator's mapping, which is a reference or the name of a component (OpenAPI 3.1 §4.8.25).
 * Components are tried first, because a name may look like a file name. If the file has no such component, the root document's is
 * used.
 */
export function mappedSchema(document: RestDocument, node: RestNode, text: string): RestNode | undefined {
  const refer = ($ref: string, file = node.file): RestNode | undefined =>
    document.follow({ file, path: node.path, value: { $ref } });
  const component = `#/components/schemas/${escapePointer(text)}`;
  const isName = /^[\w.-]+$/.test(text);
  return (
    (isName
      ? (refer(component) ?? refer(component, (document.rootAt(node) ?? document.root).file))
      : undefined) ?? (/[#/.]/.test(text) ? refer(/[#/]/.test(text) ? text : `./${text}`) : undefined)
  );
}
