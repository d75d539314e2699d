/** The JSON Schema (2020-12) of what a saved operation gives: a GraphQL response (GraphQL §7.1) with its selection as data. */
import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from "graphql";
import { dateScalars } from "../../standards/date-scalars.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The types of GraphQL's scalars other than text. */
export const jsonTypes: Readonly<Record<string, string>> = {
  Int: "integer",
  Float: "number",
  Boolean: "boolean",
};

/** What is selected below a field, maybe in several places. `always`: no `@skip` and no `@include` may leave it out. */
type Selections = readonly { readonly set: SelectionSetNode; readonly always: boolean }[];
/** A key of an answer. */
type Selected = { readonly type: GraphQLOutputType; readonly below: Selections; readonly always: boolean };

const errors = {
  type: "array",
  items: {
    type: "object",
    properties: {
      message: { type: "string" },
      path: { type: "array" },
      extensions: { type: "object", properties: { code: { type: "string" } } },
    },
  },
};

export function outputSchemaOf(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
) {
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);

  function collect(
    { selections }: SelectionSetNode,
    type: GraphQLObjectType,
    above: boolean,
    found: Map<string, Selected>,
  ): void {
    for (const each of selections) {
      const always = above && !each.directives?.some(({ name }) => /^(skip|include)$/.test(name.value));
      if (each.kind === Kind.FIELD) {
        const key = (each.alias ?? each.name).value;
        const { type: of } = type.getFields()[each.name.value] ?? TypeNameMetaFieldDef;
        const known = found.get(key);
        const own = each.selectionSet ? [{ set: each.selectionSet, always }] : [];
        const below = [...(known?.below ?? []), ...own];
        found.set(key, { type: of, below, always: always || !!known?.always });
        continue;
      }
      const fragment =
        each.kind === Kind.INLINE_FRAGMENT
          ? each
          : fragments.find(({ name }) => name.value === each.name.value);
      if (!fragment) continue;
      const on = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type;
      if (on === type || (isAbstractType(on) && schema.isSubType(on, type)))
        collect(fragment.selectionSet, type, always, found);
    }
  }

  function ofObject(type: GraphQLObjectType, below: Selections): JsonObject {
    const found = new Map<string, Selected>();
    for (const { set, always } of below) collect(set, type, always || below.length === 1, found);
    const properties = [...found].map(([key, value]) => [key, ofType(value.type, value.below)]);
    const required = [...found].flatMap(([key, { always }]) => (always ? [key] : []));
    return { type: "object", properties: Object.fromEntries(properties), required };
  }

  function ofType(type: GraphQLOutputType, below: Selections): JsonObject {
    if (!isNonNullType(type)) return { anyOf: [notNull(type, below), { type: "null" }] };
    return notNull(type.ofType, below);
  }

  function notNull(type: GraphQLOutputType, below: Selections): JsonObject {
    if (isListType(type)) return { type: "array", items: ofType(type.ofType, below) };
    if (isObjectType(type)) return ofObject(type, below);
    if (isAbstractType(type))
      return { anyOf: schema.getPossibleTypes(type).map((member) => ofObject(member, below)) };
    if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ name }) => name) };
    const name = String(type);
    // REST alone knows what another scalar holds
    const known = isSpecifiedScalarType(type) || dateScalars.has(name);
    return known ? { type: jsonTypes[name] ?? "string" } : {};
  }

  const root = schema.getRootType(operation);
  const data = root ? ofType(root, [{ set: selectionSet, always: true }]) : {};
  return { type: "object" as const, properties: { data, errors }, required: ["data"] };
}
