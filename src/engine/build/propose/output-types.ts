/** Builds the GraphQL types for a REST response. */
import { printable } from "../../shared/cli/printable.ts";
import type { Model } from "../bind/model.ts";
import { hasDiscriminator } from "../bind/outputs/bind-abstract.ts";
import { connectionShape, pageOfBareList } from "../bind/outputs/connection-shape.ts";
import { exceedsFloat } from "../bind/scalar-rules.ts";
import { matchesVariantName, variantName } from "../bind/variant-names.ts";
import { discriminate } from "../openapi/shapes/discriminate.ts";
import { entriesShape, isMap } from "../openapi/shapes/map-entries.ts";
import {
  declaredProperty,
  isOnly,
  type Property,
  responseProperties,
  type Shape,
  type Variants,
} from "../openapi/shapes/shape.ts";
import { fieldName, isIdName, restNameDirective, typeName } from "../schema/graphql-names.ts";
import type { FoundPage } from "./pages.ts";
import { deprecatedDirective, descriptionLines, uniqueNames } from "./proposed-names.ts";
import { scalarType } from "./scalar-types.ts";
import { componentOf, describedBy, descriptionOf, type TypeDefinitions } from "./type-definitions.ts";

export const entriesDirective = (shape: Shape): string => (isMap(shape) ? " @restEntries" : "");

/** Whether an integer without a format may exceed 32 bits: its name or description suggests a timestamp or a number of bytes. */
function mayExceedInt({ format, limits, node }: Shape, name: string): boolean {
  if (format !== undefined || limits.maximum !== undefined) return false;
  return (
    /(?:At|Time|Timestamp|Date|Ms|Millis|Milliseconds|Nanos|Bytes)$/.test(name) ||
    /\b(?:milli|micro|nano)seconds?\b|\bunix\b|\bepoch\b|\btimestamp\b|\bbytes\b/i.test(
      String(descriptionOf(node)),
    )
  );
}

const roundedComment =
  "  # A Float rounds integers beyond 2^53, and REST may send 64 bits: an ID would be exact.";

/** Names of counts, sizes and page positions, which stay below 2^53 even if their format allows more. */
const boundedName =
  /(?:^|_|(?<=[a-z]))(?:totals?|counts?|limit|offset|page|pages|size|length|index|position|width|height|age|days|hours|minutes|seconds)(?:$|_|(?=[A-Z]))/i;

/** Whether `Float` may round the value or, for a list, its items. */
const isRounded = (shape: Shape): boolean => (shape.items ? isRounded(shape.items) : exceedsFloat(shape));

const fitsId = (shape: Shape): boolean => isOnly(shape, "string") || isOnly(shape, "integer");

export class OutputTypes {
  readonly #definitions: TypeDefinitions;
  constructor(definitions: TypeDefinitions) {
    this.#definitions = definitions;
  }

