/**
 * Binds fields that read a value from an enclosing object (`from: "Account.id"`). A field is bound once for each REST schema of
 * `Account`, as soon as that schema is known.
 */
import { readRest } from "../schema/directives.ts";
import { bindField } from "./bind-field.ts";
import type { Binder } from "./binder.ts";
import { findPathOutside, isEnclosingType } from "./enclosing-types.ts";
import { atRestDirective, type FieldOfParent } from "./field-context.ts";
import type { Backing } from "./model.ts";

type Inheriting = FieldOfParent & {
  /** Enclosing type → number of its REST schemas that the field is bound to. */
  readonly bound: Map<string, number>;
};

export class InheritingFields {
  readonly #fields: Inheriting[] = [];
  readonly #binder: Binder;

  constructor(binder: Binder) {
    this.#binder = binder;
  }

  /** Queues a field that reads a value from an enclosing object. Returns false for any other field. */
  defer(field: FieldOfParent): boolean {
    const { type, definition } = field;
    const { schema } = this.#binder;
    const bound = new Map<string, number>();
    for (const [index, { from }] of (readRest(schema, definition)?.params ?? []).entries()) {
      const [name = ""] = from?.split(".") ?? [];
      // in a field of `Account`, `Account.id` reads the parent
      if (name === type || !isEnclosingType(schema, name)) continue;
      bound.set(name, 0);
      this.#check(field, name, index);
    }
    if (bound.size > 0) this.#fields.push({ ...field, bound });
    return bound.size > 0;
  }

  /** Binds the queued fields to the REST schemas found since the last call. Returns false if no schema was found. */
  bind(): boolean {
    let isAnyNew = false;
    for (const { bound, ...field } of this.#fields) {
      const backings = new Map(
        [...bound.keys()].map((name) => [name, this.#binder.backings.get(name)?.slice() ?? []]),
      );
      if ([...backings.values()].some(({ length }) => length === 0)) continue;
      const first = [...backings].map(([name, [backing]]) => [name, backing as Backing] as const);
      for (const [name, known] of backings) {
        for (const backing of known.slice(bound.get(name))) {
          bindField(this.#binder, field, new Map([...first, [name, backing]]));
          isAnyNew = true;
        }
        bound.set(name, known.length);
      }
    }
    return isAnyNew;
  }

  /** Reports a field that a query can reach without selecting the enclosing type. */
  #check({ type, definition }: FieldOfParent, enclosing: string, index: number): void {
    const { schema, findings } = this.#binder;
    const path = findPathOutside(schema, type, enclosing);
    if (!path) return;
    const coordinate = `${type}.${definition.name}`;
    findings.add(
      "enclosing-missing",
      atRestDirective({ where: { coordinate }, definition }, "params", index),
      `${coordinate} takes a value from the enclosing ${enclosing}, but ${path.join(" → ")} reaches ${type} without one`,
      `let only fields below ${enclosing} return ${type}, or feed the parameter from an argument`,
    );
  }
}
