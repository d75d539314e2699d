/** Collects the type definitions for proposed fields, one per REST schema, and gives each an unused name. */
import { isEnumType, isIntrospectionType, isScalarType, specifiedScalarTypes } from "graphql";
import { dateScalars, dateScalarsUrl } from "../../shared/date-scalars.ts";
import { membersOf } from "../../shared/json-object.ts";
import { enumValues } from "../bind/enum-values.ts";
import type { Model } from "../bind/model.ts";
import { nodeKey, type RestNode } from "../openapi/document.ts";
import type { RestOperation } from "../openapi/operation.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import { typeName } from "../schema/graphql-names.ts";
import { freeName, nameFrom } from "./proposed-names.ts";

export class TypeDefinitions {
  readonly sdl: string[] = [];
  readonly model: Model;
  #operation = "";
  /** The name of the operation's document, if there are several documents. */
  #document: string | undefined;
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;
  readonly #scalars = new Set<string>();
  readonly #comments = new Set<string>();
  /** The names of existing and proposed enums, by their values. */
  readonly #enums = new Map<string, string[]>();

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
        this.#addEnum(type.name, [...enumValues(model.names, type).values()]);
  }

  /** The operation's name becomes the prefix of types whose names are taken. */
  beginOperation(operation: RestOperation): void {
    this.#operation = nameFrom(operation);
    this.#document = operation.root.name;
  }

  /** Returns the comment the first time, and its short form afterwards. */
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

  /** The scalar for a string format. Undefined if there is none, or if another type has its name. */
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
    const key = `${suffix} ${shape.identity.text}`;
    const name = this.nameFor(shape, wanted, suffix);
    if (this.#names.has(key)) return name;
    this.#names.set(key, name);
    this.#taken.add(name);
    const place = this.sdl.push("") - 1;
    this.sdl[place] = lines(name).join("\n");
    return name;
  }

  /**
   * Defines an enum, or reuses one with the same values if its name fits. For example, an argument `state` gets the type
   * `GateState` of the `state` of a gate.
   */
  defineEnum(
    shape: Shape,
    wanted: string,
    values: readonly string[],
    lines: (name: string) => string[],
  ): string {
    const name = this.nameFor(shape, wanted, "");
    const like = (this.#enums.get(enumKey(values)) ?? []).find(
      (other) => other.endsWith(name) || name.endsWith(other),
    );
    if (like !== undefined) return like;
    this.#addEnum(name, values);
    return this.define(shape, wanted, "", lines);
  }

  #addEnum(name: string, values: readonly string[]): void {
    this.#enums.set(enumKey(values), [...(this.#enums.get(enumKey(values)) ?? []), name]);
  }

  /**
   * The type name for a REST schema, even before it is defined. It is the name of the schema's component, or of a file with
   * only the schema.
   */
  nameFor({ node, identity }: Shape, wanted: string, suffix: string): string {
    const isComponent =
      identity.text === nodeKey(node) && node.path[1] === "schemas" && node.path.length === 3;
    const file = node.path.length === 0 ? /([^/]+?)(?:\.\w+)?$/.exec(node.file)?.[1] : undefined;
    const component = isComponent ? node.path[2] : file;
    const name = typeName(String(component ?? wanted)) + suffix;
    const known = this.#names.get(`${suffix} ${identity.text}`);
    if (known !== undefined || !this.#taken.has(name)) return known ?? name;
    const owner = (isComponent ? this.#document : undefined) ?? this.#operation;
    return freeName(typeName(`${owner} ${name}`), this.#taken);
  }
}

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
