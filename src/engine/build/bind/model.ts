/**
 * The resolved model: every binding of the schema as plain data. Codegen, check, explain and propose read it.
 */
import type { DocumentNode, GraphQLField, GraphQLInputType, GraphQLOutputType, GraphQLSchema } from "graphql";
import type { Operation } from "../../shared/operation.ts";
import type { Page } from "../../shared/page.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { CredentialsFile } from "../openapi/credentials-file.ts";
import type { Deprecation } from "../openapi/deprecation.ts";
import type { RestDocument, RestNode } from "../openapi/document.ts";
import type { HeldByOperation } from "../openapi/held-credentials.ts";
import type { RestOperation } from "../openapi/operation.ts";
import type { RestOperations } from "../openapi/read-operations.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import type { Federation, KeyField } from "../schema/federation.ts";
import type { RestNames } from "../schema/rest-names.ts";
import type { InputPairs } from "./inputs/input-pairs.ts";
import type { InputSlot } from "./inputs/input-slots.ts";
import type {
  ArgumentSource,
  EnclosingSource,
  InheritedSource,
  InputSource,
  ParentSource,
} from "./inputs/input-source.ts";
import type { InputConversion, RestRequest } from "./requests/rest-request.ts";

/** A parameter or body property, with the source that feeds it. */
export type Input = InputSlot & {
  readonly source: InputSource;
  /** The default value of the argument that feeds it. */
  readonly argumentDefault?: unknown;
};

/** One call for many parents with the same inherited values; results are matched to the parents by a property. */
export type Batch = {
  /**
   * The input that receives the parents' keys; `in` is `item` if the keys are looked up in a complete list. Other inputs have
   * the same value for all parents.
   */
  readonly key: Input & { readonly source: ParentSource };
  /** The path, in each item of the result, of the property that holds its key. */
  readonly match: readonly string[];
  /** The maximum number of keys per call; infinite for lookups. */
  readonly size: number;
  /** one: one object per key · many: a list per key · each: the parent has a list of keys. */
  readonly mode: "one" | "many" | "each";
  /** each: the document allows nulls in the parent's list. */
  readonly nullItems?: true;
};

/** `batched by id`, for commands and generated comments. */
export const describeBatch = ({ key, match }: Batch): string =>
  `${key.in === "item" ? "looked up" : "batched"} by ${match.join(".")}`;

export const describeBatchSize = ({ key, size }: Batch): string =>
  key.in === "item" ? "all keys in one call" : `up to ${size} keys per call`;

type NamedField = {
  readonly coordinate: string;
  /** The object type that has the field. */
  readonly type: string;
  readonly definition: GraphQLField<unknown, unknown>;
};

/** The binding of a field: the source of each parameter, and the path of the result. */
export type FieldBinding = NamedField & {
  readonly kind: "bound";
  readonly operation: RestOperation;
  readonly inputs: readonly Input[];
  /** The argument that is the whole body. */
  readonly wholeBody?: ArgumentSource;
  /** The path of the result in the response body; empty: the whole body. */
  readonly result: readonly string[];
  /** The result is a map, and the field's value is the list of its entries. */
  readonly entries?: true;
  readonly batch?: Batch;
  /**
   * For an entity reference with `batchBy`: the maximum number of keys per call, and the path of the items' property that holds
   * the key.
   */
  readonly reference?: Pick<Batch, "match" | "size"> | undefined;
  readonly connection?: Page;
  /**
   * Whether a 404 makes the field null. True for nullable fields, except Mutation's, of operations that document a 404
   * response.
   */
  readonly nullOn404: boolean;
  /** The nullable values of the parent, or inherited ones, that a call needs. If one is null, the field is null. */
  readonly needs: readonly (ParentSource | InheritedSource)[];
  /**
   * The sources of the lists that select the field's items. If one of these lists is empty, the field is an empty list and no
   * call is made.
   */
  readonly keyLists: readonly (ParentSource | EnclosingSource)[];
};

/** A bound field of the model: its binding, and the request that the binding makes. */
export type BoundField = FieldBinding & { readonly request: RestRequest };

export type PlainField = NamedField & {
  readonly kind: "plain";
  /** The REST property that the field reads, step by step; empty: the parent's own object (`@restName(self: true)`). */
  readonly path: readonly string[];
  /** The property is a map, and the field's value is the list of its entries. */
  readonly entries?: true;
};

export type ModelField = BoundField | PlainField;

