/** Two OpenAPI documents compared operation by operation, as the bindings see them. */
import type { Model } from "../spec/model.ts";
import { inputKey } from "../spec/model.ts";
import type { Parameter, RestOperation } from "../spec/operations.ts";
import type { RestNode } from "../spec/rest-document.ts";
import type { Path } from "../spec/yaml-file.ts";
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
    const { id, method, path, product, permission, documents404 } = now;
    this.#differs("rest-operation-renamed", "breaking", old.id, id, `is called ${id} now`, ["operationId"]);
    this.#differs("rest-method-changed", "breaking", old.method, method, `is a ${method.toUpperCase()} now`);
    this.#differs("rest-operation-moved", "breaking", old.path, path, `stands at ${path} now`);
    const owner = `belongs to ${product || "no product"} now`;
    this.#differs("rest-product-changed", "dangerous", old.product, product, owner, ["tags"]);
    const needs = `needs ${permission ?? "no permission"} now`;
    this.#differs("rest-permission-changed", "dangerous", old.permission, permission, needs, [
      "x-permission",
    ]);
    const found = `${documents404 ? "documents" : "no longer documents"} 404`;
    this.#differs("rest-not-found-changed", "dangerous", old.documents404, documents404, found, [
      "responses",
      "404",
    ]);
  }

  #differs(
    rule: RestRule,
    kind: ChangeClass,
    before: unknown,
    after: unknown,
    what: string,
    below: Path = [],
  ): void {
    if (before !== after) this.#add(rule, kind, what, before ?? null, after ?? null, below);
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
    // presence is settled above, against what feeds it
    this.#shapes.compare({ at, direction: "request", old: useOf(old, true), new: useOf(now, true) });
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
    // where only the media type is gone, that is the place; else the status
    const isThere = now.answers.some(({ status }) => status === this.#old.success[1]);
    const gone = this.#old.success.slice(0, isThere ? undefined : 2);
    if (before.length > 0 && after.length === 0)
      this.#add("rest-answer-removed", "breaking", "has no JSON answer now", "json", null, gone);
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

  #add(
    rule: RestRule,
    kind: ChangeClass,
    what: string,
    before: unknown,
    after: unknown,
    below: Path = [],
  ): void {
    this.#changes.add({
      rule,
      class: kind,
      at: this.#at,
      message: `${this.#at} ${what}`,
      before,
      after,
      old: this.#old.node,
      new: this.#new?.node ?? this.#root,
      below,
      joins: [],
      operation: { id: this.#old.id },
    });
  }
}

const styleOf = ({ style, explode }: Parameter): string => `${style}${explode ? ", exploded" : ""}`;
const useOf = ({ node, shape }: Parameter, required: boolean): Use => ({ node, shape, required });
