/** A shape contains the parts of a JSON Schema that bindings use (OpenAPI 3.1 §4.8.24, JSON Schema 2020-12). */
import { membersOf } from "../../../shared/json-object.ts";
import { childValue, type RestNode } from "../document.ts";
import { lazy } from "./lazy.ts";
import { identityOf, type ShapeIdentity } from "./shape-identity.ts";

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array";

export type Property = {
  readonly name: string;
  readonly node: RestNode;
  readonly required: boolean;
  /** `readOnly` → `response`, `writeOnly` → `request` (OpenAPI 3.1 §4.8.24). */
  readonly only?: "response" | "request";
  /** If true, the property's name is in `required`, but not in `properties`, so the schema of the property is unknown. */
  readonly isUndeclared?: true;
  readonly shape: Shape;
};

/** A constraint that `Shape` does not model, such as `not` or `minProperties`. `node` is the schema that contains the keyword. */
export type Condition = { readonly keyword: string; readonly node: RestNode };

/** Members that may refer back to the shape, and are therefore computed on demand. */
type Lazy = "properties" | "items" | "entry" | "members" | "variants";

type Statements = Pick<Shape, "node"> &
  Partial<Omit<Shape, Lazy | "types" | "hasMembers" | "with">> & {
    readonly types?: Iterable<JsonType>;
  } & { readonly [Part in Lazy]?: () => Shape[Part] };

/** A schema as used at one place of the document. Another place may use the same schema but disallow null. */
export class Shape {
  /** The schema that findings point at. The `identity`, not the node, identifies the shape. */
  readonly node: RestNode;
  readonly identity: ShapeIdentity;
  /** The allowed types besides null; empty if any type is allowed. */
  readonly types: ReadonlySet<JsonType>;
  /** Present if the members of an `allOf` contradict each other: the reason, as text for messages. `types` is then empty. */
  readonly contradiction?: string;
  readonly nullable: boolean;
  readonly format?: string;
  /** The allowed values besides null. */
  readonly values?: readonly unknown[];
  /** Whether undeclared properties are forbidden (`additionalProperties: false`). */
  readonly isClosed: boolean;
  /** Whether the schema restricts its values only by their types. */
  readonly isOnlyTyped: boolean;
  /** `maximum`, `maxLength`, `pattern`, `maxItems` and other limits, and `default`. */
  readonly limits: Readonly<Record<string, unknown>>;
  readonly conditions: readonly Condition[];
  /** Alternative constraints on the size of an integer. Every integer that the schema allows satisfies at least one of them. */
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
    this.isOnlyTyped = statements.isOnlyTyped === true;
    this.limits = limits;
    this.conditions = statements.conditions ?? [];
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

  /** The shape of a map's entries: an object with the key and the value of an undeclared property (`map-entries.ts`). */
  get entry(): Shape | undefined {
    return this.#statements.entry?.();
  }

  /** The alternatives (`oneOf`, `anyOf`). A value satisfies at least one of these shapes. */
  get members(): readonly Shape[] | undefined {
    return this.#statements.members?.();
  }

  /** Whether the shape has `members`. Does not compute them. */
  get hasMembers(): boolean {
    return this.#statements.members !== undefined;
  }

  get variants(): Variants | undefined {
    return this.#statements.variants?.();
  }