/**
 * A union or an interface: the discriminator's property, and the object type for each of its values. Without a discriminator,
 * the keys of `members` are names of properties that only REST objects of one type have.
 */
export type AbstractType = {
  readonly name: string;
  readonly property?: string;
  readonly members: ReadonlyMap<string, string>;
  /** The object type of REST objects that none of `members` selects. */
  readonly otherwise?: string;
};

/** A REST object that an object type is read from. */
export type Backing = {
  readonly shape: Shape;
  /** Its TypeScript type (`outputs/type-expression.ts`). */
  readonly typeExpression: string;
  /** The status of the response, if the object is a response and the operation documents several responses. */
  readonly status?: string;
  /** The coordinate of the first bound field that returns the object. */
  readonly from: string;
};

/** How the representation of an entity, sent by a federation gateway, is resolved to an object. */
export type Reference = {
  readonly type: string;
  /**
   * `property`: the REST name of the key's field, if the reference has no `field`. `isInteger`: the ID is an integer in REST.
   */
  readonly keys: readonly (Omit<KeyField, "isRequired"> & {
    readonly property?: string;
    readonly isInteger?: true;
    /** A field of `@requires`, not of the key. */
    readonly isOptional?: true;
  })[];
  /** The field of Query that loads the object by its key. Without it, the representation itself is the object. */
  readonly field?: string;
  /** The field takes a list of keys. */
  readonly batch?: Pick<Batch, "match" | "size">;
};

/** A schema may be used in responses and requests. A change may break only one direction. */
export type Direction = "response" | "request";

/**
 * A REST value that the field or argument at a coordinate returns or sends. `check --base` compares its schema with the base's.
 */
export type ValueUse = {
  readonly coordinate: string;
  readonly direction: Direction;
  /** The GraphQL type; undefined for a value that is read from one REST object and sent as a parameter of the next call. */
  readonly type?: GraphQLInputType | GraphQLOutputType;
  /** The node that uses the schema: a property, a parameter, the items of a list. */
  readonly node: RestNode;
  readonly shape: Shape;
};

export type Model = {
  readonly document: RestDocument;
  readonly schema: GraphQLSchema;
  readonly schemaDocument: DocumentNode;
  readonly names: RestNames;
  readonly pairs: InputPairs;
  readonly operations: RestOperations;
  /** The operations that are called with credentials of the server (`spec/credentials.yaml`). */
  readonly held: HeldByOperation;
  /** By schema coordinate, in schema order. */
  readonly fields: ReadonlyMap<string, ModelField>;
  /**
   * By schema coordinate, the nullable levels at which null implies a failure, provided that REST conforms to its document: 0 is
   * the value, 1 an item of its list.
   */
  readonly semanticNonNull: ReadonlyMap<string, readonly number[]>;
  /** The coordinates of fields that are null without a call, while the document forbids null as the value of their call. */
  readonly nullOnlyWithoutCall: ReadonlySet<string>;
  /** By schema coordinate, the deprecations of fields, arguments and input fields that depend on a deprecated part of REST. */
  readonly deprecations: ReadonlyMap<string, Deprecation>;
  readonly abstracts: ReadonlyMap<string, AbstractType>;
  /** By object type name. */
  readonly backings: ReadonlyMap<string, readonly Backing[]>;
  /** Enum type → GraphQL value → REST value, for enums with a renamed value. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The conversions used by requests. */
  readonly inputConversions: readonly InputConversion[];
  /** The bound operations, by method and path. */
  readonly calledOperations: ReadonlyMap<string, Operation>;
  /** Undefined if the graph is not a subgraph. */
  readonly federation?: Federation | undefined;
  /** The references of entities, in schema order. */
  readonly references: readonly Reference[];
  readonly values: readonly ValueUse[];
};

/** In schema order. */
export const boundFields = ({ fields }: Pick<Model, "fields">): BoundField[] =>
  [...fields.values()].filter((field) => field.kind === "bound");

/**
 * The REST API of a project: its OpenAPI documents with their operations, and the credentials that the server holds for them.
 */
export type RestApi = Pick<Model, "document" | "operations"> & { readonly credentials?: CredentialsFile };

/**
 * A schema bound to documents. The model is absent if the schema is not valid; it may be wrong if the diagnostics include
 * errors.
 */
export type BindResult = { readonly model?: Model; readonly diagnostics: readonly Diagnostic[] };
