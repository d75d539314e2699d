/**
 * Binds the fields that take a value from an enclosing object (`from: "Account.id"`). A field is bound once every enclosing type
 * has a REST object, and again for each REST object that is found later.
 */
import { readRest } from "../schema/directives.ts";
import { bindField } from "./bind-field.ts";
import type { Binder } from "./binder.ts";
import { findPathOutside, isEnclosingType } from "./enclosing-types.ts";
import { atRestDirective, type FieldOfParent } from "./field-context.ts";
import type { Backing } from "./model.ts";

type Inheriting = FieldOfParent & {
  /** Enclosing type → for how many of its REST objects the field has been bound. */
  readonly bound: Map<string, number>;
};

export class InheritingFields {
  readonly #fields: Inheriting[] = [];
  readonly #binder: Binder;

  constructor(binder: Binder) {
    this.#binder = binder;
  }

  /** Defers the binding of a field that takes a value from an enclosing object. Returns false for any other field. */
  defer(field: FieldOfParent): boolean {
    const { type, definition } = field;
    const { schema } = this.#binder;
    const bound = new Map<string, number>();
    for (const [index, { from }] of (readRest(schema, definition)?.params ?? []).entries()) {
      const [name = ""] = from?.split(".") ?? [];
      // the nearest object of this type is the parent itself, so nothing is inherited
      if (name === type || !isEnclosingType(schema, name)) continue;
      bound.set(name, 0);
      this.#check(field, name, index);
    }
    if (bound.size > 0) this.#fields.push({ ...field, bound });
    return bound.size > 0;
  }

  /** Binds the fields for each REST object that was found since the last call. Returns `false` if none was found. */
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

  /** Reports a path to the field that does not lead through the enclosing type. */
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