  with(changes: Partial<Statements>): Shape {
    return new Shape({ ...this.#statements, ...changes });
  }
}

/** A schema's constraints on the size of an integer: `format`, `enum`, `minimum`, `maximum` and others. */
export type IntegerStatement = Pick<Shape, "format" | "values" | "limits"> & {
  /** Example values, which prove that integers of this size occur. */
  readonly examples: readonly unknown[];
};

/** A member of a `oneOf`: its shape, the name of its schema, and the discriminator values that select it. */
export type Variant = {
  /** The entry of the `oneOf` list; `shape.node` is the schema that the entry refers to. */
  readonly node: RestNode;
  readonly shape: Shape;
  readonly name?: string;
  readonly values: readonly string[];
  /** Discriminator values that the member's schema allows, but the mapping omits. */
  readonly unmapped: readonly string[];
  /** The member is selected if the discriminator is absent or has an unknown value (OpenAPI 3.2 §4.25, `defaultMapping`). */
  readonly isDefault?: true;
};

export type Variants = {
  /** The name of the discriminator's property (OpenAPI 3.1 §4.8.25), if there is one. */
  readonly property?: string;
  readonly members: readonly Variant[];
};

/** Returns a property with a known schema; `undefined` if the property occurs only in `required`. */
export function declaredProperty({ properties }: Shape, name: string): Property | undefined {
  const found = properties.get(name);
  return found?.isUndeclared ? undefined : found;
}

/** The names of properties with a known schema, as suggestions for misspelt names. */
export const declaredNames = (shape: Shape): string[] => declaredOf(shape).map(({ name }) => name);

const declaredOf = ({ properties }: Shape): Property[] =>
  [...properties.values()].filter(({ isUndeclared }) => !isUndeclared);

/** The properties with a known schema that responses may have. */
export const responseProperties = (shape: Shape): Property[] =>
  declaredOf(shape).filter(({ only }) => only !== "request");

/** The properties with a known schema that requests may have. */
export const requestProperties = (shape: Shape): Property[] =>
  declaredOf(shape).filter(({ only }) => only !== "response");

/** Whether REST rejects a request object without the property. */
export const isRequiredOfRequest = ({ required, only }: Property): boolean => required && only !== "response";

/** Whether every non-null value is of this type. */
export const isOnly = ({ types }: Shape, type: JsonType): boolean => types.size === 1 && types.has(type);

/**
 * Whether all values are numbers or integers. Generators for languages with a single number type write `number` for integers too.
 */
export const isNumeric = ({ types }: Shape): boolean =>
  types.size > 0 && [...types].every((type) => type === "integer" || type === "number");

/** Whether `types` allow values of this type. The type `number` also allows integers. */
export const acceptsType = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === "integer" && types.has("number"));

/** Whether `to` accepts every type of `from`. A shape without types allows any type. */
export const typesFit = (from: Shape, to: Shape): boolean =>
  from.types.size === 0 ||
  to.types.size === 0 ||
  [...from.types].every((type) => acceptsType(to.types, type));

/** Like `typesFit`, but for values that are sent as text. For example, an integer then also fits a string. */
export const textFits = (from: Shape, to: Shape): boolean =>
  typesFit(from, to) || (isOnly(from, "integer") && to.types.has("string"));

export const typeText = ({ types, contradiction = "anything" }: Shape): string =>
  [...types].sort().join(" or ") || contradiction;

export function describeShape(shape: Shape): string {
  const format = shape.format ? ` (${shape.format})` : "";
  return typeText(shape) + format;
}

/** Formats that define the width of a number (OpenAPI Format Registry). */
export const numberFormats: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** Replaces the schema of a broken `$ref`, which `document-faults.ts` reports. */
export const unresolvedSchema = Object.freeze({});

/** Returns the node at the path `steps` below `node`, which must exist. Does not follow `$ref`s. */
export const nodeBelow = (node: RestNode, ...steps: (string | number)[]): RestNode => ({
  file: node.file,
  path: [...node.path, ...steps],
  value: steps.reduce<unknown>((value, step) => childValue(value, step), node.value),
});

export const withNullable = (shape: Shape, nullable: boolean): Shape =>
  shape.nullable === nullable ? shape : shape.with({ nullable });

/** Creates a property that computes its shape lazily. */
export function makeProperty(
  { name, node, required, only }: Pick<Property, "name" | "node" | "required" | "only">,
  make: () => Shape,
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

/** Returns the value of `Property.only` for a schema. */
export function onlyIn({ value }: RestNode): Property["only"] {
  const { readOnly, writeOnly } = membersOf(value);
  return readOnly === true ? "response" : writeOnly === true ? "request" : undefined;
}
