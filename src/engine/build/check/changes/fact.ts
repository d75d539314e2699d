/**
 * A fact is something the OpenAPI document declares about the operation of a bound field, for example that a parameter is
 * required. A `Fact` defines one kind of fact: how to read it from a model, and how to report a different value.
 */

import type { BoundField, Model } from "../../bind/model.ts";
import type { NodePath } from "../../diagnostic.ts";
import type { RestNode } from "../../openapi/document.ts";
import type { Differing } from "./change.ts";

/**
 * The value of a fact, and the node that declares it. `key` distinguishes facts of the same kind, for example of two
 * parameters.
 */
export type StatedFact<V> = {
  readonly key?: string;
  readonly node: RestNode;
  readonly below?: NodePath;
  readonly value: V;
};

export type Fact = {
  readonly read: (field: BoundField, model: Model) => readonly StatedFact<unknown>[];
  readonly judge: (before: unknown, after: unknown) => Differing | undefined;
};

export const fact = <V>(
  read: (field: BoundField, model: Model) => readonly StatedFact<V>[],
  judge: (before: V, after: V) => Differing | undefined,
): Fact => ({ read, judge: judge as Fact["judge"] });
