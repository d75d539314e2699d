/** Collects the type definitions for proposed fields, one per REST schema, and gives each an unused name. */
import { isEnumType, isIntrospectionType, isScalarType, specifiedScalarTypes } from "graphql";
import { dateScalars, dateScalarsUrl } from "../../shared/date-scalars.ts";
import { membersOf } from "../../shared/json-object.ts";
import { enumValues } from "../bind/enum-values.ts";
import type { Model } from "../bind/model.ts";
import { nodeKey, type RestNode } from "../openapi/document.ts";
import type { RestOperation } from "../openapi/operation.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import { splitWords, typeName } from "../schema/graphql-names.ts";
import { freeName, nameFrom } from "./proposed-names.ts";

export class TypeDefinitions {
  readonly sdl: string[] = [];
  readonly model: Model;
  #operation = "";
  /** The name of the operation's document, if there are several documents. */
  #document: string | undefined;
  readonly #names = new Map<string, string>();
  readonly #namesByFields = new Map<string, string>();
  readonly #taken: Set<string>;
  readonly #scalars = new Set<string>();
  readonly #comments = new Set<string>();
  /** The existing and proposed enums, by their values. */
  readonly #enums = new Map<string, NamedEnum[]>();
  #repeated: ReadonlyMap<string, string> | undefined;

