/**
 * Finds the REST name of a schema element: the name in `@restName`, the element's own name, or the only REST name that the naming
 * convention converts to it. For example, `created_at` becomes `createdAt`, and `in-progress` becomes `IN_PROGRESS`.
 */
import type { GraphQLSchema } from "graphql";
import { type DirectiveCarrier, readRestName } from "./directives.ts";
import { enumValueName, fieldName } from "./graphql-names.ts";

type Element = DirectiveCarrier & { readonly name: string };
/** Candidates for an element's REST name, such as the property names of one REST schema. */
type Names = Pick<ReadonlySet<string>, "has" | "keys">;

type SettledName = { readonly name: string; readonly coordinate: string };

export class RestNames {
  readonly #schema: GraphQLSchema;
  readonly #enumValues = new Map<Element, SettledName>();
  /** For each set of candidates: GraphQL name → the candidates that the naming convention converts to this GraphQL name. */
  readonly #byConvention = new WeakMap<Names, ReadonlyMap<string, readonly string[]>>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Returns the name in `@restName`, the name that `settleEnumValues` chose for an enum value, or the element's own name. */
  of(element: Element): string {
    return this.#explicit(element) ?? this.#enumValues.get(element)?.name ?? element.name;
  }

  /** Returns the REST name of a field, argument or input field, preferably one of `names`. */
  resolve(element: Element, names: Names): string {
    return this.#explicit(element) ?? this.#match(element, names, fieldName) ?? element.name;
  }

  /**
   * Chooses the REST names of a GraphQL enum's values. If several schema elements use the enum, the first name chosen for a value
   * is kept. `coordinate`: the schema element that uses the enum, for messages.
   */
  settleEnumValues(elements: readonly Element[], values: Names, coordinate: string): void {
    for (const element of elements) {
      const name = this.#match(element, values, enumValueName);
      if (name !== undefined && !this.#enumValues.has(element))
        this.#enumValues.set(element, { name, coordinate });
    }
  }

  /** Returns the origin of an enum value's REST name: `@restName`, or the `coordinate` passed to `settleEnumValues`. */
  whatNamed(element: Element): string | undefined {
    return this.#explicit(element) === undefined ? this.#enumValues.get(element)?.coordinate : "@restName";
  }

  #explicit(element: Element): string | undefined {
    return readRestName(this.#schema, element).name;
  }

  /** Returns `undefined` if no name or several names match. */
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
