/**
 * Values that a link inherits from the objects around it (`from: "Account.id"`). REST's objects are shared by requests and
 * never changed, so each executor keeps beside an object what encloses it: a plan in its levels, graphql-js by its paths.
 */
import type { ResolversParentTypes } from "../../generated/graphql.ts";
import { CodedError } from "../errors.ts";
import type { Context } from "./context.ts";
import type { ValueAt } from "./types.ts";
import { valueAt } from "./value-at.ts";

/** REST's object of a GraphQL type, and the nearest one that encloses it. Types that nothing inherits from are left out. */
export type Enclosing = {
  readonly type: string;
  readonly object: unknown;
  readonly above: Enclosing | undefined;
};

/** graphql-js makes one path for each object of a response. */
type Path = { readonly prev: Path | undefined };

/**
 * The information that an executor gives to a resolver: a plan gives the enclosing objects of the parent, graphql-js
 * gives the field's path.
 */
export type Info = { readonly enclosing: Enclosing | undefined } | { readonly path: Path };

/** The type of an enclosing object, and the steps to its property. */
type Source = readonly [type: keyof ResolversParentTypes, ...steps: string[]];
export type Sources = Readonly<Record<string, Source>>;

type ValueOf<Of extends Source> = Of extends readonly [
  infer Type extends keyof ResolversParentTypes,
  ...infer Steps extends readonly string[],
]
  ? NonNullable<ValueAt<ResolversParentTypes[Type], Steps>>
  : never;

/** By the sources as the schema writes them: `Account.id`. */
export type Inherited<Of extends Sources> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };

const byPath = new WeakMap<Path, Enclosing>();

/** Notes an object that graphql-js has reached. Its path ends with its execution, and so does the note. */
export function noteEnclosing(path: Path, type: string, object: unknown): void {
  if (!byPath.has(path)) byPath.set(path, { type, object, above: enclosingAt(path.prev) });
}

function enclosingAt(path: Path | undefined): Enclosing | undefined {
  for (let at = path; at; at = at.prev) {
    const found = byPath.get(at);
    if (found) return found;
  }
  return undefined;
}

export const enclosingOf = (info: Info): Enclosing | undefined =>
  "enclosing" in info ? info.enclosing : enclosingAt(info.path.prev);

/** The values, or `null` if one of `nullable` is null. Throws `BAD_UPSTREAM_RESPONSE` if another one is. */
export function inheritedFrom<const Of extends Sources>(
  sources: Of,
  nullable: readonly (keyof Of)[],
  enclosing: Enclosing | undefined,
): Inherited<Of> | null {
  const values: Record<string, unknown> = {};
  for (const [name, [type, ...steps]] of Object.entries(sources)) {
    let at = enclosing;
    while (at && at.type !== type) at = at.above;
    if (!at) throw new Error(`no ${type} encloses a field that inherits from it`);
    const value = valueAt(at.object, steps);
    if (value === null || value === undefined) {
      if (nullable.includes(name)) return null;
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the REST answer lacks a value that another call needs");
    }
    values[name] = value;
  }
  return values as Inherited<Of>;
}

/** The types that the sources name, for the executors. */
export const markOf = (sources: Sources) => ({
  inherits: Object.values(sources).map(([type]): string => type),
});

type Inheriting<Of extends Sources, Parent, Args, Value> = (
  parent: Parent,
  args: Args,
  context: Context,
  inherited: Inherited<Of>,
) => Value;

/** The resolver of a link that inherits values. It is null, without a call, where one of `nullable` is null. */
export function inheriting<const Of extends Sources, Parent, Args, Value>(
  sources: Of,
  resolve: Inheriting<Of, Parent, Args, Value>,
): (parent: Parent, args: Args, context: Context, info: Info) => Value;
export function inheriting<const Of extends Sources, Parent, Args, Value>(
  sources: Of,
  resolve: Inheriting<Of, Parent, Args, Value>,
  nullable: readonly (keyof Of)[],
): (parent: Parent, args: Args, context: Context, info: Info) => Value | null;
export function inheriting<const Of extends Sources, Parent, Args, Value>(
  sources: Of,
  resolve: Inheriting<Of, Parent, Args, Value>,
  nullable: readonly (keyof Of)[] = [],
): (parent: Parent, args: Args, context: Context, info: Info) => Value | null {
  const resolver = (parent: Parent, args: Args, context: Context, info: Info): Value | null => {
    const inherited = inheritedFrom(sources, nullable, enclosingOf(info));
    return inherited && resolve(parent, args, context, inherited);
  };
  return Object.assign(resolver, markOf(sources));
}
