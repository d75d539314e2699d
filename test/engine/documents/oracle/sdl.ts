/** Reads the SDL as it stands: its fields, their directives and the types that they reach. */
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  parse,
  type TypeNode,
} from "graphql";

export const directive = (
  field: FieldDefinitionNode | InputValueDefinitionNode,
  name: string,
): ConstDirectiveNode | undefined => field.directives?.find((each) => each.name.value === name);
export function argument(of: ConstDirectiveNode | undefined, name: string): string | undefined {
  const value = of?.arguments?.find((each) => each.name.value === name)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

export type Page = Readonly<Partial<Record<"items" | "next" | "more" | "total" | "pages", string>>>;

/** The values of `connection`, as the schema writes them. */
export function connectionOf(rest: ConstDirectiveNode | undefined): Page | undefined {
  const value = rest?.arguments?.find(({ name }) => name.value === "connection")?.value;
  if (value?.kind !== Kind.OBJECT) return undefined;
  return Object.fromEntries(
    value.fields.flatMap((each) =>
      "value" in each.value ? [[each.name.value, String(each.value.value)]] : [],
    ),
  );
}

/** Whether an argument that feeds the parameter has a default: a client that leaves it out sends that. */
export const hasDefault = (field: FieldDefinitionNode, parameter: string): boolean =>
  field.arguments?.some(
    (each) => each.defaultValue !== undefined && restName(each, [parameter]) === parameter,
  ) === true;

/** The REST name of a field among those of an object: as the schema writes it, or the one that reads like the field's. */
export function restName(
  field: FieldDefinitionNode | InputValueDefinitionNode,
  names: readonly string[],
): string {
  const own = argument(directive(field, "restName"), "name");
  const { value } = field.name;
  if (own !== undefined || names.includes(value)) return own ?? value;
  const [cased, ...asCased] = names.filter((each) => camelCase(each) === value);
  if (cased !== undefined && asCased.length === 0) return cased;
  const [name = value, ...others] = names.filter((each) => letters(each) === letters(value));
  return others.length === 0 ? name : value;
}

const camelCase = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, next: string) => next.toUpperCase());

const letters = (name: string): string =>
  name
    .replace(/^\+/, "plus")
    .replace(/^-/, "minus")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase();

export const namedType = (type: TypeNode): NamedTypeNode =>
  type.kind === Kind.NAMED_TYPE ? type : namedType(type.type);

export class Sdl {
  readonly #document: DocumentNode;

  constructor(text: string) {
    this.#document = parse(text);
  }

  /** A field stands for itself; a field of an input object for the calls that take it. */
  fieldsOf(coordinate: string): string[] {
    const [type = ""] = coordinate.split(".");
    const isInput = this.#document.definitions.some(
      (each) => each.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && each.name.value === type,
    );
    if (!isInput) return [coordinate];
    return this.calls
      .filter(({ field }) =>
        field.arguments?.some((each) => this.#reaches(namedType(each.type).name.value, type)),
      )
      .map(({ type: owner, field }) => `${owner}.${field.name.value}`);
  }

  /** The fields that call REST, of the roots and of other types. */
  get calls(): { type: string; field: FieldDefinitionNode; rest: ConstDirectiveNode }[] {
    return this.#objects.flatMap(({ name, fields = [] }) =>
      fields.flatMap((field) => {
        const rest = directive(field, "rest");
        return rest ? [{ type: name.value, field, rest }] : [];
      }),
    );
  }

  #reaches(from: string, to: string, seen = new Set<string>()): boolean {
    if (from === to || seen.has(from)) return from === to;
    seen.add(from);
    return this.#document.definitions.some(
      (each) =>
        each.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION &&
        each.name.value === from &&
        each.fields?.some((field) => this.#reaches(namedType(field.type).name.value, to, seen)),
    );
  }

  /** Every field, so that shares can be taken of it. */
  get coordinates(): string[] {
    return this.#objects.flatMap(({ name, fields = [] }) =>
      fields.map((field) => `${name.value}.${field.name.value}`),
    );
  }

  fields(type: string): FieldDefinitionNode[] {
    return this.#objects.flatMap(({ name, fields = [] }) => (name.value === type ? [...fields] : []));
  }

  get #objects() {
    return this.#document.definitions.filter(
      (each) => each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.OBJECT_TYPE_EXTENSION,
    );
  }

  members(union: string): string[] {
    return this.#document.definitions.flatMap((each) =>
      each.kind === Kind.UNION_TYPE_DEFINITION && each.name.value === union
        ? (each.types ?? []).map(({ name }) => name.value)
        : [],
    );
  }
}
