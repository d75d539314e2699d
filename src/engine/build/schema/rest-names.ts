/**
 * The REST names of a schema's elements: the one that an element writes, its own, or else the one REST name that a naming
 * convention turns into it (`created_at` → `createdAt`, `in-progress` → `IN_PROGRESS`). The first place that an element meets
 * in the OpenAPI document settles its name: an element has one.
 */
import type { GraphQLSchema } from "graphql";
import { type DirectiveCarrier, readRestName } from "./directives.ts";
import { enumValueName, fieldName } from "./graphql-names.ts";

type Element = DirectiveCarrier & { readonly name: string };
/** Names at one place of the OpenAPI document. */
type Names = Pick<ReadonlySet<string>, "has" | "keys">;

export class RestNames {
  readonly #schema: GraphQLSchema;
  readonly #settled = new Map<Element, string>();
  /** By what the convention makes of them: each place of the document is read once. */
  readonly #byConvention = new WeakMap<Names, ReadonlyMap<string, readonly string[]>>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The REST name: the one in `@restName`, the settled one, or its own. */
  of(element: Element): string {
    return this.#known(element) ?? element.name;
  }

  /** The REST name among those at a place of the document, for a field, an argument or an input field. */
  resolve(element: Element, names: Names): string {
    return this.#settle(element, names, fieldName);
  }

  /** The REST name among the values of an enum of the document, for an enum value. */
  amongValues(element: Element, values: Names): string {
    return this.#settle(element, values, enumValueName);
  }

  #known(element: Element): string | undefined {
    return readRestName(this.#schema, element).name ?? this.#settled.get(element);
  }

  #settle(element: Element, names: Names, convert: (name: string) => string): string {
    const known = this.#known(element);
    if (known !== undefined) return known;
    const fitting = names.has(element.name)
      ? [element.name]
      : (this.#indexOf(names, convert).get(element.name) ?? []);
    const [name = element.name, ...others] = fitting;
    if (fitting.length === 1) this.#settled.set(element, name);
    return others.length === 0 ? name : element.name;
  }

  #indexOf(names: Names, convert: (name: string) => string): ReadonlyMap<string, readonly string[]> {
    const index = this.#byConvention.get(names) ?? Map.groupBy(names.keys(), convert);
    this.#byConvention.set(names, index);
    return index;
  }
}
