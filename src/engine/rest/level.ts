/**
 * The resolver of a batched link resolves all parents of a level at once. A plan calls it as `.level`. graphql-js calls a
 * resolver for each parent, so `level` also makes a resolver that collects the parents of one field in one request.
 */
import DataLoader from "dataloader";
import type { AnyContext } from "./context.ts";
import {
  type Enclosing,
  enclosingOf,
  type Info,
  type Inherited,
  inheritedFrom,
  markOf,
  type Sources,
} from "./inherit.ts";

/** Returns a value, null or an Error for each parent, in their order (DataLoader's batch contract). */
export type LevelResolver<Parent, Args, Context, Value> = (
  parents: readonly Parent[],
  args: Args,
  context: Context,
  /** The enclosing objects of each parent, if the resolver inherits from them. */
  enclosing: readonly (Enclosing | undefined)[],
) => Promise<readonly (Value | Error)[]>;

type FieldInfo = Info & {
  readonly fieldNodes: object;
  readonly parentType: { readonly name: string };
  readonly fieldName: string;
};

// graphql-js passes the same `fieldNodes` array to all parents of a level, and another array to every other level.
const loaders = new WeakMap<AnyContext, WeakMap<object, Loader>>();

type Load = { readonly parent: unknown; readonly enclosing: Enclosing | undefined };
type Loader = DataLoader<Load, unknown>;

type LevelledResolver<Parent, Args, Context, Value> = ((
  parent: Parent,
  args: Args,
  context: Context,
  info: FieldInfo,
) => Promise<Value>) & { readonly level: LevelResolver<Parent, Args, Context, Value> };

export function level<Parent, Args, Context extends AnyContext, Value>(
  resolve: LevelResolver<Parent, Args, Context, Value>,
): LevelledResolver<Parent, Args, Context, Value> {
  const one = (parent: Parent, args: Args, context: Context, info: FieldInfo): Promise<Value> =>
    loaderFor(context, info, (loads) => {
      context.rest.coordinate = `${info.parentType.name}.${info.fieldName}`; // other fields have begun meanwhile
      const parents = loads.map(({ parent }) => parent as Parent);
      return resolve(
        parents,
        args,
        context,
        loads.map(({ enclosing }) => enclosing),
      );
    }).load({ parent, enclosing: enclosingOf(info) }) as Promise<Value>;
  return Object.assign(one, { level: resolve });
}

type InheritingLevel<Of extends Sources, Parent, Args, Context extends AnyContext, Value> = (
  parents: readonly Parent[],
  args: Args,
  context: Context,
  inherited: Inherited<Of, Context>,
) => Promise<readonly (Value | Error)[]>;

/** A batched link that inherits values: parents that inherit the same ones are resolved together. See `inheriting`. */
export function inheritingLevel<const Of extends Sources, Parent, Args, Context extends AnyContext, Value>(
  sources: Of,
  resolve: InheritingLevel<Of, Parent, Args, Context, Value>,
): LevelledResolver<Parent, Args, Context, Value>;
export function inheritingLevel<const Of extends Sources, Parent, Args, Context extends AnyContext, Value>(
  sources: Of,
  resolve: InheritingLevel<Of, Parent, Args, Context, Value>,
  nullable: readonly (keyof Of)[],
): LevelledResolver<Parent, Args, Context, Value | null>;
export function inheritingLevel<const Of extends Sources, Parent, Args, Context extends AnyContext, Value>(
  sources: Of,
  resolve: InheritingLevel<Of, Parent, Args, Context, Value>,
  nullable: readonly (keyof Of)[] = [],
): LevelledResolver<Parent, Args, Context, Value | null> {
  const resolveLevel: LevelResolver<Parent, Args, Context, Value | null> = async (
    parents,
    args,
    context,
    enclosing,
  ) => {
    const results: (Value | Error | null)[] = parents.map(() => null);
    const groups = new Map<string, { inherited: Inherited<Of, Context>; indices: number[] }>();
    for (const index of parents.keys()) {
      try {
        const inherited = inheritedFrom<Of, Context>(sources, nullable, enclosing[index]);
        if (!inherited) continue;
        const key = JSON.stringify(inherited);
        const group = groups.get(key) ?? { inherited, indices: [] };
        groups.set(key, group);
        group.indices.push(index);
      } catch (error) {
        results[index] = error as Error;
      }
    }
    await Promise.all(
      [...groups.values()].map(async ({ inherited, indices }) => {
        const ofGroup = indices.map((index) => parents[index] as Parent);
        const found = await resolve(ofGroup, args, context, inherited).catch((error: Error) =>
          indices.map(() => error),
        );
        for (const [place, index] of indices.entries()) results[index] = found[place] as Value | Error;
      }),
    );
    return results;
  };
  return Object.assign(level(resolveLevel), markOf(sources));
}

function loaderFor(
  context: AnyContext,
  { fieldNodes }: FieldInfo,
  load: DataLoader.BatchLoadFn<Load, unknown>,
): Loader {
  const ofContext = loaders.get(context) ?? new WeakMap();
  loaders.set(context, ofContext);
  const loader = ofContext.get(fieldNodes) ?? new DataLoader(load, { cache: false });
  ofContext.set(fieldNodes, loader);
  return loader;
}