  /** Returns the output type for a REST value, without a `!` at the end. */
  output(shape: Shape, wanted: string): string {
    if (shape.types.has("array")) {
      const items = shape.items;
      if (!items || shape.types.size > 1) return this.#definitions.json();
      return `[${this.output(items, wanted)}${items.nullable ? "" : "!"}]`;
    }
    if (isMap(shape)) return this.#entries(entriesShape(shape)?.items as Shape, `${wanted}Entry`);
    if (isOnly(shape, "object")) return this.#union(shape, wanted) ?? this.#object(shape, wanted);
    const scalar = scalarType(this.#definitions, shape, wanted);
    return scalar === "Int" && mayExceedInt(shape, wanted) ? "Float" : scalar;
  }

  /** The connection type for a page, including the page's other properties. */
  connection({ shape, list, paths }: FoundPage, operationName: string): string {
    const items = list.shape.items as Shape;
    const page = shape ?? pageOfBareList(list.shape, items);
    const item = isMap(items) ? this.#definitions.json() : this.output(items, operationName);
    const isObject = items.types.has("object") && /^(?!JSON$)\w+$/.test(item);
    const owner = isObject ? item : typeName((shape && componentOf(shape)) ?? operationName);
    const connection = connectionShape(page, { shape: list.shape, optional: !list.required }, items);
    const edges = declaredProperty(connection, "edges")?.shape;
    const pageInfo = declaredProperty(connection, "pageInfo")?.shape;
    const edge = this.#addedType(edges?.items as Shape, `${owner}Edge`, [
      `  node: ${item}${items.nullable ? "" : "!"}`,
      "  cursor: String!",
    ]);
    const info = this.#addedType(
      pageInfo as Shape,
      "PageInfo",
      ["  hasNextPage: Boolean!", "  hasPreviousPage: Boolean!"].concat(
        "  startCursor: String",
        "  endCursor: String",
      ),
    );
    const shown = list.required && !list.shape.nullable ? "!" : "";
    const own = ["edges", "nodes", "pageInfo"];
    // an object with a value that the connection reads is shown only if it has other properties, such as a total
    const { total: _, ...others } = paths; // clients show the total
    const read = Object.values(others).map((path) => path.split("."));
    const isRead = ({ name, shape }: Property): boolean =>
      read.some(
        ([step, ...inner]) => step === name && (inner.length === 0 || responseProperties(shape).length === 1),
      );
    const shownProperties = responseProperties(page).filter(
      (each) => !own.includes(each.name) && !isRead(each),
    );
    const names = uniqueNames(
      shownProperties.map(({ name }) => name),
      fieldName,
      own,
    );
    return this.#addedType(connection, `${owner}Connection`, [
      `  edges: [${edge}!]${shown}`,
      `  nodes: [${item}${items.nullable ? "" : "!"}]${shown}`,
      `  pageInfo: ${info}!`,
      ...shownProperties.flatMap((each, index) =>
        this.#field(names[index] ?? each.name, each, `${owner}Connection`, connection.properties.keys()),
      ),
    ]);
  }

  /** The list type for the entries of a map. */
  #entries(entry: Shape, wanted: string): string {
    const fields = [...entry.properties.values()];
    const type =
      this.#known(entry) ??
      this.#definitions.define(entry, wanted, "", (name) => [
        `type ${name} {`,
        ...fields.flatMap((property) => this.#field(property.name, property, name, [])),
        "}",
      ]);
    return `[${type}!]`;
  }

  /** Defines an object type that a connection needs. `fields` has the indented lines of its fields. */
  #addedType(shape: Shape, wanted: string, fields: readonly string[]): string {
    return this.#known(shape) ?? this.#definitions.defineByFields(shape, wanted, fields);
  }

  /** Returns the union for the schema; `undefined` if the binder could not resolve the member type of each value. */
  #union(shape: Shape, wanted: string): string | undefined {
    const variants = shape.variants && discriminate(shape.variants);
    if (!variants) return undefined;
    const { property, members } = variants;
    const names = members.map(
      (member) =>
        this.#known(member.shape) ?? this.#definitions.nameFor(member.shape, variantName(member), ""),
    );
    if (!isUnion(shape, variants, names)) return undefined;
    const known = matchingUnion(this.#definitions.model, variants, names);
    if (known !== undefined) return known;
    for (const member of members) this.#object(member.shape, variantName(member), property);
    return this.#definitions.define(shape, wanted, "", (name) => [
      ...descriptionLines(descriptionOf(shape.node), ""),
      `union ${name} = ${names.join(" | ")}`,
    ]);
  }

  /**
   * Defines an object type. Omits the discriminator field if there are other fields, because the type's name implies its value.
   */
  #object(shape: Shape, wanted: string, discriminator?: string): string {
    const known = this.#known(shape);
    if (known !== undefined) return known;
    const all = responseProperties(shape);
    if (all.length === 0) return this.#definitions.json();
    const others = all.filter(({ name }) => name !== discriminator);
    const fields = others.length > 0 ? others : all;
    return this.#definitions.define(shape, wanted, "", (name) => [
      ...sharedFieldsComment(shape),
      ...descriptionLines(descriptionOf(shape.node), ""),
      `type ${name} {`,
      ...uniqueNames(
        fields.map((property) => property.name),
        fieldName,
      ).flatMap((own, index) => this.#field(own, fields[index] as Property, name, shape.properties.keys())),
      "}",
    ]);
  }

  /** An existing type that is bound to the same REST schema. */
  #known({ identity }: Shape): string | undefined {
    const known = [...this.#definitions.model.backings].find(([, backings]) =>
      backings.some((backing) => backing.shape.identity.text === identity.text),
    );
    return known?.[0];
  }

  #field(own: string, property: Property, owner: string, names: Iterable<string>): string[] {
    const { name, shape, required } = property;
    const plain = this.output(shape, owner + typeName(name));
    const isId = isIdName(name) && fitsId(shape.items ?? shape);
    const type =
      (isId ? plain.replace(/^(\[?)(?:String|Int|Float)(?=!?\]?$)/, "$1ID") : plain) +
      (required && !shape.nullable ? "!" : "");
    return [
      ...(type.includes("Float") && isRounded(shape) && !boundedName.test(name)
        ? this.#definitions.once(roundedComment, "  # A Float, too.")
        : []),
      ...descriptionLines(describedBy(property), "  "),
      `  ${own}: ${type}${restNameDirective(own, name, names)}${entriesDirective(shape)}${deprecatedDirective(property.node, shape.node)}`,
    ];
  }
}

/** Whether the binder can resolve the member type of every value. `names` has a type for each variant, in order. */
function isUnion({ properties }: Shape, { property, members }: Variants, names: readonly string[]): boolean {
  return (
    new Set(names).size === members.length &&
    members.every(
      (member, index) =>
        (property === undefined || hasDiscriminator(member, property)) &&
        (property === undefined ? member.shape.properties.size : member.values.length) > 0 &&
        member.unmapped.length === 0 &&
        matchesVariantName(names[index] ?? "", member) &&
        // each property that is declared beside the `oneOf` must also be a property of the member
        [...properties.keys()].every((name) => member.shape.properties.has(name)),
    )
  );
}

/** An existing union or interface that maps the same discriminator values to the same types. */
function matchingUnion(model: Model, variants: Variants, names: readonly string[]): string | undefined {
  const chosen = variants.members.flatMap(({ values }, index) =>
    values.map((value) => [value, names[index]] as const),
  );
  const known = [...model.abstracts.values()].find(
    ({ property, members, otherwise }) =>
      property === variants.property &&
      otherwise === names[variants.members.findIndex(({ values }) => values.length === 0)] &&
      members.size === chosen.length &&
      chosen.every(([value, name]) => members.get(value) === name),
  );
  return known?.name;
}

/**
 * The SDL comment above an object type that does not show all properties: it lacks those that only some members of a union have,
 * or undeclared ones (`additionalProperties`).
 */
function sharedFieldsComment({ variants, entry }: Shape): string[] {
  const isDescribed = (entry?.properties.get("value")?.shape.types.size ?? 0) > 0;
  const further = isDescribed
    ? ["# Without the further properties that REST may send (additionalProperties): no field shows them."]
    : [];
  if (!variants) return further;
  const names = variants.members.map(variantName).map(printable).join(", ");
  return [
    ...further,
    `# Only what REST's ${names} share: what each has of its own is left out. To show it, write a union, which needs`,
    "# in each of them a required property with values of its own, or one that no other can have, and a type named like each.",
  ];
}
