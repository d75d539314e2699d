/**
 * A shape: the statements of a JSON Schema that bindings use (OpenAPI 3.1 §4.8.24, JSON Schema 2020-12).
 * `read-shape.ts` reads shapes from a document.
 */
import { membersOf } from "../../../shared/json-object.ts";
import { childValue, type RestNode } from "../document.ts";
import { lazy } from "./lazy.ts";
import { identityOf, type ShapeIdentity } from "./shape-identity.ts";

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array";

export type Property = {
  readonly name: string;
  readonly node: RestNode;
  readonly required: boolean;
  /** `readOnly` properties stand only in responses, `writeOnly` properties only in requests (OpenAPI 3.1 §4.8.24). */
  readonly only?: "response" | "request";
  /** `required` names the property and `properties` does not: its schema is unknown. */
  readonly isUndeclared?: true;
  readonly shape: Shape;
};

/** What may lead back to the shape, and is read when somebody asks for it. */
type Lazy = "properties" | "items" | "entry" | "members" | "variants";

/** What a shape is made of. */
type Statements = Pick<Shape, "node"> &
  Partial<Omit<Shape, Lazy | "types" | "hasMembers" | "with">> & {
    readonly types?: Iterable<JsonType>;
  } & { readonly [Part in Lazy]?: () => Shape[Part] };

/** A use of a schema: the schema's statements, and whether this use allows null. */
export class Shape {
  /** The schema that findings point at. Different shapes may have one node; `identity` tells shapes apart. */
  readonly node: RestNode;
  readonly identity: ShapeIdentity;
  /** Allowed types besides null; empty: the schema allows any type. */
  readonly types: ReadonlySet<JsonType>;
  /** Why no value meets all members of an `allOf`, as messages say it. The types are empty then. */
  readonly contradiction?: string;
  readonly nullable: boolean;
  readonly format?: string;
  /** Allowed values besides null. */
  readonly values?: readonly unknown[];
  /** No object has an undeclared property (`additionalProperties: false`). */
  readonly isClosed: boolean;
  /** `maximum`, `maxLength`, `pattern`, `maxItems`, … and `default`, as the document writes them. */
  readonly limits: Readonly<Record<string, unknown>>;
  /** The statements on the size of an integer. An integer of the shape meets at least one of them. */
  readonly integers: readonly IntegerStatement[];
  readonly #statements: Statements;

