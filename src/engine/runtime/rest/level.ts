/** Resolvers of batched links. `level` resolves all parents on one level of a plan together. */

import { type Enclosing, type Inherited, inheritedFrom, markOf, type Sources } from "./inherited-values.ts";
import type { NullFor } from "./openapi-types.ts";
import type { AnyContext } from "./rest-context.ts";

/** Returns a value, null or an Error per parent, in the order of the parents. */
export type LevelResolver<Parent, Args, Context, Value> = (
  parents: readonly Parent[],
  args: Args,
  context: Context,
  /** The `Enclosing` of each parent, if the resolver inherits values. */
  enclosing: readonly (Enclosing | undefined)[],
) => Promise<readonly (Value | Error)[]>;

/** The generated types require a function of one parent. A plan calls only `level`. */
type LevelledResolver<Parent, Args, Context, Value> = ((
  parent: Parent,
  args: Args,
  context: Context,
) => Promise<Value>) & { readonly level: LevelResolver<Parent, Args, Context, Value> };

export const level = <Parent, Args, Context extends AnyContext, Value>(
  resolve: LevelResolver<Parent, Args, Context, Value>,
): LevelledResolver<Parent, Args, Context, Value> =>
  Object.assign(
    () => {
      throw new Error("a plan resolves a batched link for all of its parents");
    },
    { level: resolve },
  );

type InheritingLevel<Of extends Sources, Parent, Args, Context extends AnyContext, Value> = (
  parents: readonly Parent[],
  args: Args,
  context: Context,
  inherited: Inherited<Of, Context>,
) => Promise<readonly (Value | Error)[]>;

/** Creates the resolver of a batched link that inherits values. Parents with the same inherited values share a batch. */
export function inheritingLevel<
  const Of extends Sources,
  Parent,
  Args,
  Context extends AnyContext,
  Value,
  const Nullable extends readonly (keyof Of)[] = readonly [],
>(
  sources: Of,
  resolve: InheritingLevel<Of, Parent, Args, Context, Value>,
  nullable?: Nullable,
): LevelledResolver<Parent, Args, Context, Value | NullFor<Nullable>> {
  type Found = Value | NullFor<Nullable>;
  const resolver = level<Parent, Args, Context, Found>(async (parents, args, context, enclosing) => {
    const results = parents.map(() => null) as (Found | Error)[];
    const groups = new Map<string, { inherited: Inherited<Of, Context>; indices: number[] }>();
    for (const index of parents.keys()) {
      try {
        const inherited = inheritedFrom<Of, Context>(sources, nullable ?? [], enclosing[index]);
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
  });
  return Object.assign(resolver, markOf(sources));
}
