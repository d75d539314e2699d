/** The possible sources of a parameter or body property. */
import { type GraphQLArgument, type GraphQLInputField, type GraphQLInputType, isNonNullType } from "graphql";
import type { RestNode } from "../../openapi/document.ts";
import type { Property, Shape } from "../../openapi/shapes/shape.ts";

/**
 * An argument, or a field of an input object. `nullable`: a step of the path may be null. `defaults`: the indexes of nullable
 * steps with a default, for which clients may send an explicit null.
 */
export type ArgumentSource = {
  readonly kind: "argument";
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly defaults: readonly number[];
  readonly type: GraphQLInputType;
};

/** A property of the parent's REST object. `nullable`: a step of the path may be null. */
export type ParentSource = {
  readonly kind: "parent";
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/** A property in the REST object of the nearest enclosing object of `type`. `nullable`: a step of the path may be null. */
export type EnclosingSource = {
  readonly kind: "enclosing";
  readonly type: string;
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/**
 * An argument of the nearest field above that has an argument with this name. `nullable`: the argument is nullable in one of the
 * possible fields.
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

/** The id of the caller's tenant, which the gateway has verified. */
type TenantSource = { readonly kind: "tenant" };

/** A constant in the schema, or in `spec/credentials.yaml` at the node `fixedAt`. */
type ConstantSource = { readonly kind: "constant"; readonly value: unknown; readonly fixedAt?: RestNode };

type Declared = GraphQLArgument | GraphQLInputField;

/** Whether the value may be missing: the type is nullable and has no default. For an explicit null, see `isNullByDefault`. */
export const isNullableInput = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue === undefined;

/** Whether there is a default, but clients may send an explicit null. */
export const isNullByDefault = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue !== undefined;

/** Whether a null for the input field is rejected before the call, because REST requires a value. */
export const rejectsNull = (field: GraphQLInputField, { required, shape }: Property): boolean =>
  required && !shape.nullable && isNullByDefault(field);

/** Creates the source for an argument or one of its fields. `steps`: the argument and the fields on the path. */
export const argumentSource = (steps: readonly Declared[], type: GraphQLInputType): ArgumentSource => ({
  kind: "argument",
  path: steps.map(({ name }) => name),
  nullable: steps.some(isNullableInput),
  defaults: steps.flatMap((step, index) => (isNullByDefault(step) ? [index] : [])),
  type,
});

/** Whether the value is read from the REST object of the parent or of an enclosing object. */
export const readsObject = (source: InputSource): source is ParentSource | EnclosingSource =>
  source.kind === "parent" || source.kind === "enclosing";

export const isInheritedSource = (source: InputSource): source is InheritedSource =>
  source.kind === "enclosing" || source.kind === "argumentAbove";

/** Prints a source as in the schema: `args.x`, `parent.x`, `Type.x`, `argsAbove.x` or a constant. */
export function formatSource(source: InputSource): string {
  if (source.kind === "constant")
    return `constant ${JSON.stringify(source.value)}${source.fixedAt ? " of spec/credentials.yaml" : ""}`;
  if (source.kind === "tenant") return "the id of the caller's tenant";
  const root = source.kind === "enclosing" ? source.type : roots[source.kind];
  return [root, ...source.path].join(".");
}

const roots = { argument: "args", parent: "parent", argumentAbove: "argsAbove" };

/** Returns the types of enclosing objects from which a field takes values, without duplicates. */
export const enclosingTypes = ({
  inputs,
}: {
  readonly inputs: readonly { readonly source: InputSource }[];
}): string[] => [
  ...new Set(inputs.flatMap(({ source }) => (source.kind === "enclosing" ? [source.type] : []))),
];
