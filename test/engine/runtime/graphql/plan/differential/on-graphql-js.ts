/**
 * Makes a schema run on graphql-js, as the oracle of plans. A bound field resolves a level at once, and graphql-js calls a
 * resolver for each parent: a loader collects them.
 */
import DataLoader from "dataloader";
import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from "graphql";
import { ContractViolation } from "../../../../../../src/engine/runtime/graphql/errors/field-error.ts";
import type { Resolver } from "../../../../../../src/engine/runtime/graphql/executable-schema.ts";
import type { ResolveLevel } from "../../../../../../src/engine/runtime/graphql/plan/plan.ts";
import { isRecord } from "../../../../../../src/engine/shared/json-object.ts";
import { semanticNonNullLevels } from "../../../../../../src/engine/shared/semantic-non-null.ts";

export function onGraphqlJs(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    if (!/^(?:Query|Mutation)$/.test(type.name)) type.isTypeOf = isRecord;
    for (const field of Object.values(type.getFields())) {
      const { level } = field.resolve as unknown as Resolver;
      if (level) field.resolve = collecting(level);
      const levels = semanticNonNullLevels(field.astNode);
      if (levels.length > 0) field.resolve = rejectingNulls(field.resolve as Resolve, levels);
    }
  }
  return schema;
}

type Resolve = (parent: unknown, args: object, context: unknown, info: GraphQLResolveInfo) => unknown;

/** graphql-js takes an Error for a thrown one, also in a list. */
function rejectingNulls(resolve: Resolve, levels: readonly number[]): Resolve {
  const checked = (value: unknown, level: number): unknown => {
    if (value === null || value === undefined)
      return levels.includes(level) ? new ContractViolation("no value") : value;
    return Array.isArray(value) ? value.map((item) => checked(item, level + 1)) : value;
  };
  return (...given) => {
    const value = resolve(...given);
    return value instanceof Promise ? value.then((each) => checked(each, 0)) : checked(value, 0);
  };
}

function collecting(level: NonNullable<Resolver["level"]>) {
  // graphql-js passes the same `fieldNodes` array to all parents of a level, and another array to every other level
  const loaders = new WeakMap<object, DataLoader<unknown, unknown>>();
  return (parent: unknown, args: object, context: unknown, { fieldNodes }: GraphQLResolveInfo) => {
    const resolveAll = async (asked: readonly { parent: unknown }[]): Promise<readonly unknown[]> => {
      const parents = asked.map((each) => each.parent);
      const values = level(parents, args as never, context as never, []) as ReturnType<ResolveLevel>;
      return values instanceof Promise ? values : [await values[0]];
    };
    const loader = loaders.get(fieldNodes) ?? new DataLoader(resolveAll as never, { cache: false });
    loaders.set(fieldNodes, loader);
    return loader.load({ parent }); // the root is no key
  };
}