  constructor(statements: Statements) {
    const { node, identity = identityOf(node), types = [], nullable = false, limits = {} } = statements;
    this.node = node;
    this.identity = identity;
    this.types = new Set(types);
    this.contradiction = this.types.size === 0 ? statements.contradiction : undefined;
    this.nullable = nullable;
    this.format = statements.format;
    this.values = statements.values;
    this.isClosed = statements.isClosed === true;
    this.limits = limits;
    this.integers = statements.integers ?? [{ limits, examples: [] }];
    const { properties = () => new Map(), items, entry, members, variants } = statements;
    this.#statements = {
      ...statements,
      properties: lazy(properties),
      ...(items && { items: lazy(items) }),
      ...(entry && { entry: lazy(entry) }),
      ...(members && { members: lazy(members) }),
      ...(variants && { variants: lazy(variants) }),
    };
  }

  get properties(): ReadonlyMap<string, Property> {
    return this.#statements.properties?.() ?? new Map();
  }

  get items(): Shape | undefined {
    return this.#statements.items?.();
  }

  /** A map (`additionalProperties`, `patternProperties`): the made object of the key and the value of an undeclared property. */
  get entry(): Shape | undefined {
    return this.#statements.entry?.();
  }

  /** The shapes of which a value has at least one, if there are several. */
  get members(): readonly Shape[] | undefined {
    return this.#statements.members?.();
  }

  /** Whether there are members, without making them. */
  get hasMembers(): boolean {
    return this.#statements.members !== undefined;
  }

  get variants(): Variants | undefined {
    return this.#statements.variants?.();
  }

  /** The same shape with other statements. */
  with(changes: Partial<Statements>): Shape {
    return new Shape({ ...this.#statements, ...changes });
  }
}

/** The size that a schema states for an integer: `format`, `enum`, `minimum`, `maximum` and the like. */
export type IntegerStatement = Pick<Shape, "format" | "values" | "limits"> & {
  /** Values that the document shows: they prove that such integers occur. */
  readonly examples: readonly unknown[];
};

/** One member of a `oneOf`: its shape, its schema's name and the discriminator values that select it. */
export type Variant = {
  /** The entry of the `oneOf` list; `shape.node` is the schema that the entry refers to. */
  readonly node: RestNode;
  readonly shape: Shape;
  readonly name?: string;
  readonly values: readonly string[];
  /** Discriminator values that the member's schema allows and the mapping does not list. */
  readonly unmapped: readonly string[];
};

export type Variants = {
  /** The name of the discriminator's property (OpenAPI 3.1 §4.8.25). */
  readonly property?: string;
  readonly members: readonly Variant[];
};

/** A property with a known schema; `undefined` if only `required` names it. */
export function declaredProperty({ properties }: Shape, name: string): Property | undefined {
  const found = properties.get(name);
  return found?.isUndeclared ? undefined : found;
}

/** The properties with a known schema: what a misspelt name may have meant. */
export const declaredNames = (shape: Shape): string[] => declaredOf(shape).map(({ name }) => name);

const declaredOf = ({ properties }: Shape): Property[] =>
  [...properties.values()].filter(({ isUndeclared }) => !isUndeclared);

/** The properties with a known schema that a response may have. */
export const responseProperties = (shape: Shape): Property[] =>
  declaredOf(shape).filter(({ only }) => only !== "request");

/** The properties with a known schema that a request may have. */
export const requestProperties = (shape: Shape): Property[] =>
  declaredOf(shape).filter(({ only }) => only !== "response");

/** Whether REST refuses an object of a request that lacks the property. */
export const isRequiredOfRequest = ({ required, only }: Property): boolean => required && only !== "response";

/** Whether every value besides null is of this type. */
export const isOnly = ({ types }: Shape, type: JsonType): boolean => types.size === 1 && types.has(type);

/** Whether `types` include `type`. An integer is also a number. */
export const acceptsType = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === "integer" && types.has("number"));

/** Whether `to` accepts every type of `from`. A shape without types fits every other. */
export const typesFit = (from: Shape, to: Shape): boolean =>
  from.types.size === 0 ||
  to.types.size === 0 ||
  [...from.types].every((type) => acceptsType(to.types, type));

/** Like `typesFit`, for a value that is sent as text: there an integer is a string too. */
export const textFits = (from: Shape, to: Shape): boolean =>
  typesFit(from, to) || (isOnly(from, "integer") && to.types.has("string"));

/** The types as messages name them. */
export const typeText = ({ types, contradiction = "anything" }: Shape): string =>
  [...types].sort().join(" or ") || contradiction;

/** Formats that state the width of a number (OpenAPI Format Registry). */
export const numberFormats: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** Stands for the schema of a broken `$ref`. `document-faults.ts` reports the reference. */
export const unresolvedSchema = Object.freeze({});

/** The node at `steps` below `node`, which must exist. No `$ref` is followed. */
export const nodeBelow = (node: RestNode, ...steps: (string | number)[]): RestNode => ({
  file: node.file,
  path: [...node.path, ...steps],
  value: steps.reduce<unknown>((value, step) => childValue(value, step), node.value),
});

/** The same shape with another `nullable`. */
export const withNullable = (shape: Shape, nullable: boolean): Shape =>
  shape.nullable === nullable ? shape : shape.with({ nullable });

/** Makes a property of a shape, whose own shape is computed on its first read. */
export function makeProperty(
  name: string,
  node: RestNode,
  required: boolean,
  make: () => Shape,
  only: Property["only"] | null = onlyIn(node) ?? null,
): Property {
  const shape = lazy(make);
  return {
    name,
    node,
    required,
    ...(only && { only }),
    get shape() {
      return shape();
    },
  };
}

function onlyIn({ value }: RestNode): Property["only"] {
  const { readOnly, writeOnly } = membersOf(value);
  return readOnly === true ? "response" : writeOnly === true ? "request" : undefined;
}
