/**
 * The resolver of a batched link resolves all parents of a level at once. A plan calls it as `.level`. graphql-js calls a
 * resolver for each parent, so `level` also makes a resolver that collects the parents of one field in one request.
 */
import DataLoader from "dataloader";
import type { Context } from "./context.ts";

/** Returns a value, null or an Error for each parent, in their order (DataLoader's batch contract). */
export type LevelResolver<Parent, Args, Value> = (
  parents: readonly Parent[],
  args: Args,
  context: Context,
) => Promise<readonly (Value | Error)[]>;

type Info = {
  readonly fieldNodes: object;
  readonly parentType: { readonly name: string };
  readonly fieldName: string;
};

// graphql-js passes the same `fieldNodes` array to all parents of a level, and another array to every other level.
const loaders = new WeakMap<Context, WeakMap<object, DataLoader<unknown, unknown>>>();

export function level<Parent, Args, Value>(resolve: LevelResolver<Parent, Args, Value>) {
  const one = (parent: Parent, args: Args, context: Context, info: Info): Promise<Value> =>
    loaderFor(context, info, (parents) => {
      context.rest.coordinate = `${info.parentType.name}.${info.fieldName}`; // other fields have begun meanwhile
      return resolve(parents as readonly Parent[], args, context);
    }).load(parent) as Promise<Value>;
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
