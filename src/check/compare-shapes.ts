/**
 * Two resolved schemas compared in one direction. An answer may promise more and never less; a request may demand less
 * and never more. `$ref`, `allOf` and the like are folded already, so how a schema is written is no difference.
 */
import type { Direction } from "../spec/model.ts";
import { nodeKey, type RestNode } from "../spec/rest-document.ts";
import type { Property, Shape } from "../spec/shape.ts";
import { compareFacets } from "./compare-facets.ts";
import type { ChangeClass } from "./report.ts";
import type { RestChanges } from "./rest-change.ts";
import { alone, type Facet, type Spot, type Use } from "./spot.ts";

export class ShapeComparison {
  readonly #changes: RestChanges;
  readonly #seen = { answer: new WeakMap<Shape, Set<Shape>>(), request: new WeakMap<Shape, Set<Shape>>() };

  constructor(changes: RestChanges) {
    this.#changes = changes;
  }

  compare(spot: Spot, depth = 0): void {
    this.#usage(spot);
    const known = this.#seen[spot.direction].get(spot.old.shape) ?? new Set();
    // merged shapes of a cycle are new objects at every turn: the depth ends what the pairs do not
    if (known.has(spot.new.shape) || depth > 40) return;
    this.#seen[spot.direction].set(spot.old.shape, known.add(spot.new.shape));
    if (!compareFacets(spot, (change) => this.#add(spot, change))) return;
    this.#properties(spot, depth);
    this.#items(spot, depth);
    this.#variants(spot, depth);
  }

  /** Presence and null belong to the use, not to the schema. */
  #usage(spot: Spot): void {
    const { old, new: now, direction } = spot;
    const looser = direction === "answer" ? "breaking" : "safe";
    const tighter = direction === "answer" ? "safe" : "breaking";
    if (old.required !== now.required) {
      const message = now.required ? "is required now" : "may be left out now";
      const change = { message, before: old.required, after: now.required };
      this.#add(
        spot,
        { rule: "rest-required-changed", class: now.required ? tighter : looser, ...change },
        false,
      );
    }
    if (old.shape.nullable !== now.shape.nullable) {
      const nullable = now.shape.nullable;
      const change = {
        message: nullable ? "may be null now" : "is never null now",
        before: !nullable,
        after: nullable,
      };
      this.#add(
        spot,
        { rule: "rest-nullable-changed", class: nullable ? looser : tighter, ...change },
        false,
      );
    }
  }

  #add(spot: Spot, change: Facet, ofSchema = true): void {
    const { old, new: now, at, direction } = spot;
    this.#changes.add({
      ...change,
      at,
      direction,
      message: `${at} ${change.message}`,
      old: ofSchema ? old.shape.node : old.node,
      new: ofSchema ? now.shape.node : now.node,
      joins: ofSchema ? [old.node, old.shape.node] : [old.node],
    });
  }

  #properties({ at, direction, old, new: now }: Spot, depth: number): void {
    // what members have in common follows from the members
    if (old.shape.variants && now.shape.variants) return;
    const isKnown = ([, { isUndeclared }]: [string, Property]): boolean => !isUndeclared;
    const before = new Map([...old.shape.properties].filter(isKnown));
    const after = new Map([...now.shape.properties].filter(isKnown));
    for (const property of before.values()) {
      const other = after.get(property.name);
      const below = `${at}.${property.name}`;
      if (other) this.compare({ at: below, direction, old: useOf(property), new: useOf(other) }, depth + 1);
      else this.#removed(below, direction, property, now.shape.node);
    }
    for (const property of after.values()) {
      if (!before.has(property.name)) this.#added(`${at}.${property.name}`, direction, property, old);
    }
  }

  #removed(at: string, direction: Direction, { node, shape }: Property, holder: RestNode): void {
    const common = { before: "present", after: "absent", old: node, new: holder, joins: [node, shape.node] };
    // a schema that others use as well is not gone with one of its properties
    const joins = nodeKey(node) === nodeKey(shape.node) ? common.joins : [node];
    this.#changes.add({
      rule: "rest-property-removed",
      class: "breaking",
      at,
      direction,
      message: `${at} is gone`,
      ...common,
      joins,
    });
  }

  #added(at: string, direction: Direction, { node, required }: Property, holder: Use): void {
    const demanded = direction === "request" && required;
    this.#changes.add({
      rule: "rest-property-added",
      class: demanded ? "breaking" : "safe",
      at,
      direction,
      message: demanded ? `${at} is new and required` : `${at} is new`,
      before: "absent",
      after: required ? "required" : "optional",
      new: node,
      joins: demanded ? [holder.node, holder.shape.node] : [],
    });
  }

  #items(spot: Spot, depth: number): void {
    const { at, direction, old, new: now } = spot;
    const before = old.shape.items;
    const after = now.shape.items;
    if (before && after) {
      this.compare({ at: `${at}[]`, direction, old: alone(before), new: alone(after) }, depth + 1);
    } else if (before || after) {
      const loosened = !after === (direction === "request");
      const change = {
        message: `${after ? "says" : "no longer says"} what its items are`,
        before: !after,
        after: !before,
      };
      this.#add(spot, { rule: "rest-items-changed", class: loosened ? "safe" : "breaking", ...change });
    }
  }

  #variants(spot: Spot, depth: number): void {
    const { at, direction, old, new: now } = spot;
    const [before, after] = [old.shape.variants, now.shape.variants];
    if (before?.property !== after?.property && before) {
      const change = {
        message: "is told apart otherwise now",
        before: before.property,
        after: after?.property ?? null,
        below: ["discriminator", "propertyName"],
      };
      this.#add(spot, { rule: "rest-variants-changed", class: "breaking", ...change });
    }
    if (!before || !after) return;
    for (const member of before.members) {
      const other = after.members.find(({ values, name }) =>
        member.values.length > 0
          ? values.some((value) => member.values.includes(value))
          : name === member.name,
      );
      const name = member.name ?? member.values[0] ?? "?";
      if (other)
        this.compare(
          { at: `${at}<${name}>`, direction, old: alone(member.shape), new: alone(other.shape) },
          depth + 1,
        );
      else
        this.#memberChange(
          spot,
          name,
          direction === "answer" ? "safe" : "breaking",
          "is no longer a member of",
        );
    }
    for (const member of after.members) {
      const isNew = !before.members.some(({ values }) =>
        values.some((value) => member.values.includes(value)),
      );
      const name = member.name ?? member.values[0] ?? "?";
      if (isNew && member.values.length > 0)
        this.#memberChange(spot, name, direction === "answer" ? "dangerous" : "safe", "is a new member of");
    }
  }

  #memberChange(spot: Spot, name: string, kind: ChangeClass, what: string): void {
    const facts = { before: name, after: what, below: ["oneOf"] };
    this.#add(spot, {
      rule: "rest-variants-changed",
      class: kind,
      message: `: ${name} ${what} it`,
      ...facts,
    });
  }
}

const useOf = ({ node, shape, required }: Property): Use => ({ node, shape, required });
