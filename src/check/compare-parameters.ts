/** The parameters of one operation compared: gone, new, moved, written otherwise, required, with another default. */
import { inputKey, methodAndPath, type Parameter, type RestOperation } from "../spec/operations.ts";
import type { ShapeComparison } from "./compare-shapes.ts";
import type { RestChanges } from "./rest-change.ts";
import type { Use } from "./spot.ts";

export class ParameterComparison {
  readonly #changes: RestChanges;
  readonly #shapes: ShapeComparison;
  readonly #old: RestOperation;
  readonly #at: string;

  constructor(changes: RestChanges, shapes: ShapeComparison, old: RestOperation) {
    this.#changes = changes;
    this.#shapes = shapes;
    this.#old = old;
    this.#at = methodAndPath(old);
  }

  run(now: RestOperation): void {
    const after = new Map(now.parameters.map((parameter) => [inputKey(parameter), parameter]));
    const before = new Set(this.#old.parameters.map(inputKey));
    for (const old of this.#old.parameters) {
      const other = after.get(inputKey(old));
      if (other) this.#parameter(old, other);
      else this.#removedParameter(old, now);
    }
    for (const parameter of now.parameters)
      if (!before.has(inputKey(parameter))) this.#addedParameter(parameter);
  }

  #parameter(old: Parameter, now: Parameter): void {
    const at = `${this.#at} ${old.in} "${old.name}"`;
    const common = { at, old: old.node, new: now.node, joins: [old.node] };
    const isList = old.shape.types.has("array") || old.shape.types.has("object");
    if (isList && (old.style !== now.style || old.explode !== now.explode)) {
      const [before, after] = [styleOf(old), styleOf(now)];
      const message = `${at} is written as ${after} now, it was ${before}`;
      this.#changes.add({
        rule: "rest-style-changed",
        class: "breaking",
        below: [old.style === now.style ? "explode" : "style"],
        message,
        before,
        after,
        ...common,
      });
    }
    const [was, is] = [old.shape.limits.default ?? null, now.shape.limits.default ?? null];
    if (JSON.stringify(was) !== JSON.stringify(is)) {
      const message = `${at} defaults to ${JSON.stringify(is)} now, it was ${JSON.stringify(was)}`;
      const operation = { id: this.#old.id, unlessFed: inputKey(old) };
      this.#changes.add({
        rule: "rest-default-changed",
        below: ["schema", "default"],
        class: "dangerous",
        message,
        before: was,
        after: is,
        ...common,
        joins: [],
        operation,
      });
    }
    if (!old.required && now.required) {
      const operation = { id: this.#old.id, unlessFed: inputKey(old) };
      const message = `${at} is required now`;
      this.#changes.add({
        rule: "rest-required-changed",
        below: ["required"],
        class: "breaking",
        message,
        before: false,
        after: true,
        ...common,
        operation,
      });
    }
    this.#shapes.compare({ at, direction: "request", old: useOf(old), new: useOf(now) });
  }

  #removedParameter(old: Parameter, now: RestOperation): void {
    const at = `${this.#at} ${old.in} "${old.name}"`;
    const common = { class: "breaking", at, old: old.node, joins: [old.node] } as const;
    const moved = now.parameters.find(({ name, in: location }) => name === old.name && location !== old.in);
    if (moved) {
      const message = `${at} is a ${moved.in} parameter now`;
      const facts = { before: old.in, after: moved.in, new: moved.node, below: ["in"] };
      return this.#changes.add({ rule: "rest-parameter-moved", message, ...facts, ...common });
    }
    const facts = { before: "present", after: "absent", new: now.node, below: ["name"] };
    this.#changes.add({ rule: "rest-parameter-removed", message: `${at} is gone`, ...facts, ...common });
  }

  #addedParameter(parameter: Parameter): void {
    const { required, name, node } = parameter;
    const at = `${this.#at} ${parameter.in} "${name}"`;
    const message = required ? `${at} is new and required` : `${at} is new`;
    const reach = required ? { operation: { id: this.#old.id } } : {};
    const kind = required ? "breaking" : "safe";
    const facts = { before: "absent", after: required ? "required" : "optional" };
    this.#changes.add({
      rule: "rest-parameter-added",
      class: kind,
      at,
      message,
      ...facts,
      new: node,
      joins: [],
      ...reach,
    });
  }
}

const styleOf = ({ style, explode }: Parameter): string => `${style}${explode ? ", exploded" : ""}`;
/** Presence is settled by the comparison of the parameters, against what feeds them. */
const useOf = ({ node, shape }: Parameter): Use => ({ node, shape, required: true });
