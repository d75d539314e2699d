/**
 * The resolved model: what every binding comes to. Pure data, read by codegen, check, explain and propose alike.
 */
import type { DocumentNode, GraphQLInputType, GraphQLSchema } from "graphql";
import type { Diagnostic, Place } from "./diagnostic.ts";
import type { Location, RestOperation } from "./operations.ts";
import type { RestDocument, RestNode } from "./rest-document.ts";
import type { Shape } from "./shape.ts";

/** An argument, or a field of one. `nullable`: it, or what stands on the way to it, may be null. */
export type ArgumentSource = {
  readonly kind: "argument";
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly type: GraphQLInputType;
};

/** A property of the parent's REST object, with its shape; `nullable` as above. */
export type ParentSource = {
  readonly kind: "parent";
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/** Where a parameter's value comes from. */
export type InputSource =
  | ArgumentSource
  | ParentSource
  | { readonly kind: "constant"; readonly value: unknown };

export type Input = {
  readonly name: string;
  readonly in: Location;
  readonly required: boolean;
  /** Whether REST takes an explicit null here (a body property only). */
  readonly takesNull: boolean;
  /** The parameter, or the body property. */
  readonly node: RestNode;
  readonly shape: Shape;
  readonly source: InputSource;
  /** The default of the argument that feeds it. */
  readonly argumentDefault?: unknown;
};

/** How a batched link's answers go back to their parents. */
export type Batch = {
  /** The input that takes the collected keys; the others are the same for all parents. */
  readonly key: Input & { readonly source: ParentSource };
  readonly match: string;
  readonly size: number;
  /** one: an object a key · many: a list a key · each: the parent holds a list of keys. */
  readonly mode: "one" | "many" | "each";
};

export type BoundField = {
  readonly kind: "bound";
  readonly coordinate: string;
  readonly type: string;
  readonly field: string;
  readonly operation: RestOperation;
  readonly inputs: readonly Input[];
  /** The argument that is the whole body. */
  readonly wholeBody?: ArgumentSource;
  readonly result: readonly string[];
  readonly batch?: Batch;
  /** A documented 404 is null (nullable Query and link fields). */
  readonly nullOn404: boolean;
  /** The parent's properties without any of which a link that is not batched has nothing to ask for. */
  readonly needs: readonly ParentSource[];
  readonly place?: Place;
};

export type PlainField = {
  readonly kind: "plain";
  readonly coordinate: string;
  readonly type: string;
  readonly field: string;
  /** The REST property it reads; absent: its parent's own object (`@restName(self: true)`). */
  readonly property?: string;
};

export type ModelField = BoundField | PlainField;

/** A union or interface: the property that chooses, and the object type that each value chooses. */
export type AbstractType = {
  readonly name: string;
  readonly property: string;
  readonly members: ReadonlyMap<string, string>;
};

/** One use of an object type over a REST object. */
export type Backing = {
  readonly shape: Shape;
  /** The TypeScript type of that object, in terms of the generated REST types. */
  readonly expression: string;
};

/** A schema may describe what REST answers and what it is sent: a change often matters in one of them only. */
export type Direction = "answer" | "request";

/**
 * A node of the document that a schema coordinate rests on: a property, a schema, a parameter. The join that impact
 * analysis needs.
 */
export type Reliance = {
  readonly coordinate: string;
  readonly node: RestNode;
  readonly direction: Direction;
};

export type Model = {
  readonly document: RestDocument;
  readonly schema: GraphQLSchema;
  readonly schemaDocument: DocumentNode;
  readonly operations: ReadonlyMap<string, RestOperation>;
  /** By schema coordinate, in schema order. */
  readonly fields: ReadonlyMap<string, ModelField>;
  readonly abstracts: ReadonlyMap<string, AbstractType>;
  /** By object type name. */
  readonly backings: ReadonlyMap<string, readonly Backing[]>;
  /** Enum type → GraphQL value → REST value, for enums that rename. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly reliances: readonly Reliance[];
};

/** In schema order. */
export const boundFields = ({ fields }: Pick<Model, "fields">): BoundField[] =>
  [...fields.values()].filter((field) => field.kind === "bound");

/** What loading comes to: findings, and the model where there is a schema to bind. */
export type Spec = { readonly model?: Model; readonly diagnostics: readonly Diagnostic[] };
