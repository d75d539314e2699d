/** Sources of parameter values. */
import { type GraphQLArgument, type GraphQLInputField, type GraphQLInputType, isNonNullType } from "graphql";
import type { RestNode } from "../../openapi/document.ts";
import type { Property, Shape } from "../../openapi/shapes/shape.ts";

/**
 * An argument, or a field of an input object. `nullable`: a step of the path may be null. `defaults`: indexes of steps that
 * have a default but may be sent as null.
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

/** A property of the REST object behind the nearest enclosing object of `type`. `nullable`: a step of the path may be null. */
export type EnclosingSource = {
  readonly kind: "enclosing";
  readonly type: string;
  readonly path: readonly string[];
  readonly nullable: boolean;
  readonly shape: Shape;
};

/**
 * The argument `path` of the nearest field above with an argument of this name. `nullable`: at least one of the arguments it
 * may resolve to can be null.
 */
export type ArgumentAboveSource = {
  readonly kind: "argumentAbove";
  readonly path: readonly [name: string];
  readonly nullable: boolean;
  readonly defaults: readonly number[];
  /** A scalar or an enum. */
  readonly type: GraphQLInputType;
};

/** A value of an enclosing object, or an argument above. */
export type InheritedSource = EnclosingSource | ArgumentAboveSource;

/** The source of a parameter's value. */
export type InputSource = ArgumentSource | ParentSource | InheritedSource | ConstantSource | TenantSource;

/** The id of the caller's tenant, as the gateway has verified it. */
type TenantSource = { readonly kind: "tenant" };

/** A constant of the schema. `fixedAt`: the node of `spec/credentials.yaml` if the owner fixes the value there instead. */
type ConstantSource = { readonly kind: "constant"; readonly value: unknown; readonly fixedAt?: RestNode };

type Declared = GraphQLArgument | GraphQLInputField;

/**
 * Whether the value may be absent: the type is nullable and no default fills in for an omitted input. An explicit null where REST
 * requires a value is rejected in `resolve-request.ts`.
 */
export const isNullableInput = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue === undefined;

/** Whether the input has a default, but clients may still send null. */
export const isNullByDefault = (input: Declared): boolean =>
  !isNonNullType(input.type) && input.defaultValue !== undefined;

/** Whether null is rejected for an input field, because REST requires the property that it feeds. */
export const rejectsNull = (field: GraphQLInputField, { required, shape }: Property): boolean =>
  required && !shape.nullable && isNullByDefault(field);

/** The source for an argument or one of its fields. `steps`: the argument and fields along the path. */
export const argumentSource = (steps: readonly Declared[], type: GraphQLInputType): ArgumentSource => ({
  kind: "argument",
  path: steps.map(({ name }) => name),
  nullable: steps.some(isNullableInput),
  defaults: steps.flatMap((step, index) => (isNullByDefault(step) ? [index] : [])),
  type,
});

/** Whether the value is a property of the REST object behind the parent or behind an enclosing object. */
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

/** The types of the enclosing objects that a field reads from, without duplicates. */
export const enclosingTypes = ({
  inputs,
}: {
  readonly inputs: readonly { readonly source: InputSource }[];
}): string[] => [
  ...new Set(inputs.flatMap(({ source }) => (source.kind === "enclosing" ? [source.type] : []))),
];
