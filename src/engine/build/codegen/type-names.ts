/** Names GraphQL types in the generated TypeScript without collisions. */
import { type GraphQLSchema, isInputObjectType, isObjectType } from "graphql";
import { normalizeName } from "../schema/graphql-names.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The functions of `restbound/rest` that resolvers may call. */
export const restFunctions =
  words(`batchEach batchMany batchOne connection entries entriesFrom external inheriting
  inheritingLevel integer isEmptyList itself level neverNull property propertyAt required
  resolveTypeByProperty resolveTypeByValue untyped`);

const reservedNames = new Set([
  // TypeScript's keywords and types
  ...words(`any as async await bigint boolean break case catch class const continue debugger default delete do else enum
    export extends false finally for function if implements import in infer instanceof interface keyof let never new null
    number object package private protected public readonly return static string super switch symbol this throw true try
    type typeof undefined unique unknown var void while with yield arguments eval globalThis`),
  // global types
  ...words(`Array AsyncIterable Exclude Extract NonNullable Omit Partial Pick Promise PropertyKey Readonly ReadonlyArray Record
    Required`),
  // types in graphql-codegen's output
  ...words(`DirectiveResolverFn EnumResolverSignature Exact GraphQLResolveInfo GraphQLScalarType GraphQLScalarTypeConfig
    Incremental InputMaybe IsTypeOfResolverFn Maybe NextResolverFn RequireFields Resolver ResolverFn ResolverTypeWrapper
    Resolvers ResolversInterfaceTypes ResolversParentTypes ResolversTypes ResolversUnionTypes Scalars SubscriptionObject
    SubscriptionResolveFn SubscriptionResolver SubscriptionResolverObject SubscriptionSubscribeFn
    SubscriptionSubscriberObject TypeResolveFn TypedDocumentText`),
  // names in the output of our emitters
  ...words("Connection Context ContextOf Entries components paths"),
  ...restFunctions,
]);

/** The TypeScript names of a schema's types. */
export class TypeNames {
  /** Suffix of resolver types. It is `$Resolvers` if the name of a GraphQL type ends with `Resolvers`. */
  readonly resolversSuffix: string;
  readonly #schema: GraphQLSchema;
  /** Argument types that graphql-codegen derives, such as `QueryBooksArgs`, normalized by `normalizeName`. */
  readonly #ofArguments: ReadonlySet<string>;

  constructor(schema: GraphQLSchema) {
    const types = Object.values(schema.getTypeMap());
    const ofArguments = types
      .filter(isObjectType)
      .flatMap((type) =>
        Object.keys(type.getFields()).map((field) => normalizeName(`${type.name}${field}Args`)),
      );
    this.resolversSuffix = types.some(({ name }) => name.endsWith("Resolvers")) ? "$Resolvers" : "Resolvers";
    this.#schema = schema;
    this.#ofArguments = new Set(ofArguments);
  }

  /** Appends a `$` to a name that is already used: GraphQL names cannot contain `$`. */
  of(type: string): string {
    return reservedNames.has(type) || this.#isDerived(type) ? `${type}$` : type;
  }

  /** Name of the parent type of the type's resolvers. */
  ofParent(type: string): string {
    return `${this.of(type)}Parent`;
  }

  ofResolvers(type: string): string {
    return `${this.of(type)}${this.resolversSuffix}`;
  }

  /** Whether codegen derives the same name from another type, for its parent, its arguments or its conversion. */
  #isDerived(name: string): boolean {
    const [, owner = ""] = /^(\w+)Parent$/.exec(name) ?? [];
    const [, input = ""] = /^to(\w+)$/.exec(name) ?? [];
    return (
      this.#schema.getType(owner) !== undefined ||
      isInputObjectType(this.#schema.getType(input)) ||
      this.#ofArguments.has(normalizeName(name))
    );
  }
}
