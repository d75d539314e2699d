/**
 * The REST names of a schema's elements: the explicit one in `@restName`, the element's own name, or the one REST name that the
 * naming convention maps to it (`created_at` → `createdAt`, `in-progress` → `IN_PROGRESS`).
 */
import type { GraphQLSchema } from "graphql";
import { type DirectiveCarrier, readRestName } from "./directives.ts";
import { enumValueName, fieldName } from "./graphql-names.ts";

type Element = DirectiveCarrier & { readonly name: string };
/** The REST names in one scope of the OpenAPI document, such as the properties of a schema. */
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

  /** The explicit REST name, or the one that was settled for an enum value, or else the element's own name. */
  of(element: Element): string {
    return this.#explicit(element) ?? this.#enumValues.get(element)?.name ?? element.name;
  }

  /** The REST name of a field, an argument or an input field among the names of a scope of the document. */
  resolve(element: Element, names: Names): string {
    return this.#explicit(element) ?? this.#match(element, names, fieldName) ?? element.name;
  }

  /**
   * Settles the REST name of each value of an enum: the first enum of the document with a matching value decides. `coordinate`:
   * where the schema uses that enum.
   */
  settleEnumValues(elements: readonly Element[], values: Names, coordinate: string): void {
    for (const element of elements) {
      const name = this.#match(element, values, enumValueName);
      if (name !== undefined && !this.#enumValues.has(element))
        this.#enumValues.set(element, { name, coordinate });
    }
  }

  /** What decided the REST name of an enum's value: the coordinate where it was settled, or `@restName`. */
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
