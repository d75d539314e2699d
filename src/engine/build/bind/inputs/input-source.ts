/** The sources of parameters and body properties. */
import { type GraphQLArgument, type GraphQLInputField, type GraphQLInputType, isNonNullType } from "graphql";
import type { RestNode } from "../../openapi/document.ts";
import type { Property, Shape } from "../../openapi/shapes/shape.ts";

/**
 * An argument, or a field of an input object. `nullable`: a step of the path may be null. `defaults`: the indexes of the steps
 * that have a default value, but may be null all the same.
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

/** A property of the REST object of the nearest enclosing object of `type`. `nullable`: a step of the path may be null. */
export type EnclosingSource = {
  readonly kind: "enclosing";
  readonly type: string;
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/**
 * An argument of the nearest field above that has an argument of this name. `nullable`: the argument may be null in one of these
 * fields.
 */
export type ArgumentAboveSource = {
  readonly kind: "argumentAbove";
  readonly path: readonly [name: string];
  readonly nullable: boolean;
  readonly defaults: readonly number[];
  /** The type of the argument, which is a scalar or an enum. */
  readonly type: GraphQLInputType;
};

/** A value of an enclosing object, or an argument above. */
export type InheritedSource = EnclosingSource | ArgumentAboveSource;

export type InputSource = ArgumentSource | ParentSource | InheritedSource | ConstantSource | TenantSource;

/** The id of the caller's tenant, which the gateway has verified. */
type TenantSource = { readonly kind: "tenant" };

/** A constant in the schema or, with `fixedAt`, in `spec/credentials.yaml`, whose node it is. */
type ConstantSource = { readonly kind: "constant"; readonly value: unknown; readonly fixedAt?: RestNode };

type Declared = GraphQLArgument | GraphQLInputField;

/**
 * Whether the value may be absent: the type is nullable, and there is no default. With a default, an explicit null is still
 * possible; `resolve-request.ts` rejects it where REST requires a value.
 */
export const isNullableInput = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue === undefined;

/** Whether there is a default, but clients may send null. */
export const isNullByDefault = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue !== undefined;

/** Whether a null for the input field is rejected before the call, because REST requires the property. */
export const rejectsNull = (field: GraphQLInputField, { required, shape }: Property): boolean =>
  required && !shape.nullable && isNullByDefault(field);

/** The source of a value taken from an argument or one of its fields. `steps`: the argument, and the fields on the path. */
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

/** The types of the enclosing objects that a field takes values from, without duplicates. */
export const enclosingTypes = ({
  inputs,
}: {
  readonly inputs: readonly { readonly source: InputSource }[];
}): string[] => [
  ...new Set(inputs.flatMap(({ source }) => (source.kind === "enclosing" ? [source.type] : []))),
];
