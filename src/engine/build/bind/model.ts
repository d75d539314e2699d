/** The result of binding as plain data. Codegen, check, explain and propose read it. */
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

/** A parameter or body property with the source of its value. */
export type Input = InputSlot & {
  readonly source: InputSource;
  /** The default value, if the source is an argument. */
  readonly argumentDefault?: unknown;
};

/**
 * One call that loads the values of many parents (`bind-batch.ts`). All inputs except the keys have the same value for these
 * parents.
 */
export type Batch = {
  /** The input for the parents' keys. With `in: "item"`, the keys are not sent, but looked up in a complete list. */
  readonly key: Input & { readonly source: ParentSource };
  /** The path to the key in each item of the response. */
  readonly match: readonly string[];
  /** The maximum number of keys per call; infinite for `in: ITEM`. */
  readonly size: number;
  /** `one`: each key has one object. `many`: each key has a list of objects. `each`: each parent has a list of keys. */
  readonly mode: "one" | "many" | "each";
  /** In mode `each`: the document allows nulls in the parent's list of keys. */
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

/** How a field calls an operation: the source of each parameter, and the path of the field's value in the response. */
export type FieldBinding = NamedField & {
  readonly kind: "bound";
  readonly operation: RestOperation;
  readonly inputs: readonly Input[];
  /** The argument that becomes the whole request body. */
  readonly wholeBody?: ArgumentSource;
  /** The path of the value in the response body; empty for the whole body. */
  readonly result: readonly string[];
  /** The REST value is a map; the field returns the list of its entries. */
  readonly entries?: true;
  readonly batch?: Batch;
  /** Only for a field that resolves a federation `@key` with `batchBy`. */
  readonly reference?: Pick<Batch, "match" | "size"> | undefined;
  readonly connection?: Page;
  /** Whether a 404 makes the field null: the field is nullable and not of Mutation, and its operation documents a 404. */
  readonly nullOn404: boolean;
  /** Nullable values that a call needs. If one is null, the field is null, and no call is made. */
  readonly needs: readonly (ParentSource | InheritedSource)[];
  /** Sources of lists that select the field's items. If one is empty, the field is an empty list, and no call is made. */
  readonly keyLists: readonly (ParentSource | EnclosingSource)[];
};

/** A field that calls an operation, with the request that it sends. */
export type BoundField = FieldBinding & { readonly request: RestRequest };

export type PlainField = NamedField & {
  readonly kind: "plain";
  /** The path of the REST property that the field reads; empty for the parent's REST object itself (`@restName(self: true)`). */
  readonly path: readonly string[];
  /** The REST value is a map; the field returns the list of its entries. */
  readonly entries?: true;
};

export type ModelField = BoundField | PlainField;

/**
 * A union or an interface. `members`: discriminator value → object type. Without a discriminator: name of a property that only
 * one member has → object type.
 */
export type AbstractType = {
  readonly name: string;
  readonly property?: string;
  readonly members: ReadonlyMap<string, string>;
  /** The object type of REST objects that match none of `members`. */
  readonly otherwise?: string;
};

/** A REST object from which the fields of a GraphQL object type are read. */
export type Backing = {
  readonly shape: Shape;
  /** The object's TypeScript type (`outputs/type-expression.ts`). */
  readonly typeExpression: string;
  /** The status of the response that contains the object, if the operation documents several statuses. */
  readonly status?: string;
  /** The coordinate of the first bound field that returns the object. */
  readonly from: string;
};

/**
 * By object type: the REST objects that it was read from at the base of a comparison. They are bound only if no field leads to a
 * REST object of the type. Parents come before the objects below them.
 */
export type FormerObjects = ReadonlyMap<string, () => readonly Backing[]>;

/** How a representation from a federation router is resolved to an object. */
export type Reference = {
  readonly type: string;
  /**
   * The fields of the key. `property`: the REST name, if the reference has no `field`. `isInteger`: the ID is an integer in REST.
   */
  readonly keys: readonly (Omit<KeyField, "isRequired"> & {
    readonly property?: string;
    readonly isInteger?: true;
    /** The field is not part of the key, but a `@requires` names it. */
    readonly isOptional?: true;
  })[];
  /** The Query field that loads the object. Without it, the representation itself is the object. */
  readonly field?: string;
  /** Present if `field` takes a list of keys. */
  readonly batch?: Pick<Batch, "match" | "size">;
};

/** Whether REST sends or receives a value, because a change of its schema may break only one direction. */
export type Direction = "response" | "request";

/** A REST value that a field returns or an argument sends. `check --base` compares the old and the new schema of the value. */
export type ValueUse = {
  readonly coordinate: string;
  readonly direction: Direction;
  /** Undefined for a value that is read from a REST object and sent in the next call, because clients do not see it. */
  readonly type?: GraphQLInputType | GraphQLOutputType;
  /** The node that uses the schema, such as a property, a parameter or the items of a list. */
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
  /** The operations that are called with the server's credentials (`spec/credentials.yaml`). */
  readonly held: HeldByOperation;
  /** By schema coordinate, in schema order. */
  readonly fields: ReadonlyMap<string, ModelField>;
  /**
   * By schema coordinate: the levels at which the type allows null, but REST never sends null. Level 0 is the value, level 1 an
   * item of its list.
   */
  readonly semanticNonNull: ReadonlyMap<string, readonly number[]>;
  /** The coordinates of fields that are null only if no call is made, because the document forbids null in the response. */
  readonly nullOnlyWithoutCall: ReadonlySet<string>;
  /** By schema coordinate: fields, arguments and input fields that depend on something deprecated in REST. */
  readonly deprecations: ReadonlyMap<string, Deprecation>;
  readonly abstracts: ReadonlyMap<string, AbstractType>;
  /** By object type name. */
  readonly backings: ReadonlyMap<string, readonly Backing[]>;
  /** Enum type with a renamed value → GraphQL value → REST value. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly inputConversions: readonly InputConversion[];
  /** The bound operations, by method and path. */
  readonly calledOperations: ReadonlyMap<string, Operation>;
  /** Undefined if the schema is not a federation subgraph. */
  readonly federation?: Federation | undefined;
  readonly references: readonly Reference[];
  readonly values: readonly ValueUse[];
};

/** In schema order. */
export const boundFields = ({ fields }: Pick<Model, "fields">): BoundField[] =>
  [...fields.values()].filter((field) => field.kind === "bound");

/** The REST API of a project. `credentials`: the server's own credentials for it. */
export type RestApi = Pick<Model, "document" | "operations"> & { readonly credentials?: CredentialsFile };

/** The model is absent if the schema is invalid, and may be wrong if the diagnostics contain errors. */
export type BindResult = { readonly model?: Model; readonly diagnostics: readonly Diagnostic[] };
