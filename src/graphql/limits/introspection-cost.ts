/**
 * Estimates the cost of an introspection before it runs. graphql-js resolves an introspection in one turn of the event loop,
 * and a short document may ask, under many aliases, for all fields of the types of all fields.
 */
import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from "graphql";
import { fullIntrospections } from "../../settings/capacity.ts";

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;
/** The introspection fields that are lists, and how many values each has on average. */
type Lengths = ReadonlyMap<string, number>;

/** Whether the operation asks for more than some full introspections. Its fragments must not be circular. */
export function introspectsTooMuch(
  schema: GraphQLSchema,
  fragments: Fragments,
  { selectionSet }: OperationDefinitionNode,
): boolean {
  const { lengths, most } = known.get(schema) ?? measure(schema);
  return costOf({ lengths, fragments, counted: new Map() }, selectionSet) > most;
}

const known = new WeakMap<GraphQLSchema, { readonly lengths: Lengths; readonly most: number }>();

function measure(schema: GraphQLSchema) {
  const lengths = lengthsIn(schema);
  const all = { specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true, oneOf: true };
  const { definitions } = parse(getIntrospectionQuery({ ...all, schemaDescription: true }), {
    noLocation: true,
  });
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const [operation] = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const counting = {
    lengths,
    fragments: new Map(fragments.map((one) => [one.name.value, one])),
    counted: new Map(),
  };
  const most = fullIntrospections * costOf(counting, (operation as OperationDefinitionNode).selectionSet);
  const found = { lengths, most };
  known.set(schema, found);
  return found;
}

function lengthsIn(schema: GraphQLSchema): Lengths {
  const types = Object.values(schema.getTypeMap());
  const composite = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = composite.flatMap((type) => Object.values(type.getFields()));
  const fieldsBelow = fields.map(({ type }) => {
    const named = getNamedType(type);
    return isObjectType(named) || isInterfaceType(named) ? Object.keys(named.getFields()).length : 0;
  });
  return new Map([
    ["types", types.length],
    ["directives", schema.getDirectives().length],
    // all types have so many fields, and the types of fields so many
    ["fields", Math.max(fields.length / composite.length, mean(fieldsBelow))],
    ["args", mean(fields.map(({ args }) => args.length))],
    ["enumValues", mean(types.map((type) => (isEnumType(type) ? type.getValues().length : 0)))],
    [
      "inputFields",
      mean(types.map((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0))),
    ],
    ["interfaces", mean(composite.map((type) => type.getInterfaces().length))],
    [
      "possibleTypes",
      mean(types.map((type) => (isInterfaceType(type) ? schema.getPossibleTypes(type).length : 0))),
    ],
  ]);
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(numbers.length, 1);

type Counting = {
  readonly lengths: Lengths;
  readonly fragments: Fragments;
  readonly counted: Map<string, number>;
};

/** The fields that are resolved for one object. */
function costOf(counting: Counting, { selections }: SelectionSetNode): number {
  return selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + costOfFragment(counting, selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return sum + costOf(counting, selection.selectionSet);
    const below = selection.selectionSet ? costOf(counting, selection.selectionSet) : 0;
    return sum + 1 + (counting.lengths.get(selection.name.value) ?? 1) * below;
  }, 0);
}

/** Each fragment is counted once. */
function costOfFragment(counting: Counting, name: string): number {
  const found = counting.counted.get(name);
  if (found !== undefined) return found;
  const fragment = counting.fragments.get(name);
  const cost = fragment ? costOf(counting, fragment.selectionSet) : 0;
  counting.counted.set(name, cost);
  return cost;
}