  constructor(model: Model) {
    this.model = model;
    // a type named Query, Mutation or Subscription would become a root type
    this.#taken = new Set([
      ...Object.keys(model.schema.getTypeMap()),
      ...specifiedScalarTypes.map(({ name }) => name),
      "Query",
      "Mutation",
      "Subscription",
    ]);
    for (const type of Object.values(model.schema.getTypeMap()))
      if (isEnumType(type) && !isIntrospectionType(type))
        this.#addEnum([...enumValues(model.names, type).values()], { name: type.name });
  }

  /** The operation's name becomes the prefix of a type if the type's own name is taken. */
  beginOperation(operation: RestOperation): void {
    this.#operation = nameFrom(operation);
    this.#document = operation.root.name;
  }

  /** Returns the comment on its first use, and afterwards its short form. */
  once(comment: string, short: string): string[] {
    const isNew = !this.#comments.has(comment);
    this.#comments.add(comment);
    return [isNew ? comment : short];
  }

  /** The scalar for values that GraphQL types cannot describe. The server passes them through unchanged. */
  json(): string {
    this.#ensureScalar("JSON", "Any JSON value.");
    return "JSON";
  }

  /** Returns the scalar for a string format; `undefined` if the format has no scalar, or the scalar's name is taken. */
  date(format: string | undefined): string | undefined {
    const [name] = [...dateScalars].find(([, each]) => each === format) ?? [];
    if (name === undefined) return undefined;
    const url = ` @specifiedBy(url: ${JSON.stringify(dateScalarsUrl)})`;
    return this.#ensureScalar(name, `The format ${format} of RFC 3339, as REST writes it.`, url)
      ? name
      : undefined;
  }

  /** Adds the scalar if it is missing. Returns `false` if another type has its name. */
  #ensureScalar(name: string, description: string, directive = ""): boolean {
    const known = this.model.schema.getType(name);
    if (known || this.#taken.has(name)) return known ? isScalarType(known) : this.#scalars.has(name);
    this.sdl.push(`${JSON.stringify(description)}\nscalar ${name}${directive}`);
    this.#taken.add(name);
    this.#scalars.add(name);
    return true;
  }

  /** Defines a type once per REST schema, and returns its name. `wanted` is the name for an anonymous schema. */
  define(shape: Shape, wanted: string, suffix: string, lines: (name: string) => string[]): string {
    const name = this.nameFor(shape, wanted, suffix);
    const key = `${suffix} ${shape.identity.text}`;
    if (!this.#names.has(key)) this.#defineAs(name, key, lines);
    return name;
  }

  /**
   * Defines an object type, or reuses one with the same `wanted` name and equal fields: many documents repeat the schema of a
   * page in each operation.
   */
  defineByFields(shape: Shape, wanted: string, fields: readonly string[]): string {
    const text = [wanted, ...fields].join("\n");
    const name =
      this.#namesByFields.get(text) ??
      this.define(shape, wanted, "", (free) => [`type ${free} {`, ...fields, "}"]);
    this.#namesByFields.set(text, name);
    return name;
  }

  #defineAs(name: string, key: string, lines: (name: string) => string[]): void {
    this.#names.set(key, name);
    this.#taken.add(name);
    const place = this.sdl.push("") - 1;
    this.sdl[place] = lines(name).join("\n");
  }

  /**
   * Defines an enum, or reuses one with the same values if one of the two names ends with the other: for example, an argument
   * `state` reuses the enum `GateState`. Properties with the same name and values share an enum if the property's name has
   * several words, or if the enums would be named after the same resource.
   */
  defineEnum(
    shape: Shape,
    wanted: string,
    values: readonly string[],
    lines: (name: string) => string[],
  ): string {
    const key = ` ${shape.identity.text}`;
    const property = propertyOf(shape);
    const short = property && this.#repeatedEnums().get(`${property} ${enumKey(values)}`);
    const isFree = short !== undefined && !this.#names.has(key) && !this.#taken.has(short);
    const name = isFree ? short : this.nameFor(shape, wanted, "");
    const isLike = (other: NamedEnum): boolean =>
      withoutNull(other.name).endsWith(withoutNull(name)) ||
      withoutNull(name).endsWith(withoutNull(other.name)) ||
      (property !== undefined &&
        other.property === property &&
        (short !== undefined || resourceOf(other.wanted) === resourceOf(wanted)));
    const like = (this.#enums.get(enumKey(values)) ?? []).find(isLike);
    if (like) return like.name;
    this.#addEnum(values, { name, wanted, property });
    this.#defineAs(name, key, lines);
    return name;
  }

  #addEnum(values: readonly string[], named: NamedEnum): void {
    this.#enums.set(enumKey(values), [...(this.#enums.get(enumKey(values)) ?? []), named]);
  }

  /**
   * Maps each property that occurs repeatedly with the same values to a name for the shared enum. Omits names of components, and
   * one-word names such as `status`, because such properties may mean different things.
   */
  #repeatedEnums(): ReadonlyMap<string, string> {
    this.#repeated ??= namesOfRepeatedEnums(this.model.document.roots.map(({ value }) => membersOf(value)));
    return this.#repeated;
  }

  /** The type name for a REST schema, even before it is defined. A name that ends with the suffix does not get it again. */
  nameFor(shape: Shape, wanted: string, suffix: string): string {
    const own = typeName(componentOf(shape) ?? wanted);
    const names = [own.endsWith(suffix) ? own : own + suffix, own + suffix];
    const known = this.#names.get(`${suffix} ${shape.identity.text}`);
    const free = known ?? names.find((each) => !this.#taken.has(each));
    if (free !== undefined) return free;
    const owner = (isComponent(shape) ? this.#document : undefined) ?? this.#operation;
    return freeName(typeName(`${owner} ${names[0]}`), this.#taken);
  }
}

const isComponent = ({ node, identity }: Shape): boolean =>
  identity.text === nodeKey(node) && node.path[1] === "schemas" && node.path.length === 3;

/** The name of the schema's component, or of a file with only the schema. */
export function componentOf(shape: Shape): string | undefined {
  const { file, path } = shape.node;
  if (path.length === 0) return /([^/]+?)(?:\.\w+)?$/.exec(file)?.[1];
  return isComponent(shape) ? String(path[2]) : undefined;
}

/** An enum. Enums of the existing schema have only a `name` here. */
type NamedEnum = { readonly name: string; readonly wanted?: string; readonly property?: string };

/** Returns the property whose value, or whose list items, have this schema. */
function propertyOf({ node, identity }: Shape): string | undefined {
  const [keyword, name] = node.path.slice(node.path.at(-1) === "items" ? -3 : -2);
  return identity.text === nodeKey(node) && keyword === "properties" ? String(name) : undefined;
}

type Values = Readonly<Record<string, unknown>>;

function namesOfRepeatedEnums(documents: readonly Values[]): ReadonlyMap<string, string> {
  const components = new Set(
    documents.flatMap(({ components }) =>
      Object.keys(membersOf(membersOf(components).schemas)).map(typeName),
    ),
  );
  const seen = new Set<string>();
  const repeated = new Map<string, string>();
  const open: unknown[] = [...documents];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const members = membersOf(value);
    for (const [name, schema] of Object.entries(membersOf(members.properties))) {
      const { items, ...own } = membersOf(schema);
      const listed = membersOf(items).enum ?? own.enum;
      if (!Array.isArray(listed) || wordsOf(name).length < 2 || components.has(typeName(name))) continue;
      const key = `${name} ${enumKey(listed.filter((each) => each !== null).map(String))}`;
      if (seen.has(key)) repeated.set(key, typeName(name));
      seen.add(key);
    }
    open.push(...(Array.isArray(value) ? value : Object.values(members)).filter((each) => each !== null));
  }
  return repeated;
}

const wordsOf = (name: string): string[] => splitWords(name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " "));

/** `coupon` for `CouponStatus` and `CreateCouponInputStatus`. */
const resourceOf = (name = ""): string | undefined =>
  wordsOf(name).find((word) => !/^(?:create|update|delete|patch|put|post|get|list|find|all)$/i.test(word));

/** `CountryOrNull` has the values of `Country`, because nullability does not belong to a GraphQL type. */
const withoutNull = (name: string): string => name.replace(/(?<=\w)OrNull$/, "");

const enumKey = (values: readonly string[]): string => JSON.stringify([...values].sort());

export const descriptionOf = ({ value }: { readonly value: unknown }): unknown =>
  membersOf(value).description;

/** The description of a property or parameter, of a member of its `allOf`, or of its schema, in this order. */
export function describedBy({ node, shape }: { readonly node: RestNode; readonly shape: Shape }): unknown {
  const { allOf } = membersOf(node.value);
  const members = Array.isArray(allOf) ? allOf.map((value: unknown) => ({ value })) : [];
  const own = [node, ...members].map(descriptionOf).find((each) => each !== undefined);
  return own ?? descriptionOf(shape.node);
}
