/**
 * A batched link's resolver: one function over all parents of a level. `level` also makes it a resolver for one parent,
 * as graphql-js calls them, by collecting the parents of one field in one request; a plan calls `.level` itself.
 */
import DataLoader from "dataloader";
import type { Context } from "./context.ts";

/** One value, null or Error a parent, in their order (DataLoader's batch contract). */
export type Level<Parent, Args, Value> = (
  parents: readonly Parent[],
  args: Args,
  context: Context,
) => Promise<readonly (Value | Error)[]>;

type Info = { readonly fieldNodes: object };

// graphql-js hands the same `fieldNodes` array to all fields of a level, and another to every other level or request.
const loaders = new WeakMap<Context, WeakMap<object, DataLoader<unknown, unknown>>>();

export function level<Parent, Args, Value>(resolve: Level<Parent, Args, Value>) {
  const one = (parent: Parent, args: Args, context: Context, info: Info): Promise<Value> =>
    loaderFor(context, info, (parents) => resolve(parents as readonly Parent[], args, context)).load(
      parent,
    ) as Promise<Value>;
  return Object.assign(one, { level: resolve });
}

function loaderFor(
  context: Context,
  { fieldNodes }: Info,
  load: DataLoader.BatchLoadFn<unknown, unknown>,
): DataLoader<unknown, unknown> {
  const ofContext = loaders.get(context) ?? new WeakMap();
  loaders.set(context, ofContext);
  const loader = ofContext.get(fieldNodes) ?? new DataLoader(load, { cache: false });
  ofContext.set(fieldNodes, loader);
  return loader;
}
