/** The result of binding, read by codegen, check, explain and propose. */
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
  /** The default of the argument, if the source is an argument. */
  readonly argumentDefault?: unknown;
};

/** One REST call that loads a field for many parent objects (`bind-batch.ts`). */
export type Batch = {
  /** The parents' keys. With `in: "item"`, they are not sent, but looked up in the complete list. */
  readonly key: Input & { readonly source: ParentSource };
  /** Path of the key in each item of the response. */
  readonly match: readonly string[];
  /** The maximum number of keys per call; infinite for `in: ITEM`. */
  readonly size: number;
  /** `one`: each key has one object. `many`: each key has a list of objects. `each`: each parent has a list of keys. */
  readonly mode: "one" | "many" | "each";
  /** In mode `each`: the document allows nulls in the parent's list of keys. */
  readonly nullItems?: true;
};

/** Returns `batched by id`, for example. */
export const describeBatch = ({ key, match }: Batch): string =>
  `${key.in === "item" ? "looked up" : "batched"} by ${match.join(".")}`;

export const describeBatchSize = ({ key, size }: Batch): string =>
  key.in === "item" ? "all keys in one call" : `up to ${size} keys per call`;

type NamedField = {
  readonly coordinate: string;
  /** Name of the object type that has the field. */
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
  /** The field lists the entries of a REST map. */
  readonly entries?: true;
  readonly batch?: Batch;
  /** Present if the field resolves federation entities with `batchBy`. */
  readonly reference?: Pick<Batch, "match" | "size"> | undefined;
  readonly connection?: Page;
  /** Whether a 404 makes the field null rather than an error. */
  readonly nullOn404: boolean;
  /** If one of these values is null, the field is null, and no call is made. */
  readonly needs: readonly (ParentSource | InheritedSource)[];
  /** If one of these lists is empty, the field is an empty list, and no call is made. */
  readonly keyLists: readonly (ParentSource | EnclosingSource)[];
};

/** A field that calls an operation, with the request that it sends. */
export type BoundField = FieldBinding & { readonly request: RestRequest };

export type PlainField = NamedField & {
  readonly kind: "plain";
  /** Path of the REST property that the field reads. Empty with `@restName(self: true)`, which reads the whole object. */
  readonly path: readonly string[];
  /** The field lists the entries of a REST map. */
  readonly entries?: true;
};

export type ModelField = BoundField | PlainField;

/**
 * `members` maps each discriminator value to an object type. Without a discriminator, it maps the name of a property that only
 * one of the object types has.
 */
export type AbstractType = {
  readonly name: string;
  readonly property?: string;
  readonly members: ReadonlyMap<string, string>;
  /** The object type of REST objects that match none of `members`. */
  readonly otherwise?: string;
};

/** A REST object schema from which the fields of a GraphQL type are read. */
export type Backing = {
  readonly shape: Shape;
  /** TypeScript type of the object in generated code. */
  readonly typeExpression: string;
  /** Status of the response, if the operation documents several. */
  readonly status?: string;
  /** Coordinate of the first bound field that returns the object. */
  readonly from: string;
};

/**
 * Object type → its REST schemas in the base revision of `check --base`, for types that no bound field returns any more. Parent
 * types come before their children.
 */
export type FormerObjects = ReadonlyMap<string, () => readonly Backing[]>;

/** How the server resolves an entity representation from a federation router (`_entities`). */
export type Reference = {
  readonly type: string;
  /** `property`: the key's REST property, if `field` is absent. `isInteger`: whether REST's id is an integer. */
  readonly keys: readonly (Omit<KeyField, "isRequired"> & {
    readonly property?: string;
    readonly isInteger?: true;
    /** The field comes from a `@requires`, not from the key. */
    readonly isOptional?: true;
  })[];
  /** The Query field that loads the entity. Without it, the representation itself is the entity. */
  readonly field?: string;
  /** Present if `field` takes a list of keys. */
  readonly batch?: Pick<Batch, "match" | "size">;
};

export type Direction = "response" | "request";

/** A REST value that a field returns or an argument sends. `check --base` compares the old and the new schema of the value. */
export type ValueUse = {
  readonly coordinate: string;
  readonly direction: Direction;
  /** Undefined for a value that only passes from a REST response to the next REST request, unseen by clients. */
  readonly type?: GraphQLInputType | GraphQLOutputType;
  /** The OpenAPI node that uses the schema, such as a parameter or a property. */
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
  /** Operations that are called with the server's credentials (`spec/credentials.yaml`). */
  readonly held: HeldByOperation;
  /** Schema coordinate → field, in schema order. */
  readonly fields: ReadonlyMap<string, ModelField>;
  /**
   * Schema coordinate → levels at which the type allows null, but REST never sends it: 0 for the value, 1 for an item of its
   * list.
   */
  readonly semanticNonNull: ReadonlyMap<string, readonly number[]>;
  /** Coordinates of fields that are null only if no call is made: responses never have null for them. */
  readonly nullOnlyWithoutCall: ReadonlySet<string>;
  /** Schema coordinate → the REST deprecation that affects this field, argument or input field. */
  readonly deprecations: ReadonlyMap<string, Deprecation>;
  readonly abstracts: ReadonlyMap<string, AbstractType>;
  /** Object type → the REST schemas of its objects. */
  readonly backings: ReadonlyMap<string, readonly Backing[]>;
  /** Enum type with a renamed value → GraphQL value → REST value. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly inputConversions: readonly InputConversion[];
  /** Method and path → bound operation. */
  readonly calledOperations: ReadonlyMap<string, Operation>;
  /** Undefined if the schema is not a federation subgraph. */
  readonly federation?: Federation | undefined;
  readonly references: readonly Reference[];
  readonly values: readonly ValueUse[];
};

/** Returns the bound fields in schema order. */
export const boundFields = ({ fields }: Pick<Model, "fields">): BoundField[] =>
  [...fields.values()].filter((field) => field.kind === "bound");

/** `credentials`: the content of `spec/credentials.yaml`. */
export type RestApi = Pick<Model, "document" | "operations"> & { readonly credentials?: CredentialsFile };

/** The model is absent if the schema is invalid, and may be wrong if the diagnostics contain errors. */
export type BindResult = { readonly model?: Model; readonly diagnostics: readonly Diagnostic[] };
