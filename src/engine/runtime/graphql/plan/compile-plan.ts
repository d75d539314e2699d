/** Compiles an operation to a plan. Introspection fields (GraphQL spec §4) use graphql-js's resolvers. */
import {
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
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
import { semanticNonNullLevels } from "../../../shared/semantic-non-null.ts";
import { type CodedError, limitExceeded } from "../../coded-error.ts";
import type { PartFormat } from "../../http/graphql-media-type.ts";
import { markOfArgument } from "../../rest/inherited-values.ts";
import {
  type Collected,
  type Collecting,
  collectFields,
  type FieldDetails,
  type GroupedFields,
  responseKey,
} from "./collect-fields.ts";
import {
  type BoundFieldPlan,
  type DeferredPlan,
  type DeferUsage,
  deferredKey,
  type FieldPlan,
  type ObjectPlan,
  type OperationPlan,
  type PlannedResolver,
} from "./plan.ts";

type PlanOptions = Omit<Collecting, "defers"> & {
  /** If undefined, `@defer` has no effect. */
  readonly format?: PartFormat | undefined;
  readonly maxFields: number;
};

type Compiling = Collecting &
  PlanOptions & {
    deferred: number;
    objects: number;
    fields: number;
    introspects: boolean;
  };

/**
 * Throws a `CodedError` for more than `maxFields` fields. A small document may expand to many fields, because the selection of an
 * interface is planned for each implementing type.
 */
export function compilePlan(operation: OperationDefinitionNode, options: PlanOptions): OperationPlan {
  const { selectionSet } = operation;
  const type = options.schema.getRootType(operation.operation) as GraphQLObjectType;
  const compiling: Compiling = {
    ...options,
    defers: options.format !== undefined,
    deferred: 0,
    objects: 0,
    fields: 0,
    introspects: false,
  };
  const root = objectPlan(compiling, type, [], () =>
    collectFields(compiling, type, [{ selectionSet, usage: undefined }]),
  );
  const { fields: size, introspects, deferred } = compiling;
  const serial = operation.operation === OperationTypeNode.MUTATION;
  return { root, serial, defers: deferred > 0, size, introspects };
}

/** Compiles the selection of an object. `within` contains the `@defer` directives around the object. */
function objectPlan(
  compiling: Compiling,
  type: GraphQLObjectType,
  within: readonly DeferUsage[],
  collect: () => Collected,
): ObjectPlan {
  let collected: Collected;
  try {
    collected = collect();
  } catch (fault) {
    if (!(fault instanceof GraphQLError)) throw fault;
    return { id: compiling.objects++, type, fields: [], bound: [], fault };
  }
  const { fields, usages: introduces } = collected;
  if (!compiling.defers) return planOf(compiling, type, { usages: within, fields });
  const [own, ...deferred] = partition(compiling, fields, within);
  const plans = deferred.map((each) => deferredPlan(compiling, type, each));
  compiling.deferred += plans.length;
  return planOf(compiling, type, own, { plans, introduces });
}

function planOf(
  compiling: Compiling,
  type: GraphQLObjectType,
  { usages, fields: groups }: FieldsOfUsages,
  deferral?: NonNullable<ObjectPlan["deferral"]>,
): ObjectPlan {
  const id = compiling.objects++;
  compiling.fields += groups.size;
  if (compiling.fields > compiling.maxFields) throw tooManyFields(compiling.maxFields);
  const fields = [...groups.values()].map((group) => fieldPlan(compiling, type, group, usages));
  const later = deferral?.plans.map(({ field }) => field) ?? [];
  const inherits = new Set([...fields, ...later].flatMap(inheritedBy));
  return {
    id,
    type,
    fields,
    bound: fields.filter((field): field is BoundFieldPlan => field.source.kind === "call"),
    ...(deferral && (later.length > 0 || deferral.introduces.length > 0) && { deferral }),
    ...(inherits.size > 0 && { inherits }),
  };
}

/** Fields of an object that are deferred by the same `@defer` directives. */
type FieldsOfUsages = { readonly usages: readonly DeferUsage[]; readonly fields: GroupedFields };

type DeferredFields = FieldsOfUsages & { readonly fields: Map<string, FieldDetails[]> };

/** Groups fields by the `@defer` directives around them. The first group contains the fields with the directives `within`. */
function partition(
  { format }: Compiling,
  fields: GroupedFields,
  within: readonly DeferUsage[],
): [DeferredFields, ...DeferredFields[]] {
  const groups: [DeferredFields, ...DeferredFields[]] = [{ usages: within, fields: new Map() }];
  const add = (usages: readonly DeferUsage[], key: string, details: readonly FieldDetails[]): void => {
    let group = groups.find((one) => isSameSet(one.usages, usages));
    if (!group) {
      group = { usages, fields: new Map() };
      groups.push(group);
    }
    group.fields.set(key, [...(group.fields.get(key) ?? []), ...details]);
  };
  for (const [key, details] of fields) {
    if (format === "v0.2") add(outermost(details), key, details);
    else for (const one of details) add(one.usage ? [one.usage] : [], key, [one]);
  }
  return groups;
}

/** Returns the outermost `@defer` directives around a field; none if one of its nodes is not deferred. */
function outermost(details: readonly FieldDetails[]): readonly DeferUsage[] {
  const usages = new Set<DeferUsage>();
  for (const { usage } of details) {
    if (!usage) return [];
    usages.add(usage);
  }
  return [...usages].filter((usage) => {
    for (let up = usage.parent; up; up = up.parent) if (usages.has(up)) return false;
    return true;
  });
}

const isSameSet = (left: readonly DeferUsage[], right: readonly DeferUsage[]): boolean =>
  left.length === right.length && left.every((usage) => right.includes(usage));

function deferredPlan(compiling: Compiling, type: GraphQLObjectType, deferred: DeferredFields): DeferredPlan {
  const plan = planOf(compiling, type, deferred);
  return {
    usages: deferred.usages,
    field: {
      key: deferredKey,
      parentType: type,
      field: deferredField(type),
      nodes: [],
      // the root of an operation has no REST object, so an empty object takes its place
      source: { kind: "call", resolve: async (parents) => parents.map((parent) => parent ?? {}) },
      neverNull: [],
      selections: new Map([[type.name, plan]]),
      inherited: [],
      projection: undefined,
      locations: undefined,
    },
  };
}

const deferredField = (type: GraphQLObjectType): FieldPlan["field"] => ({
  name: deferredKey,
  description: undefined,
  type,
  args: [],
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
});

/** Returns the enclosing types and arguments (`markOfArgument`) whose values this field or a field below it uses. */
const inheritedBy = ({ field, selections }: FieldPlan): string[] => [
  ...((field.resolve as unknown as PlannedResolver | undefined)?.inherits ?? []),
  ...[...selections.values()].flatMap(({ inherits }) => [...(inherits ?? [])]),
];

const tooManyFields = (limit: number): CodedError =>
  limitExceeded("MAX_FIELDS", limit, `an operation may have at most ${limit} fields (MAX_FIELDS)`);

function fieldPlan(
  compiling: Compiling,
  parentType: GraphQLObjectType,
  details: readonly FieldDetails[],
  within: readonly DeferUsage[],
): FieldPlan {
  const nodes = details.map(({ node }) => node);
  const [first] = nodes as [FieldNode];
  const name = first.name.value;
  const field = metaFields.get(name) ?? (parentType.getFields()[name] as FieldPlan["field"]);
  const selections = selectionsOf(compiling, field.type, details, within);
  const below = [...selections.values()];
  return {
    key: responseKey(first),
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
    locations: undefined,
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
    return { kind: "computed", compute: (parent) => resolve(parent, given, undefined, info) };
  }
  return (resolve as unknown as PlannedResolver).source;
}

function selectionsOf(
  compiling: Compiling,
  type: GraphQLOutputType,
  details: readonly FieldDetails[],
  within: readonly DeferUsage[],
): Map<string, ObjectPlan> {
  const { schema } = compiling;
  const named = getNamedType(type);
  const types = isAbstractType(named) ? schema.getPossibleTypes(named) : isObjectType(named) ? [named] : [];
  const sets = details.flatMap(({ node: { selectionSet }, usage }) =>
    selectionSet ? [{ selectionSet, usage }] : [],
  );
  return new Map(
    types.map((member) => {
      const collect = () => collectFields(compiling, member, sets);
      return [member.name, objectPlan(compiling, member, within, collect)] as const;
    }),
  );
}
