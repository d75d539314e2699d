/**
 * Compares two resolved schemas in one direction. A response may promise more and never less; a request may demand less
 * and never more. `$ref` and `allOf` are resolved before, so the way a schema is written makes no difference.
 */
import type { Direction } from "../../bind/model.ts";
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import type { Property } from "../../openapi/shapes/shape.ts";
import { compareKeywords } from "./compare-keywords.ts";
import { compareVariants } from "./compare-variants.ts";
import type { RestChangeCollector } from "./rest-change-collector.ts";
import {
  commonPlace,
  declaredProperties,
  isReference,
  pairKey,
  placeName,
  type ShapeChange,
  type ShapePair,
  type ShapeUse,
  standaloneUse,
} from "./shape-pair.ts";

export class ShapeComparison {
  readonly changes: RestChangeCollector;
  readonly #withoutUnion: ReadonlySet<string>;
  readonly #compared: Set<string>;

  /** `withoutUnion`: the keys of nodes that no union is bound to. `compared`: the pairs whose changes are collected. */
  constructor(changes: RestChangeCollector, withoutUnion: ReadonlySet<string>, compared = new Set<string>()) {
    this.changes = changes;
    this.#withoutUnion = withoutUnion;
    this.#compared = compared;
  }

  /** A comparison that adds its changes elsewhere, and leaves out the pairs of this one. */
  into(changes: RestChangeCollector): ShapeComparison {
    return new ShapeComparison(changes, this.#withoutUnion, this.#compared);
  }

  compare(pair: ShapePair): void {
    this.#usage(pair);
    const place = commonPlace(pair);
    const key = pairKey(pair, place === undefined);
    if (this.#compared.has(key)) return;
    this.#compared.add(key);
    const inside = { ...pair, at: place ?? pair.at };
    const add = (change: ShapeChange): void =>
      this.#add(inside, change, "schema", place === undefined ? "use" : "schema");
    if (!compareKeywords(inside, add)) return;
    const { old, new: now, direction } = pair;
    // what stands beside the members repeats theirs
    if (!old.shape.variants || !now.shape.variants) {
      this.#properties(inside);
      this.#items(inside);
      if (direction === "response") this.#entries(inside);
    }
    const isUnion = !this.#withoutUnion.has(nodeKey(old.shape.node));
    compareVariants(inside, isUnion, add, (member) => this.compare(member));
  }

  /** `required` and `nullable` may differ between two uses of one schema: the change belongs to the use. */
  #usage(pair: ShapePair): void {
    const { old, new: now, direction, holder } = pair;
    // GraphQL shows a missing value as null: a value that could be missing could be null already
    const mayBeNull = !old.required || old.shape.nullable;
    const looser = direction === "response" && !mayBeNull ? "breaking" : "safe";
    const tighter = direction === "response" ? "safe" : "breaking";
    if (old.required !== now.required)
      this.#add(
        pair,
        {
          rule: "rest-required-changed",
          class: now.required ? tighter : looser,
          message: now.required ? "is required now" : "may be left out now",
          before: old.required,
          after: now.required,
          ...(direction === "request" && now.required && holder),
        },
        "use",
      );
    const [wasNullable, nullable] = [old.shape.nullable, now.shape.nullable];
    // a referenced schema that is nullable is nullable at each reference: the change belongs to the schema
    const isOfSchema = isReference(old.node) && isReference(now.node);
    if (wasNullable !== nullable)
      this.#add(
        isOfSchema ? { ...pair, at: placeName(old.shape.node, pair.at) } : pair,
        {
          rule: "rest-nullable-changed",
          class: nullable ? looser : tighter,
          message: nullable ? "may be null now" : "is never null now",
          before: wasNullable,
          after: nullable,
        },
        isOfSchema ? "schema" : "use",
        "use",
      );
  }

  /**
   * `of`: the place of the change. `reaches`: the fields that rest on the schema, or only those that rest on this use
   * of it.
   */
  #add(pair: ShapePair, change: ShapeChange, of: "schema" | "use" = "schema", reaches = of): void {
    const { old, new: now, at, direction } = pair;
    this.changes.add({
      ...change,
      at,
      direction,
      message: `${at} ${change.message}`,
      old: of === "schema" ? old.shape.node : old.node,
      new: of === "schema" ? now.shape.node : now.node,
      joins: [old.node, ...(reaches === "schema" ? [old.shape.node] : []), ...(change.joins ?? [])],
    });
  }

  #properties({ at, direction, old, new: now }: ShapePair): void {
    const [before, after] = [declaredProperties(old.shape), declaredProperties(now.shape)];
    const holder = { joins: [old.node, old.shape.node] };
    for (const property of before.values()) {
      const other = after.get(property.name);
      const place = `${at}.${property.name}`;
      if (other) this.compare({ at: place, direction, old: property, new: other, holder });
      else this.#removed(place, direction, property, now.shape.node);
    }
    for (const property of after.values()) {
      if (!before.has(property.name)) this.#added(`${at}.${property.name}`, direction, property, old);
    }
  }

  #removed(at: string, direction: Direction, { node, shape }: Property, holder: RestNode): void {
    // a referenced schema stays when one property that uses it is gone
    const isOwnSchema = nodeKey(node) === nodeKey(shape.node);
    this.changes.add({
      rule: "rest-property-removed",
      class: "breaking",
      at,
      direction,
      message: `${at} is gone`,
      before: "present",
      after: "absent",
      old: node,
      new: holder,
      joins: isOwnSchema ? [node, shape.node] : [node],
    });
  }

  #added(at: string, direction: Direction, { node, required }: Property, holder: ShapeUse): void {
    const isRequired = direction === "request" && required;
    this.changes.add({
      rule: "rest-property-added",
      class: isRequired ? "breaking" : "safe",
      at,
      direction,
      message: isRequired ? `${at} is new and required` : `${at} is new`,
      before: "absent",
      after: required ? "required" : "optional",
      new: node,
      joins: isRequired ? [holder.node, holder.shape.node] : [],
    });
  }

  #items(pair: ShapePair): void {
    const { at, direction, old, new: now } = pair;
    const [before, after] = [old.shape.items, now.shape.items];
    if (before && after) {
      this.compare({ at: `${at}[]`, direction, old: standaloneUse(before), new: standaloneUse(after) });
    } else if (before || after) {
      const loosened = !after === (direction === "request");
      const change = {
        message: `${after ? "says" : "no longer says"} what its items are`,
        before: !after,
        after: !before,
      };
      this.#add(pair, { rule: "rest-items-changed", class: loosened ? "safe" : "breaking", ...change });
    }
  }

  /** A change of the entries reaches the fields that show them, and no other field of the object. */
  #entries({ at, direction, old, new: now }: ShapePair): void {
    const [before, after] = [old.shape.entry, now.shape.entry];
    if (before && after)
      this.compare({ at: `${at}{}`, direction, old: standaloneUse(before), new: standaloneUse(after) });
    else if (before || after)
      this.changes.add({
        rule: "rest-entries-changed",
        class: after ? "safe" : "breaking",
        at,
        direction,
        message: `${at} ${after ? "says" : "no longer says"} what the values of its entries are`,
        before: !after,
        after: !before,
        old: before?.node ?? old.shape.node,
        new: after?.node ?? now.shape.node,
        joins: before ? [before.node] : [],
      });
  }
}
