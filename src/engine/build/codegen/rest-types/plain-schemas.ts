/**
 * Writes `Shape`s as schemas without `allOf` and without siblings of `$ref`, so that openapi-typescript prints exactly the types
 * that the binder checks. A schema that is used twice, or that contains itself, becomes a component.
 */
import { membersOf } from "../../../shared/json-object.ts";
import { Dictionary } from "../../../shared/own.ts";
import { componentName, componentNames } from "../../openapi/component-names.ts";
import type { RestDocument, RestNode } from "../../openapi/document.ts";
import { escapePointer } from "../../openapi/json-pointer.ts";
import { shapeAt } from "../../openapi/shapes/read-shape.ts";
import {
  type JsonType,
  type Property,
  type Shape,
  type Variant,
  withNullable,
} from "../../openapi/shapes/shape.ts";
import { guarded } from "../inherited-names.ts";

export type PlainSchema = Record<string, unknown>;

/** A schema that was written inline at its first use. `name`: the component to which the second use moves the schema. */
type Written = { readonly schema: Dictionary<unknown>; isDone: boolean; name?: string };

export class PlainSchemas {
  readonly #document: RestDocument;
  /** The component schemas by name, in the document's order; `undefined` for a component that is not used yet. */
  readonly #components: Map<string, PlainSchema | undefined>;
  readonly #written = new Map<string, Written>();
  /** Components still to be written. A queue, because recursion along a chain of `$ref`s can overflow the stack. */
  readonly #waiting: (readonly [name: string, shape: Shape])[] = [];

  constructor(document: RestDocument) {
    this.#document = document;
    this.#components = new Map(componentNames(document).map((name) => [name, undefined]));
  }

