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
  // types that graphql-codegen writes or imports
  ...words(`DirectiveResolverFn EnumResolverSignature Exact GraphQLResolveInfo GraphQLScalarType GraphQLScalarTypeConfig
    Incremental InputMaybe IsTypeOfResolverFn Maybe NextResolverFn RequireFields Resolver ResolverFn ResolverTypeWrapper
    Resolvers ResolversInterfaceTypes ResolversParentTypes ResolversTypes ResolversUnionTypes Scalars SubscriptionObject
    SubscriptionResolveFn SubscriptionResolver SubscriptionResolverObject SubscriptionSubscribeFn
    SubscriptionSubscriberObject TypeResolveFn TypedDocumentText`),
  // names that our own emitters write
  ...words("Connection Context ContextOf Entries components paths"),
  ...restFunctions,
]);

/** The TypeScript names of a schema's types, computed once for all emitters. */
export class TypeNames {
  /** The suffix of resolver types. It is `$Resolvers` if a type's own name ends with `Resolvers`, to avoid a collision. */
  readonly resolversSuffix: string;
  readonly #schema: GraphQLSchema;
  /** Names of argument types such as `QueryContactsArgs` that codegen derives, normalized by `normalizeName`. */
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

  /** Appends a `$` if the name is already used. GraphQL names cannot contain a `$`. */
  of(type: string): string {
    return reservedNames.has(type) || this.#isDerived(type) ? `${type}$` : type;
  }

  /** The type of the REST object that the type's resolvers receive as parent. */
  ofParent(type: string): string {
    return `${this.of(type)}Parent`;
  }

  ofResolvers(type: string): string {
    return `${this.of(type)}${this.resolversSuffix}`;
  }

  /** Whether codegen derives this name from another type, for its parent, its arguments or its conversion. */
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
