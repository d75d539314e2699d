/** The possible sources of a parameter or body property. */
import { type GraphQLArgument, type GraphQLInputField, type GraphQLInputType, isNonNullType } from "graphql";
import type { RestNode } from "../../openapi/document.ts";
import type { Property, Shape } from "../../openapi/shapes/shape.ts";

/**
 * An argument, or a field of an input object. `nullable`: whether a step of the path may be null. `defaults`: indexes of steps
 * with a default, which clients may still set to null.
 */
export type ArgumentSource = {
  readonly kind: "argument";
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly defaults: readonly number[];
  readonly type: GraphQLInputType;
};

/** A property of the parent's REST object: `parent.id`. `nullable`: whether a step of the path may be null. */
export type ParentSource = {
  readonly kind: "parent";
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/**
 * A property of the nearest object of `type` above the parent: `Account.id`. `nullable`: whether a step of the path may be null.
 */
export type EnclosingSource = {
  readonly kind: "enclosing";
  readonly type: string;
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/**
 * The argument `x` of the nearest field above that has it: `argsAbove.x`. `nullable`: whether it is nullable in any field above.
 */
export type ArgumentAboveSource = {
  readonly kind: "argumentAbove";
  readonly path: readonly [name: string];
  readonly nullable: boolean;
  readonly defaults: readonly number[];
  /** A scalar or an enum. */
  readonly type: GraphQLInputType;
};

export type InheritedSource = EnclosingSource | ArgumentAboveSource;

export type InputSource = ArgumentSource | ParentSource | InheritedSource | ConstantSource | TenantSource;

/** The id of the caller's tenant, as verified by the gateway. */
type TenantSource = { readonly kind: "tenant" };

/** A constant in the GraphQL schema, or in `spec/credentials.yaml` at the node `fixedAt`. */
type ConstantSource = { readonly kind: "constant"; readonly value: unknown; readonly fixedAt?: RestNode };

type Declared = GraphQLArgument | GraphQLInputField;

/** Whether clients may omit the value, and no default replaces it. */
export const isNullableInput = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue === undefined;

/** Whether clients may override the default with null. */
export const isNullByDefault = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue !== undefined;

/** Whether the server rejects a null before the call, because REST requires a value. */
export const rejectsNull = (field: GraphQLInputField, { required, shape }: Property): boolean =>
  required && !shape.nullable && isNullByDefault(field);

/** `steps`: the argument, and the input fields on the path. */
export const argumentSource = (steps: readonly Declared[], type: GraphQLInputType): ArgumentSource => ({
  kind: "argument",
  path: steps.map(({ name }) => name),
  nullable: steps.some(isNullableInput),
  defaults: steps.flatMap((step, index) => (isNullByDefault(step) ? [index] : [])),
  type,
});

/** Whether the value comes from the REST object of the parent or of an enclosing object. */
export const readsObject = (source: InputSource): source is ParentSource | EnclosingSource =>
  source.kind === "parent" || source.kind === "enclosing";

export const isInheritedSource = (source: InputSource): source is InheritedSource =>
  source.kind === "enclosing" || source.kind === "argumentAbove";

/** Returns the source as written in the schema: `args.x`, `parent.x`, `Type.x`, `argsAbove.x` or a constant. */
export function formatSource(source: InputSource): string {
  if (source.kind === "constant")
    return `constant ${JSON.stringify(source.value)}${source.fixedAt ? " of spec/credentials.yaml" : ""}`;
  if (source.kind === "tenant") return "the id of the caller's tenant";
  const root = source.kind === "enclosing" ? source.type : roots[source.kind];
  return [root, ...source.path].join(".");
}

const roots = { argument: "args", parent: "parent", argumentAbove: "argsAbove" };

/** Returns the enclosing types from which the field reads a value: `Account` for `from: "Account.id"`. */
export const enclosingTypes = ({
  inputs,
}: {
  readonly inputs: readonly { readonly source: InputSource }[];
}): string[] => [
  ...new Set(inputs.flatMap(({ source }) => (source.kind === "enclosing" ? [source.type] : []))),
];
