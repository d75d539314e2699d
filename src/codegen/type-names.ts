/** The names of GraphQL types in the generated TypeScript, where a name may stand for something else already. */
import { type GraphQLNamedType, type GraphQLSchema, isInputObjectType, isObjectType } from "graphql";

const words = (text: string): string[] => text.trim().split(/\s+/);

const reservedNames = new Set([
  // TypeScript's keywords and types
  ...words(`any as async await bigint boolean break case catch class const continue debugger default delete do else enum
    export extends false finally for function if implements import in infer instanceof interface keyof let never new null
    number object package private protected public readonly return static string super switch symbol this throw true try
    type typeof undefined unique unknown var void while with yield arguments eval globalThis`),
  // global types
  ...words(`Array AsyncIterable Exclude Extract NonNullable Omit Partial Pick Promise PropertyKey Readonly ReadonlyArray Record
    Required`),
  // types that graphql-codegen writes or imports
  ...words(`DirectiveResolverFn EnumResolverSignature Exact GraphQLResolveInfo GraphQLScalarType GraphQLScalarTypeConfig
    Incremental InputMaybe IsTypeOfResolverFn Maybe NextResolverFn RequireFields Resolver ResolverFn ResolverTypeWrapper
    Resolvers ResolversInterfaceTypes ResolversParentTypes ResolversTypes ResolversUnionTypes Scalars SubscriptionObject
    SubscriptionResolveFn SubscriptionResolver SubscriptionResolverObject SubscriptionSubscribeFn
    SubscriptionSubscriberObject TypeResolveFn TypedDocumentText`),
  // names that our own emitters write
  ...words(
    "Connection Context Entries batchEach batchMany batchOne components connection entries entriesFrom holder inheriting inheritingLevel integer itself level member paths property propertyAt untyped",
  ),
]);

/** The name of a GraphQL type in TypeScript: its own, or with a `$`, which no GraphQL name has, where that is taken. */
export const typeScriptName = (schema: GraphQLSchema, name: string): string =>
  reservedNames.has(name) || isDerivedName(schema, name) ? `${name}$` : name;

/** The name of the type of a GraphQL type's resolvers. A schema may have a type `ThingResolvers` beside `Thing`. */
export const resolversName = (schema: GraphQLSchema, type: string): string =>
  `${typeScriptName(schema, type)}${resolversSuffix(schema)}`;

export const resolversSuffix = (schema: GraphQLSchema): string => namesOf(schema).suffix;

/** Whether codegen derives this name from another type: its parent, its arguments or its conversion. */
function isDerivedName(schema: GraphQLSchema, name: string): boolean {
  const [, owner = ""] = /^(\w+)Parent$/.exec(name) ?? [];
  const [, input = ""] = /^to(\w+)$/.exec(name) ?? [];
  return (
    schema.getType(owner) !== undefined ||
    isInputObjectType(schema.getType(input)) ||
    namesOf(schema).ofArguments.has(lettersOf(name))
  );
}

/** `ofArguments`: the letters of each name that codegen gives to the type of a field's arguments. */
type Names = { readonly suffix: string; readonly ofArguments: ReadonlySet<string> };

const known = new WeakMap<GraphQLSchema, Names>();

/** Every name in the generated files asks for these, so a schema's are found once. */
function namesOf(schema: GraphQLSchema): Names {
  const names = known.get(schema) ?? findNames(Object.values(schema.getTypeMap()));
  known.set(schema, names);
  return names;
}

function findNames(types: readonly GraphQLNamedType[]): Names {
  const ofArguments = types
    .filter(isObjectType)
    .flatMap((type) => Object.keys(type.getFields()).map((field) => lettersOf(`${type.name}${field}Args`)));
  const suffix = types.some(({ name }) => name.endsWith("Resolvers")) ? "$Resolvers" : "Resolvers";
  return { suffix, ofArguments: new Set(ofArguments) };
}

const lettersOf = (name: string): string => name.replaceAll("_", "").toLowerCase();
