/** The types, inputs and enums that a proposed field needs. Those that the schema has over the same REST object are used. */
import { isEnumType } from "graphql";
import { enumValues, exceedsInt } from "../spec/bind-types.ts";
import type { Model } from "../spec/model.ts";
import type { Parameter, RestOperation } from "../spec/operations.ts";
import { isRecord, nodeKey } from "../spec/rest-document.ts";
import type { Property, Shape } from "../spec/shape.ts";
import { describedBy, memberName, nameOf, renamed, valueName } from "./propose-names.ts";
import { isUnion, knownUnion, onlyShared, variantName } from "./propose-unions.ts";

export class ProposedTypes {
  readonly definitions: string[] = [];
  /** `body: "args.input"` where the body is one argument. */
  readonly bodySource: string[] = [];
  readonly #model: Model;
  readonly #operation: RestOperation;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(model: Model, operation: RestOperation) {
    this.#model = model;
    this.#operation = operation;
    for (const name of Object.keys(model.schema.getTypeMap())) this.#taken.add(name);
  }

  /** The output type for a REST value, without `!`. */
  output(shape: Shape, hint: string): string {
    if (shape.types.has("array")) {
      const items = shape.items;
      if (!items) return this.#custom();
      return `[${this.output(items, hint)}${items.nullable ? "" : "!"}]`;
    }
    if (shape.types.size === 1 && shape.types.has("object"))
      return this.#union(shape, hint) ?? this.#object(shape, hint);
    return this.#scalar(shape, hint);
  }

  argument(parameter: Parameter): string[] {
    const { name, shape, required, node, in: location } = parameter;
    const own = memberName(name);
    const clash = this.#operation.parameters.some((other) => other !== parameter && other.name === name);
    const type = this.#input(shape, nameOf(name), false) + (required ? "!" : "");
    const at = location === "header" || clash ? location : undefined;
    return [...describedBy(descriptionOf(node.value), ""), `${own}: ${type}${renamed(own, name, at)}`];
  }

  bodyArguments({ shape, required }: NonNullable<RestOperation["body"]>): string[][] {
    const type = this.#inputObject(shape, nameOf(this.#operation.id));
    this.bodySource.push('body: "args.input"');
    return [[`input: ${type}${required ? "!" : ""}`]];
  }

  /** None where the binder could not bind a union. */
  #union(shape: Shape, hint: string): string | undefined {
    const { property, members = [] } = shape.variants ?? {};
    const names = members.map(
      (member) => this.#known(member.shape) ?? this.#nameFor(member.shape, variantName(member), ""),
    );
    if (!isUnion(shape, names)) return undefined;
    const known = knownUnion(this.#model, shape, names);
    if (known !== undefined) return known;
    for (const member of members) this.#object(member.shape, variantName(member), property);
    return this.#define(shape, hint, "", (name) => [
      ...describedBy(descriptionOf(shape.node.value), ""),
      `union ${name} = ${names.join(" | ")}`,
    ]);
  }

  /** `discriminator`: what the type itself says, left out if there is anything else. */
  #object(shape: Shape, hint: string, discriminator?: string): string {
    const known = this.#known(shape);
    if (known !== undefined) return known;
    const all = [...shape.properties.values()].filter(
      ({ isUndeclared, only }) => !isUndeclared && only !== "request",
    );
    if (all.length === 0) return this.#custom();
    const others = all.filter(({ name }) => name !== discriminator);
    const fields = others.length > 0 ? others : all;
    return this.#define(shape, hint, "", (name) => [
      ...onlyShared(shape),
      ...describedBy(descriptionOf(shape.node.value), ""),
      `type ${name} {`,
      ...fields.flatMap((property) => this.#field(property, name)),
      "}",
    ]);
  }

  /** The schema's own type over the same REST object. */
  #known({ node }: Shape): string | undefined {
    const known = [...this.#model.backings].find(([, backings]) =>
      backings.some((backing) => nodeKey(backing.shape.node) === nodeKey(node)),
    );
    return known?.[0];
  }

  #field({ name, shape, required, node }: Property, owner: string): string[] {
    const own = memberName(name);
    const plain = this.output(shape, owner + nameOf(name));
    const type =
      (plain === "String" && /(^id|Id|_id)$/.test(name) ? "ID" : plain) +
      (required && !shape.nullable ? "!" : "");
    return [
      ...describedBy(descriptionOf(shape.node.value) ?? descriptionOf(node.value), "  "),
      `  ${own}: ${type}${renamed(own, name)}`,
    ];
  }

  #input(shape: Shape, hint: string, inBody: boolean): string {
    if (shape.types.has("array") && shape.items) return `[${this.#input(shape.items, hint, inBody)}!]`;
    if (shape.types.size === 1 && shape.types.has("object")) return this.#inputObject(shape, hint);
    // as text on the wire an ID is as long as the integer; in JSON nothing of GraphQL's is
    const isWide = shape.types.has("integer") && !shape.types.has("number") && exceedsInt(shape);
    if (isWide) return inBody ? this.#custom() : "ID";
    return this.#scalar(shape, hint);
  }

  #inputObject(shape: Shape, hint: string): string {
    const fields = [...shape.properties.values()].filter(
      ({ isUndeclared, only }) => !isUndeclared && only !== "answer",
    );
    if (fields.length === 0) return this.#custom();
    return this.#define(shape, hint, "Input", (name) => [
      `input ${name} {`,
      ...fields.flatMap(({ name: rest, shape: value, required, node }) => {
        const own = memberName(rest);
        const type =
          this.#input(value, name.replace(/Input$/, "") + nameOf(rest), true) + (required ? "!" : "");
        return [...describedBy(descriptionOf(node.value), "  "), `  ${own}: ${type}${renamed(own, rest)}`];
      }),
      "}",
    ]);
  }

  #scalar(shape: Shape, hint: string): string {
    if (shape.types.size !== 1) return this.#custom();
    if (shape.values && shape.types.has("string") && shape.values.length > 0) return this.#enum(shape, hint);
    if (shape.types.has("integer")) return exceedsInt(shape) ? "Float" : "Int";
    if (shape.types.has("number")) return "Float";
    return shape.types.has("boolean") ? "Boolean" : "String";
  }

  #enum(shape: Shape, hint: string): string {
    const values = (shape.values ?? []).map(String);
    const known = Object.values(this.#model.schema.getTypeMap()).find((type) => {
      if (!isEnumType(type) || !type.astNode) return false;
      const rest = new Set(enumValues(this.#model.schema, type).values());
      return rest.size === values.length && values.every((value) => rest.has(value));
    });
    if (known) return known.name;
    return this.#define(shape, hint, "", (name) => [
      ...describedBy(descriptionOf(shape.node.value), ""),
      `enum ${name} {`,
      ...values.map((value) => `  ${valueName(value)}${renamed(valueName(value), value)}`),
      "}",
    ]);
  }

  /** A value that no GraphQL type says: it passes as it is. */
  #custom(): string {
    if (!this.#taken.has("JSON")) this.definitions.push('"Any JSON value."\nscalar JSON');
    this.#taken.add("JSON");
    return "JSON";
  }

  /** Defines a type once for each REST schema. */
  #define(shape: Shape, hint: string, suffix: string, lines: (name: string) => string[]): string {
    const key = `${suffix} ${nodeKey(shape.node)}`;
    const name = this.#nameFor(shape, hint, suffix);
    if (this.#names.has(key)) return name;
    this.#names.set(key, name);
    this.#taken.add(name);
    const place = this.definitions.push("") - 1;
    this.definitions[place] = lines(name).join("\n");
    return name;
  }

  /** The name of a type that is or would be defined; a component gives it its own. */
  #nameFor({ node }: Shape, hint: string, suffix: string): string {
    const [, , component] = node.path[1] === "schemas" && node.path.length === 3 ? node.path : [];
    const wanted = nameOf(String(component ?? hint)) + suffix;
    const free = !this.#taken.has(wanted) ? wanted : nameOf(`${this.#operation.id} ${wanted}`);
    return this.#names.get(`${suffix} ${nodeKey(node)}`) ?? free;
  }
}

const descriptionOf = (value: unknown): unknown => (isRecord(value) ? value.description : undefined);
