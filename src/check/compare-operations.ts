/** Two OpenAPI documents compared operation by operation, as the bindings see them. */
import type { Model } from "../spec/model.ts";
import { inputKey } from "../spec/model.ts";
import type { Parameter, RestOperation } from "../spec/operations.ts";
import type { RestNode } from "../spec/rest-document.ts";
import { ShapeComparison, type Use } from "./compare-shapes.ts";
import type { ChangeClass } from "./report.ts";
import { type RestChange, RestChanges, type RestRule } from "./rest-change.ts";

export function restChanges(base: Model, head: Model): RestChange[] {
  const changes = new RestChanges();
  const shapes = new ShapeComparison(changes);
  const byPlace = new Map([...head.operations.values()].map((operation) => [placeKey(operation), operation]));
  const matched = new Set<RestOperation>();
  for (const old of base.operations.values()) {
    const now = head.operations.get(old.id) ?? renamed(old, byPlace, base);
    if (now) matched.add(now);
    new OperationComparison(changes, shapes, old, now, head.document.root).run();
  }
  for (const now of head.operations.values()) {
    if (matched.has(now)) continue;
    const at = label(now);
    const message = `${at} (${now.id}) is new`;
    changes.add({
      rule: "rest-operation-added",
      class: "safe",
      at,
      message,
      before: null,
      after: now.id,
      new: now.node,
      joins: [],
    });
  }
  return changes.all;
}

const placeKey = ({ method, path }: RestOperation): string => `${method} ${path}`;
const label = ({ method, path }: RestOperation): string => `${method.toUpperCase()} ${path}`;

/** The operation that stands where `old` stood, unless it is another one that existed before. */
function renamed(old: RestOperation, byPlace: ReadonlyMap<string, RestOperation>, base: Model) {
  const now = byPlace.get(placeKey(old));
  return now && !base.operations.has(now.id) ? now : undefined;
}

class OperationComparison {
  readonly #changes: RestChanges;
  readonly #shapes: ShapeComparison;
  readonly #old: RestOperation;
  readonly #new: RestOperation | undefined;
  readonly #root: RestNode;
  readonly #at: string;

  constructor(
    changes: RestChanges,
    shapes: ShapeComparison,
    old: RestOperation,
    now: RestOperation | undefined,
    root: RestNode,
  ) {
    this.#changes = changes;
    this.#shapes = shapes;
    this.#old = old;
    this.#new = now;
    this.#root = root;
    this.#at = label(old);
  }

  run(): void {
    const now = this.#new;
    if (!now)
      return this.#add("rest-operation-removed", "breaking", `(${this.#old.id}) is gone`, this.#old.id, null);
    this.#identity(now);
    this.#parameters(now);
    this.#body(now);
    this.#answers(now);
  }

  #identity(now: RestOperation): void {
    const old = this.#old;
    if (old.id !== now.id)
      this.#add(
        "rest-operation-renamed",
        "breaking",
        `is called ${now.id} now, it was ${old.id}`,
        old.id,
        now.id,
      );
    if (old.method !== now.method)
      this.#add(
        "rest-method-changed",
        "breaking",
        `is a ${now.method.toUpperCase()} now`,
        old.method,
        now.method,
      );
    if (old.path !== now.path)
      this.#add("rest-operation-moved", "breaking", `stands at ${now.path} now`, old.path, now.path);
    if (old.product !== now.product)
      this.#add(
        "rest-product-changed",
        "dangerous",
        `belongs to ${now.product || "no product"} now`,
        old.product,
        now.product,
      );
    if (old.permission !== now.permission)
      this.#add(
        "rest-permission-changed",
        "dangerous",
        `needs ${now.permission ?? "no permission"} now`,
        old.permission ?? null,
        now.permission ?? null,
      );
    if (old.documents404 !== now.documents404)
      this.#add(
        "rest-not-found-changed",
        "dangerous",
        `${now.documents404 ? "documents" : "no longer documents"} 404`,
        old.documents404,
        now.documents404,
      );
  }

  #parameters(now: RestOperation): void {
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
      this.#changes.add({ rule: "rest-style-changed", class: "breaking", message, before, after, ...common });
    }
    const [was, is] = [old.shape.limits.default ?? null, now.shape.limits.default ?? null];
    if (JSON.stringify(was) !== JSON.stringify(is)) {
      const message = `${at} defaults to ${JSON.stringify(is)} now, it was ${JSON.stringify(was)}`;
      const operation = { id: this.#old.id, unlessFed: inputKey(old) };
      this.#changes.add({
        rule: "rest-default-changed",
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
        class: "breaking",
        message,
        before: false,
        after: true,
        ...common,
        operation,
      });
    }
    // presence is settled above, against what feeds it
    this.#shapes.compare({ at, direction: "request", old: useOf(old, true), new: useOf(now, true) });
  }

  #removedParameter(old: Parameter, now: RestOperation): void {
    const at = `${this.#at} ${old.in} "${old.name}"`;
    const common = { before: "present", after: "absent", old: old.node, new: now.node, joins: [old.node] };
    this.#changes.add({
      rule: "rest-parameter-removed",
      class: "breaking",
      at,
      message: `${at} is gone`,
      ...common,
    });
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

  #body(now: RestOperation): void {
    const [before, after] = [this.#old.body, now.body];
    if (before && after) {
      const at = `${this.#at} body`;
      return this.#shapes.compare({ at, direction: "request", old: { ...before }, new: { ...after } });
    }
    if (before) this.#add("rest-body-changed", "breaking", "takes no JSON body now", "body", null);
    if (after)
      this.#add(
        "rest-body-changed",
        after.required ? "breaking" : "safe",
        "takes a JSON body now",
        null,
        "body",
      );
  }

  #answers(now: RestOperation): void {
    const json = (operation: RestOperation) => operation.answers.filter(({ shape }) => shape);
    const [before, after] = [json(this.#old), json(now)];
    const hasEmpty = (operation: RestOperation): boolean => operation.answers.some(({ shape }) => !shape);
    if (!hasEmpty(this.#old) && hasEmpty(now))
      this.#add("rest-answer-empty", "breaking", "may answer without content now", false, true);
    if (before.length > 0 && after.length === 0)
      this.#add("rest-answer-removed", "breaking", "has no JSON answer now", "json", null);
    for (const answer of after) {
      const old = before.find(({ status }) => status === answer.status) ?? before[0];
      if (!old?.shape || !answer.shape) continue;
      const use = (shape: NonNullable<typeof answer.shape>): Use => ({
        node: shape.node,
        shape,
        required: true,
      });
      this.#shapes.compare({
        at: `${this.#at} answer`,
        direction: "answer",
        old: use(old.shape),
        new: use(answer.shape),
      });
    }
  }

  #add(rule: RestRule, kind: ChangeClass, what: string, before: unknown, after: unknown): void {
    this.#changes.add({
      rule,
      class: kind,
      at: this.#at,
      message: `${this.#at} ${what}`,
      before,
      after,
      old: this.#old.node,
      new: this.#new?.node ?? this.#root,
      joins: [],
      operation: { id: this.#old.id },
    });
  }
}

const styleOf = ({ style, explode }: Parameter): string => `${style}${explode ? ", exploded" : ""}`;
const useOf = ({ node, shape }: Parameter, required: boolean): Use => ({ node, shape, required });
