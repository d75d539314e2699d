/**
 * A fact: what a document states about a bound field, such as that a parameter is required. A `Fact` is a kind of fact: how it is
 * read from a model, and what a different value means.
 */

import type { BoundField, Model } from "../../bind/model.ts";
import type { NodePath } from "../../diagnostic.ts";
import type { RestNode } from "../../openapi/document.ts";
import type { Differing } from "./change.ts";

/** A fact and the node that states it. `key` distinguishes facts of the same kind, such as those of two parameters. */
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
