/** The definitions that proposed fields add to the schema: one for each REST schema, each with a free name. */
import type { Model } from "../bind/model.ts";
import { isRecord, nodeKey } from "../openapi/document.ts";
import type { RestOperation } from "../openapi/operation.ts";
import type { Shape } from "../openapi/shape.ts";
import { freeName, nameFrom, typeName } from "./proposed-names.ts";

export class TypeDefinitions {
  readonly sdl: string[] = [];
  readonly model: Model;
  #operation = "";
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor(model: Model) {
    this.model = model;
    this.#taken = new Set(Object.keys(model.schema.getTypeMap()));
  }

  /** The definitions that follow are those of this operation. It gives its name to a type whose own name is taken. */
  beginOperation(operation: RestOperation): void {
    this.#operation = nameFrom(operation);
  }

  /** The scalar for a value that no GraphQL type describes: the value passes unchanged. */
  json(): string {
    if (!this.#taken.has("JSON")) this.sdl.push('"Any JSON value."\nscalar JSON');
    this.#taken.add("JSON");
    return "JSON";
  }

  /** Defines a type once for each REST schema, and returns its name. `wanted` is the name for a schema without its own. */
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

  /** The name of the type for a REST schema, defined or not. A schema of `components` keeps its name. */
  nameFor({ node, identity }: Shape, wanted: string, suffix: string): string {
    const isComponent =
      identity.text === nodeKey(node) && node.path[1] === "schemas" && node.path.length === 3;
    const component = isComponent ? node.path[2] : undefined;
    const name = typeName(String(component ?? wanted)) + suffix;
    const known = this.#names.get(`${suffix} ${identity.text}`);
    if (known !== undefined || !this.#taken.has(name)) return known ?? name;
    return freeName(typeName(`${this.#operation} ${name}`), this.#taken);
  }
}

export const descriptionOf = ({ value }: { readonly value: unknown }): unknown =>
  isRecord(value) ? value.description : undefined;
