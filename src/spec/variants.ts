/**
 * `oneOf` and `anyOf` folded into a shape: a null member makes it nullable, a single other member is that member,
 * several keep what all of them share and stand beside it as variants, with their discriminator if there is one.
 */
import { merge } from "./merge-shapes.ts";
import { isRecord, type RestDocument, type RestNode, refOf } from "./rest-document.ts";
import { cached, type Property, property, type Shape, type Variants, withNullable } from "./shape.ts";

export function foldVariants(document: RestDocument, base: Shape, shapes: readonly Member[]): Shape {
  const members = shapes.filter(({ node }) => !isNull(document.follow(node)?.value));
  const nullable = members.length < shapes.length || members.some(({ shape }) => shape.nullable);
  const [only] = members;
  if (!only) return base;
  const isTold = isRecord(base.node.value) && base.node.value.discriminator !== undefined;
  const folded =
    members.length === 1 && !isTold
      ? only.shape
      : join(base.node, members, variantsOf(document, base.node, members));
  const named = members.length === 1 && base.types.size === 0 && base.properties.size === 0;
  const allowsNull = base.nullable || (base.types.size === 0 && base.values === undefined);
  return withNullable(merge(base, folded, named ? folded.node : base.node), nullable && allowsNull);
}

const isNull = (value: unknown): boolean =>
  isRecord(value) &&
  (value.type === "null" ||
    value.const === null ||
    (Array.isArray(value.enum) && value.enum.every((item) => item === null)));

type Member = { node: RestNode; shape: Shape };

function join(node: RestNode, members: readonly Member[], variants?: Variants): Shape {
  const shapes = members.map((member) => member.shape);
  const values = shapes.every((shape) => shape.values)
    ? [...new Set(shapes.flatMap((shape) => shape.values ?? []))]
    : undefined;
  const formats = new Set(shapes.map((shape) => shape.format));
  const [format] = formats;
  return {
    node,
    types: new Set(
      shapes.some((shape) => shape.types.size === 0) ? [] : shapes.flatMap((shape) => [...shape.types]),
    ),
    nullable: false,
    limits: {},
    properties: shared(shapes),
    ...(variants && { variants }),
    ...(values && { values }),
    ...(format && formats.size === 1 && { format }),
    get items() {
      return cached(this, "items", shapes.every((shape) => shape.items) ? shapes[0]?.items : undefined);
    },
  };
}

/** The properties that every member has; required where all require it. */
function shared(shapes: readonly Shape[]): Map<string, Property> {
  const [first, ...others] = shapes;
  const found = new Map<string, Property>();
  for (const [name, one] of first?.properties ?? []) {
    const rest = others.map((shape) => shape.properties.get(name));
    if (rest.some((other) => !other)) continue;
    const all = [one, ...(rest as Property[])];
    const make = (): Shape => {
      const members = all.map((each) => ({ node: each.node, shape: each.shape }));
      const nullable = members.some(({ shape }) => shape.nullable);
      return withNullable(join(one.shape.node, members), nullable);
    };
    found.set(
      name,
      property(
        name,
        one.node,
        all.every((each) => each.required),
        make,
      ),
    );
  }
  return found;
}

function variantsOf(document: RestDocument, node: RestNode, members: readonly Member[]): Variants {
  const discriminator =
    isRecord(node.value) && isRecord(node.value.discriminator) ? node.value.discriminator : undefined;
  const name = typeof discriminator?.propertyName === "string" ? discriminator.propertyName : undefined;
  const mapping = isRecord(discriminator?.mapping) ? Object.entries(discriminator.mapping) : [];
  return {
    ...(name !== undefined && { property: name }),
    members: members.map(({ node: at, shape }) => {
      const target = document.follow(at)?.value;
      const mapped = mapping.flatMap(([value, reference]) =>
        target !== undefined && target === mappedSchema(document, node, String(reference))?.value
          ? [value]
          : [],
      );
      const stated =
        shape.properties.get(name ?? "")?.shape.values?.filter((value) => typeof value === "string") ?? [];
      // a member that is written in place has the name that the mapping gives its value
      const reference = refOf(at.value) ?? mapping.find(([value]) => stated.includes(value))?.[1];
      const schemaName = typeof reference === "string" ? reference.split("/").at(-1) : undefined;
      const values = mapped.length > 0 ? mapped : stated.length > 0 ? stated : schemaName ? [schemaName] : [];
      const unmapped = stated.filter((value) => !values.includes(value));
      return { node: at, shape, values, unmapped, ...(schemaName && { name: schemaName }) };
    }),
  };
}

/** A mapping value is a reference or a bare schema name; a reference to a file is one with a slash. */
export function mappedReference(text: string): string {
  if (!/[#/.]/.test(text)) return `#/components/schemas/${text}`;
  return /[#/]/.test(text) ? text : `./${text}`;
}

export const mappedSchema = (document: RestDocument, node: RestNode, text: string): RestNode | undefined =>
  document.follow({ file: node.file, path: node.path, value: { $ref: mappedReference(text) } });