  /** Returns the components to which the schemas written so far refer. */
  components(): PlainSchema {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const [name, shape] = next;
      this.#components.set(name, {
        ...annotationsOf(shape.node),
        ...orNull(this.#inline(shape), shape.nullable),
      });
    }
    const used = [...this.#components].filter(([, schema]) => schema !== undefined);
    return Object.fromEntries(used.map(([name, schema]) => [guarded(name), schema]));
  }

  /** Returns the schema inline, or a `$ref` to its component. */
  of(shape: Shape): PlainSchema {
    const name = componentName(this.#document, shape);
    if (name !== undefined) {
      const own = shapeAt(this.#document, shape.node);
      if (this.#components.get(name) === undefined) {
        this.#components.set(name, {});
        this.#waiting.push([name, own]);
      }
      if (!own.nullable || shape.nullable) return orNull(referenceTo(name), shape.nullable && !own.nullable);
    }
    return orNull(isScalar(shape) ? this.#inline(shape) : this.#once(shape), shape.nullable);
  }

  /** Writes a schema inline at its first use, and moves it to a component at its second use. */
  #once(shape: Shape): PlainSchema {
    const key = shape.identity.text;
    const known = this.#written.get(key);
    if (known) {
      known.name ??= this.#freeName(shape);
      if (known.isDone) this.#move(known, known.name);
      return referenceTo(known.name);
    }
    const written: Written = { schema: new Dictionary(), isDone: false };
    this.#written.set(key, written);
    Object.assign(written.schema, this.#inline(shape));
    written.isDone = true;
    if (written.name !== undefined) this.#move(written, written.name);
    return written.schema;
  }

  #move({ schema }: Written, name: string): void {
    if (this.#components.get(name) !== undefined) return;
    this.#components.set(name, { ...schema });
    for (const keyword of Object.keys(schema)) delete schema[keyword];
    Object.assign(schema, referenceTo(name));
  }

  #freeName({ node }: Shape): string {
    const root = this.#document.rootAt(node);
    const path = [...(root ? [root.name ?? []].flat() : [node.file]), ...node.path].join(".");
    const wanted = path.replaceAll(/[^\w.-]+/g, "-");
    let name = wanted;
    for (let number = 2; this.#components.has(name); number++) name = `${wanted}.${number}`;
    this.#components.set(name, undefined);
    return name;
  }

  /** Returns the schema written out, not as a `$ref` to a component. Null is left out. */
  #inline(shape: Shape): PlainSchema {
    const { types, values, members = [], variants } = shape;
    if (isScalar(shape))
      return { ...(types.size > 0 && { type: oneOrAll([...types]) }), ...(values && { enum: values }) };
    if (variants) return oneOf(variants.members.map((member) => this.#variant(member, variants.property)));
    if (members.length > 0) return oneOf(members.map((member) => this.of(withNullable(member, false))));
    return oneOf([...types].map((type) => this.#ofType(shape, type)));
  }

  /** Restricts a member of a union to its discriminator values. */
  #variant({ shape, values }: Variant, property: string | undefined): PlainSchema {
    const schema = this.of(withNullable(shape, false));
    const stated = property === undefined ? undefined : shape.properties.get(property);
    const isStated =
      stated?.required && stated.shape.values?.every((value) => values.includes(String(value)));
    if (property === undefined || values.length === 0 || isStated) return schema;
    const name = guarded(property);
    const chosen = {
      type: "object",
      properties: { [name]: { type: "string", enum: values } },
      required: [name],
    };
    return { allOf: [chosen, schema] };
  }

  #ofType(shape: Shape, type: JsonType): PlainSchema {
    if (type === "array") {
      const { items } = shape;
      return { type, ...(items && !isRecursiveList(items) && { items: this.of(items) }) };
    }
    if (type !== "object") return { type };
    const properties = [...shape.properties.values()];
    const others = shape.entry?.properties.get("value")?.shape;
    const required = properties.flatMap((each) => (each.required ? [guarded(each.name)] : []));
    // TypeScript requires that the index signature (`additionalProperties`) includes the types of the declared properties
    const indexed = others && [others, ...properties.map((each) => each.shape)];
    return {
      type,
      properties: Object.fromEntries(properties.map((each) => [guarded(each.name), this.#property(each)])),
      ...(required.length > 0 && { required }),
      ...(indexed && { additionalProperties: oneOf(indexed.map((each) => this.of(each))) }),
      ...(!indexed && properties.length === 0 && { additionalProperties: true }),
    };
  }

  #property({ node, shape, only }: Property): PlainSchema {
    return { ...annotationsOf(node), ...this.of(shape), ...(only === "response" && { readOnly: true }) };
  }
}

/** Whether the shape allows neither objects nor arrays. */
const isScalar = ({ types }: Shape): boolean => !types.has("object") && !types.has("array");

const oneOrAll = <T>(all: readonly T[]): T | readonly T[] =>
  all.length === 1 && all[0] !== undefined ? all[0] : all;

/** Returns a `oneOf` of the distinct schemas, or the schema if there is only one. */
function oneOf(schemas: readonly PlainSchema[]): PlainSchema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only] = different;
  return only && different.length === 1 ? only : { oneOf: different };
}

const orNull = (schema: PlainSchema, isNullable: boolean): PlainSchema => {
  if (!isNullable || Object.keys(schema).length === 0) return schema;
  return { ...("enum" in schema || "type" in schema ? schema : { oneOf: [schema] }), nullable: true };
};

const referenceTo = (name: string): PlainSchema => ({
  $ref: `#/components/schemas/${encodeURIComponent(escapePointer(guarded(name)))}`,
});

/** Annotations that openapi-typescript prints as comments. */
export function annotationsOf({ value }: RestNode): PlainSchema {
  const said = membersOf(value);
  const { title, summary, description, format, deprecated, default: usual, example } = said;
  const texts = { title, summary, description, format };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string")),
    ...(deprecated === true && { deprecated }),
    ...(usual !== undefined && { default: usual }),
    ...(example !== undefined && { example }),
    ...(Array.isArray(said.examples) && { examples: said.examples }),
  };
}

// In some schemas, an item of a list may match the list's own schema. TypeScript rejects this type in a property, so the items
// become `unknown`.

/** Whether an item may match the list's own schema, itself or in a union. */
function isRecursiveList(entries: Shape): boolean {
  const met = new Set<string>();
  const waiting = nextOf(entries);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { text } = next.identity;
    if (text === entries.identity.text) return true;
    if (!met.has(text)) waiting.push(...nextOf(next));
    met.add(text);
  }
  return false;
}

/** The members of a union, or the items of a list. */
function nextOf({ variants, members = [], items }: Shape): Shape[] {
  if (variants) return variants.members.map(({ shape }) => shape);
  if (members.length > 0) return [...members];
  return items ? [items] : [];
}
