/** Names that `generated/graphql.ts` and `generated/resolvers.ts` need themselves: a GraphQL type of that name would hide them. */
import { type GraphQLSchema, isInputObjectType, isScalarType } from "graphql";
import { placeOf } from "./directives.ts";
import type { Findings } from "./findings.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

const taken = new Set([
  // TypeScript's own
  ...words(`any as async await bigint boolean break case catch class const continue debugger default delete do else enum
    export extends false finally for function if implements import in infer instanceof interface keyof let never new null
    number object package private protected public readonly return static string super switch symbol this throw true try
    type typeof undefined unique unknown var void while with yield arguments eval globalThis`),
  // global types
  ...words(`Array AsyncIterable Extract NonNullable Omit Partial Pick Promise PropertyKey Readonly ReadonlyArray Record
    Required`),
  // what graphql-codegen writes or imports
  ...words(`DirectiveResolverFn EnumResolverSignature Exact GraphQLResolveInfo GraphQLScalarType GraphQLScalarTypeConfig
    Incremental InputMaybe IsTypeOfResolverFn Maybe NextResolverFn RequireFields Resolver ResolverFn ResolverTypeWrapper
    Resolvers ResolversInterfaceTypes ResolversParentTypes ResolversTypes ResolversUnionTypes Scalars SubscriptionObject
    SubscriptionResolveFn SubscriptionResolver SubscriptionResolverObject SubscriptionSubscribeFn
    SubscriptionSubscriberObject TypeResolveFn TypedDocumentText`),
  // what our own emitters do
  ...words("Context batchEach batchMany batchOne components itself level member paths property"),
]);

export function checkTypeNames(schema: GraphQLSchema, findings: Findings): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const { name } = type;
    if (name.startsWith("__") || isScalarType(type)) continue;
    if (!taken.has(name) && !isDerived(schema, name)) continue;
    const where = { coordinate: name, schema: placeOf(type.astNode) };
    const message = `the generated TypeScript has something else of the name ${name}`;
    findings.add("type-name-taken", where, message, "give the type another name");
  }
}

/** Whether another type has something generated of this name: its resolvers, its parent, a function that sends it. */
function isDerived(schema: GraphQLSchema, name: string): boolean {
  const [, owner = ""] = /^(\w+)(?:Resolvers|Parent)$/.exec(name) ?? [];
  const [, input = ""] = /^to(\w+)$/.exec(name) ?? [];
  return schema.getType(owner) !== undefined || isInputObjectType(schema.getType(input));
}
