/** Compares the parameters of one operation: presence, location, style, default and requiredness. */
import { inputKey, methodAndPath, type Parameter, type RestOperation } from "../../openapi/operation.ts";
import type { OperationReach, RestChange } from "./rest-change.ts";
import type { RestChangeCollector } from "./rest-change-collector.ts";
import type { ShapeComparison } from "./shape-comparison.ts";
import { placeName, type ShapeUse } from "./shape-pair.ts";

type Common = Pick<RestChange, "at" | "old" | "new">;

export class ParameterComparison {
  readonly #changes: RestChangeCollector;
  readonly #shapes: ShapeComparison;
  readonly #old: RestOperation;
  readonly #at: string;

  constructor(changes: RestChangeCollector, shapes: ShapeComparison, old: RestOperation) {
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
      if (other) this.#compare(old, other);
      else this.#removed(old, now);
    }
    for (const parameter of now.parameters) if (!before.has(inputKey(parameter))) this.#added(parameter);
  }

  #compare(old: Parameter, now: Parameter): void {
    const at = this.#placeOf(old);
    const common = { at, old: old.node, new: now.node };
    this.#style(old, now, common);
    this.#default(old, now, common);
    if (!old.required && now.required)
      this.#changes.add({
        ...common,
        rule: "rest-required-changed",
        class: "breaking",
        message: `${at} is required now`,
        before: false,
        after: true,
        below: ["required"],
        joins: [old.node],
        operations: [this.#unfed(old)],
      });
    this.#shapes.compare({ at, direction: "request", old: useOf(old), new: useOf(now) });
  }

  /** Style and `explode` matter for lists and objects only (OpenAPI 3.1 §4.8.12). */
  #style(old: Parameter, now: Parameter, common: Common): void {
    const hasParts = old.shape.types.has("array") || old.shape.types.has("object");
    if (!hasParts || (old.style === now.style && old.explode === now.explode)) return;
    const [before, after] = [styleOf(old), styleOf(now)];
    this.#changes.add({
      ...common,
      rule: "rest-style-changed",
      class: "breaking",
      message: `${common.at} is written as ${after} now, it was ${before}`,
      before,
      after,
      below: [old.style === now.style ? "explode" : "style"],
      joins: [old.node],
    });
  }

  #default(old: Parameter, now: Parameter, common: Common): void {
    const [before, after] = [old.shape.limits.default ?? null, now.shape.limits.default ?? null];
    const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
    if (was === is) return;
    this.#changes.add({
      ...common,
      rule: "rest-default-changed",
      class: "dangerous",
      message: `${common.at} defaults to ${is} now, it was ${was}`,
      before,
      after,
      below: ["schema", "default"],
      joins: [],
      operations: [this.#unfed(old)],
    });
  }

  /** The fields of the operation that do not feed the parameter. */
  #unfed(parameter: Parameter): OperationReach {
    return { id: this.#old.id, unlessFed: inputKey(parameter) };
  }

  #placeOf({ node, in: location, name }: Parameter): string {
    return placeName(node, `${this.#at} ${location} "${name}"`);
  }

  #removed(old: Parameter, now: RestOperation): void {
    // a shared parameter has a new name, or only this operation no longer takes it
    const path = old.node.path.join("\n");
    const renamed = now.parameters.find(({ node }) => node.path.join("\n") === path);
    const at = renamed ? this.#placeOf(old) : `${this.#at} ${old.in} "${old.name}"`;
    const isShared = old.node.path[0] === "components" && !renamed;
    const common = {
      class: "breaking",
      at,
      old: isShared ? this.#old.node : old.node,
      joins: [old.node],
      ...(!renamed && { within: this.#old.id }),
    } as const;
    const moved = now.parameters.find(({ name, in: location }) => name === old.name && location !== old.in);
    if (moved) {
      const message = `${at} is a ${moved.in} parameter now`;
      const facts = { before: old.in, after: moved.in, new: moved.node, below: ["in"] };
      return this.#changes.add({ rule: "rest-parameter-moved", message, ...facts, ...common });
    }
    const facts = {
      before: isShared ? inputKey(old) : "present",
      after: "absent",
      new: renamed?.node ?? now.node,
      below: [isShared ? "parameters" : "name"],
    };
    this.#changes.add({ rule: "rest-parameter-removed", message: `${at} is gone`, ...facts, ...common });
  }

  #added(parameter: Parameter): void {
    const { required, node } = parameter;
    const at = this.#placeOf(parameter);
    const message = required ? `${at} is new and required` : `${at} is new`;
    const reach = required ? { operations: [{ id: this.#old.id }] } : {};
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
/** Always required: `rest-required-changed` of a parameter depends on the fields that feed it, and is added above. */
const useOf = ({ node, shape }: Parameter): ShapeUse => ({ node, shape, required: true });
