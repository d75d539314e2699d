/**
 * The REST names of a schema's elements: the explicit one in `@restName`, the element's own name, or the one REST name that the
 * naming convention maps to it (`created_at` → `createdAt`, `in-progress` → `IN_PROGRESS`).
 */
import type { GraphQLSchema } from "graphql";
import { type DirectiveCarrier, readRestName } from "./directives.ts";
import { enumValueName, fieldName } from "./graphql-names.ts";

type Element = DirectiveCarrier & { readonly name: string };
/** The REST names in one scope of the OpenAPI document, for example the property names of one schema. */
type Names = Pick<ReadonlySet<string>, "has" | "keys">;

type SettledName = { readonly name: string; readonly coordinate: string };

export class RestNames {
  readonly #schema: GraphQLSchema;
  readonly #enumValues = new Map<Element, SettledName>();
  /** The REST names of each scope, by the GraphQL names that the naming convention derives from them. */
  readonly #byConvention = new WeakMap<Names, ReadonlyMap<string, readonly string[]>>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /**
   * The name in `@restName`; for an enum value without it, the name that `settleEnumValues` chose; otherwise the element's
   * name.
   */
  of(element: Element): string {
    return this.#explicit(element) ?? this.#enumValues.get(element)?.name ?? element.name;
  }

  /** The REST name of a field, argument or input field, chosen from the names of one scope of the document. */
  resolve(element: Element, names: Names): string {
    return this.#explicit(element) ?? this.#match(element, names, fieldName) ?? element.name;
  }

  /**
   * Chooses the REST name of each value of a GraphQL enum. The first REST enum with a matching value decides, and later calls
   * do not change it. `coordinate`: the schema element that uses the enum.
   */
  settleEnumValues(elements: readonly Element[], values: Names, coordinate: string): void {
    for (const element of elements) {
      const name = this.#match(element, values, enumValueName);
      if (name !== undefined && !this.#enumValues.has(element))
        this.#enumValues.set(element, { name, coordinate });
    }
  }

  /** Where an enum value got its REST name: `@restName`, or the coordinate that was passed to `settleEnumValues`. */
  whatNamed(element: Element): string | undefined {
    return this.#explicit(element) === undefined ? this.#enumValues.get(element)?.coordinate : "@restName";
  }

  #explicit(element: Element): string | undefined {
    return readRestName(this.#schema, element).name;
  }

  /** The only name that matches the element; `undefined` if there is none, or if there are several. */
  #match(element: Element, names: Names, convert: (name: string) => string): string | undefined {
    if (names.has(element.name)) return element.name;
    const [name, ...others] = this.#indexOf(names, convert).get(element.name) ?? [];
    return others.length === 0 ? name : undefined;
  }

  #indexOf(names: Names, convert: (name: string) => string): ReadonlyMap<string, readonly string[]> {
    const index = this.#byConvention.get(names) ?? Map.groupBy(names.keys(), convert);
    this.#byConvention.set(names, index);
    return index;
  }
}
