/**
 * Compiles an operation to its plan. graphql-js's `collectFields` collects the fields, so fragments, `@skip` and
 * `@include` work as in graphql-js. The fields of introspection (GraphQL spec §4) have graphql-js's own resolvers.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isIntrospectionType,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { collectFields, collectSubfields } from "graphql/execution/collectFields.js";
import { semanticNonNullLevels } from "../../../shared/semantic-non-null.ts";
import { type CodedError, limitExceeded } from "../../coded-error.ts";
import { markOfArgument } from "../../rest/inherited-values.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import type { BoundFieldPlan, FieldPlan, ObjectPlan, OperationPlan, PlannedResolver } from "./plan.ts";

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

type Compiling = {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variables: Variables;
  readonly maxFields: number;
  objects: number;
  fields: number;
  introspects: boolean;
};

/**
 * Throws a `CodedError` for more than `maxFields` fields: an interface's selection is planned for each member type, so a
 * small document may unfold to any number of fields.
 */
export function compilePlan(
  schema: GraphQLSchema,
  fragments: Fragments,
  operation: OperationDefinitionNode,
  variables: Variables,
  maxFields: number,
): OperationPlan {
  const type = schema.getRootType(operation.operation) as GraphQLObjectType;
  const compiling = { schema, fragments, variables, maxFields, objects: 0, fields: 0, introspects: false };
  const root = objectPlan(compiling, type, () =>
    collectFields(schema, fragments as never, variables as never, type, operation.selectionSet),
  );
  const { fields: size, introspects } = compiling;
  return { root, serial: operation.operation === OperationTypeNode.MUTATION, size, introspects };
}

function objectPlan(
  compiling: Compiling,
  type: GraphQLObjectType,
  collect: () => ReadonlyMap<string, readonly FieldNode[]>,
): ObjectPlan {
  const id = compiling.objects++;
  let nodes: ReadonlyMap<string, readonly FieldNode[]>;
  try {
    nodes = collect();
  } catch (fault) {
    if (!(fault instanceof GraphQLError)) throw fault;
    return { id, type, fields: [], bound: [], fault };
  }
  compiling.fields += nodes.size;
  if (compiling.fields > compiling.maxFields) throw tooManyFields(compiling.maxFields);
  const fields = [...nodes].map(([key, group]) => fieldPlan(compiling, type, key, group));
  const inherits = new Set(fields.flatMap(inheritedBy));
  return {
    id,
    type,
    fields,
    bound: fields.filter((field): field is BoundFieldPlan => field.source.kind === "call"),
    ...(inherits.size > 0 && { inherits }),
  };
}

/** The marks of the objects and arguments from which the field, or a link below it, takes values. */
const inheritedBy = ({ field, selections }: FieldPlan): string[] => [
  ...((field.resolve as unknown as PlannedResolver | undefined)?.inherits ?? []),
  ...[...selections.values()].flatMap(({ inherits }) => [...(inherits ?? [])]),
];

const tooManyFields = (limit: number): CodedError =>
  limitExceeded("MAX_FIELDS", limit, `an operation may have at most ${limit} fields (MAX_FIELDS)`);

function fieldPlan(
  compiling: Compiling,
  parentType: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
): FieldPlan {
  const name = nodes[0]?.name.value ?? "";
  const field = metaFields.get(name) ?? (parentType.getFields()[name] as FieldPlan["field"]);
  const selections = selectionsOf(compiling, field.type, nodes);
  const below = [...selections.values()];
  return {
    key,
    parentType,
    field,
    nodes,
    source: sourceOf(compiling, parentType, field, nodes),
    selections,
    neverNull: semanticNonNullLevels(field.astNode),
    inherited: field.args.flatMap(({ name }) =>
      below.some(({ inherits }) => inherits?.has(markOfArgument(name))) ? [name] : [],
    ),
    projection: undefined,
    places: undefined,
  };
}

const metaFields: ReadonlyMap<string, FieldPlan["field"]> = new Map(
  [TypeNameMetaFieldDef, SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

function sourceOf(
  compiling: Compiling,
  parentType: GraphQLObjectType,
  field: FieldPlan["field"],
  [node]: readonly FieldNode[],
): FieldPlan["source"] {
  if (field === TypeNameMetaFieldDef) return { kind: "typename" };
  const { schema, variables } = compiling;
  const { resolve } = field as { resolve: NonNullable<FieldPlan["field"]["resolve"]> };
  const info = { schema } as never;
  if (metaFields.has(field.name)) {
    compiling.introspects = true;
    return { kind: "call", resolve: ([root], args) => [resolve(root, args, undefined, info)] };
  }
  if (isIntrospectionType(parentType)) {
    const given = field.args.length > 0 ? getArgumentValues(field, node as FieldNode, variables) : {};
    return { kind: "made", make: (parent) => resolve(parent, given, undefined, info) };
  }
  return (resolve as unknown as PlannedResolver).source;
}

function selectionsOf(
  compiling: Compiling,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
): Map<string, ObjectPlan> {
  const { schema, fragments, variables } = compiling;
  const named = getNamedType(type);
  const types = isAbstractType(named) ? schema.getPossibleTypes(named) : isObjectType(named) ? [named] : [];
  return new Map(
    types.map((member) => {
      const collect = () =>
        collectSubfields(schema, fragments as never, variables as never, member, nodes as FieldNode[]);
      return [member.name, objectPlan(compiling, member, collect)] as const;
    }),
  );
}
