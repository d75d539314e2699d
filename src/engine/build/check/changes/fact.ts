/**
 * A fact is something that the OpenAPI document declares about an operation, such as its method or a parameter's location. A
 * `Fact` reads it from a model, and reports a changed value.
 */

import type { BoundField, Model } from "../../bind/model.ts";
import type { NodePath } from "../../diagnostic.ts";
import type { RestNode } from "../../openapi/document.ts";
import type { Differing } from "./change.ts";

/** `key` distinguishes several values of the same fact, such as those of two parameters. */
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
