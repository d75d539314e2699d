/**
 * A link is a field that calls REST with values of the objects above it. This module finds the values that a link inherits from
 * objects other than its parent (`from: "Account.id"`) and from arguments of the fields above it (`from: "argsAbove.org"`). REST
 * objects may be shared between requests and are never modified, so the plan records the objects above a link separately.
 */
import type { NullFor, ValueAt } from "./openapi-types.ts";
import { lacksKey, valueAt } from "./property.ts";
import type { AnyContext, GraphqlTypes } from "./rest-context.ts";

/**
 * An object from which links below it can inherit: the REST object of a GraphQL type, or a field's arguments. `type` is the name
 * of the GraphQL type or, for an argument `org`, `argsAbove.org`. `above` is the next `Enclosing` toward the root.
 */
export type Enclosing = {
  readonly type: string;
  readonly object: unknown;
  readonly above: Enclosing | undefined;
};

/** `org` → `argsAbove.org`. The result never equals the name of a type, because GraphQL names have no dots. */
export const markOfArgument = (name: string): string => `argsAbove.${name}`;

/** `["Account", "id"]` is a property of a GraphQL type, `["argsAbove", "org", "String"]` an argument and its type. */
type Source = readonly [type: string, ...steps: string[]];
export type Sources = Readonly<Record<string, Source>>;

type ValueOf<Of extends Source, Types> =
  Types extends GraphqlTypes<infer Parents, infer Values, infer Scalars>
    ? Of extends readonly ["argsAbove", string, infer Type]
      ? NonNullable<ArgumentValue<Type, Values, Scalars>>
      : Of extends readonly [infer Type extends keyof Parents, ...infer Steps extends readonly string[]]
        ? NonNullable<ValueAt<Parents[Type], Steps>>
        : never
    : never;

type ArgumentValue<Type, Values, Scalars> = Type extends keyof Scalars
  ? Scalars[Type] extends { input: infer Input }
    ? Input
    : never
  : Type extends keyof Values
    ? Awaited<Values[Type]>
    : never;

type TypesOf<Context> = Context extends { readonly types?: infer Types } ? NonNullable<Types> : never;

/** Inherited values by the name of their source, such as `Account.id`. */
export type Inherited<Of extends Sources, Context extends AnyContext> = {
  readonly [Name in keyof Of]: ValueOf<Of[Name], TypesOf<Context>>;
};

/** Returns null if a source in `nullable` has the value null. Throws `BAD_UPSTREAM_RESPONSE` if another source has. */
export function inheritedFrom<const Of extends Sources, Context extends AnyContext>(
  sources: Of,
  nullable: readonly (keyof Of)[],
  enclosing: Enclosing | undefined,
): Inherited<Of, Context> | null {
  const values: [source: string, value: unknown][] = [];
  for (const [name, source] of Object.entries(sources)) {
    const [type, ...steps] = typeAndPath(source);
    const value = valueAt(nearestEnclosing(enclosing, type), steps);
    if (value === null || value === undefined) {
      if (nullable.includes(name)) return null;
      throw lacksKey();
    }
    values.push([name, value]);
  }
  return Object.fromEntries(values) as Inherited<Of, Context>;
}

/** Returns the nearest object of the type. For `argsAbove.org`, returns the arguments of the nearest field that has an `org`. */
export function nearestEnclosing(enclosing: Enclosing | undefined, type: string): unknown {
  let at = enclosing;
  while (at && at.type !== type) at = at.above;
  if (!at) throw new Error(`no ${type} encloses a field that inherits from it`);
  return at.object;
}

function typeAndPath(source: Source): readonly [mark: string, ...steps: string[]] {
  const [type, name = ""] = source;
  return type === "argsAbove" ? [markOfArgument(name), name] : source;
}

/** Returns each `Enclosing.type` that the plan must record. */
export const markOf = (sources: Sources) => ({
  inherits: Object.values(sources).map((source) => typeAndPath(source)[0]),
});

/**
 * Creates the resolver of a link that inherits values. If a source in `nullable` has the value null, the link is null and makes
 * no call. The fourth argument is `info` in the generated types, but a plan passes the parent's `Enclosing`.
 */
export function inheriting<
  const Of extends Sources,
  Parent,
  Args,
  Context extends AnyContext,
  Value,
  const Nullable extends readonly (keyof Of)[] = readonly [],
>(
  sources: Of,
  resolve: (parent: Parent, args: Args, context: Context, inherited: Inherited<Of, Context>) => Value,
  nullable?: Nullable,
) {
  const resolver = (parent: Parent, args: Args, context: Context, enclosing: unknown) => {
    const inherited = inheritedFrom<Of, Context>(sources, nullable ?? [], enclosing as Enclosing | undefined);
    return (inherited && resolve(parent, args, context, inherited)) as Value | NullFor<Nullable>;
  };
  return Object.assign(resolver, markOf(sources));
}
