/**
 * Bounds GraphQL's introspection. The answer is counted before graphql-js makes it, by the same fields and resolvers. The
 * bound grows with the schema: the full introspection query of tools passes, and so does a second one beside it.
 */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getIntrospectionQuery,
  getNamedType,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from "graphql";
import { collectFields, collectSubfields } from "graphql/execution/collectFields.js";
import { CodedError } from "../../errors.ts";
import { introspectedValues } from "../../settings/capacity.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import type { Fragments } from "./compile-plan.ts";
import { fragmentsOf } from "./plans.ts";

type Fields = ReadonlyMap<string, readonly FieldNode[]>;

export class IntrospectionBound {
  readonly #schema: GraphQLSchema;
  #most: number | undefined;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Throws `LIMIT_EXCEEDED` if the operation asks for too many values of the schema. */
  check(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): void {
    this.#most ??= mostValues(this.#schema);
    const counted = countIntrospection(this.#schema, document, operation, variables, this.#most);
    if (counted > this.#most) throw tooMany(this.#most);
  }
}

/** The bound for a schema: a number of full introspection queries, and never less than `least`. */
function mostValues(schema: GraphQLSchema): number {
  const document = parse(fullQuery);
  const [operation] = document.definitions as [OperationDefinitionNode];
  const full = countIntrospection(schema, document, operation, {}, Number.POSITIVE_INFINITY);
  return Math.max(introspectedValues.fullQueries * full, introspectedValues.least);
}

const fullQuery = getIntrospectionQuery({
  ...{ descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true },
  ...{ schemaDescription: true, inputValueDeprecation: true, oneOf: true },
});

const tooMany = (most: number): CodedError =>
  new CodedError("LIMIT_EXCEEDED", `an operation may ask for at most ${most} values of the schema`);

/** The values of the schema that an operation asks for. It stops beyond `most`. A long text counts as several values. */
export function countIntrospection(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  variables: Variables,
  most: number,
): number {
  const type = schema.getRootType(operation);
  if (!type) return 0;
  const fragments = fragmentsOf(document);
  const counting = new Counting(schema, fragments, variables, most);
  counting.countRoot(() => collectFields(schema, fragments as never, variables as never, type, selectionSet));
  return counting.counted;
}

/** Runs a step of graphql-js. Returns `undefined` where its error takes the value's place: a condition that is null. */
function attempt<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (fault) {
    if (fault instanceof GraphQLError) return undefined;
    throw fault;
  }
}

const metaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

class Counting {
  counted = 0;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #variables: Variables;
  readonly #most: number;
  /** The fields below a group of fields. An introspection field has one type, so its group decides them. */
  readonly #below = new Map<readonly FieldNode[], Fields>();

  constructor(schema: GraphQLSchema, fragments: Fragments, variables: Variables, most: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
    this.#most = most;
  }

  countRoot(collect: () => Fields): void {
    for (const group of attempt(collect)?.values() ?? []) {
      const field = metaFields.get(group[0]?.name.value ?? "");
      if (field) this.#countField(field, group, undefined);
    }
  }

  #countField(field: GraphQLField<unknown, unknown>, group: readonly FieldNode[], parent: unknown): void {
    this.counted++;
    const type = getNamedType(field.type) as GraphQLObjectType;
    const value = attempt(() => {
      const given =
        field.args.length > 0 ? getArgumentValues(field, group[0] as FieldNode, this.#variables) : {};
      return field.resolve?.(parent, given, undefined, { schema: this.#schema } as never);
    });
    this.#countValue(type, group, value);
  }

  #countValue(type: GraphQLObjectType, group: readonly FieldNode[], value: unknown): void {
    if (typeof value === "string")
      this.counted += Math.floor(value.length / introspectedValues.charactersOfValue);
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) return this.#countObject(type, group, value);
    for (const item of value) {
      if (this.counted > this.#most) return;
      this.counted++;
      this.#countValue(type, group, item);
    }
  }

  #countObject(type: GraphQLObjectType, group: readonly FieldNode[], object: object): void {
    const definitions = type.getFields();
    for (const nodes of this.#fieldsBelow(type, group).values()) {
      if (this.counted > this.#most) return;
      const field = definitions[nodes[0]?.name.value ?? ""];
      if (field) this.#countField(field, nodes, object);
      else this.counted++; // `__typename`
    }
  }

  #fieldsBelow(type: GraphQLObjectType, group: readonly FieldNode[]): Fields {
    const known = this.#below.get(group);
    if (known) return known;
    const [schema, fragments] = [this.#schema, this.#fragments as never];
    const collect = () => collectSubfields(schema, fragments, this.#variables as never, type, group as never);
    const fields: Fields = attempt(collect) ?? new Map();
    this.#below.set(group, fields);
    return fields;
  }
}
