/** Two OpenAPI documents compared operation by operation, as the bindings see them. */
import type { Model } from "../spec/model.ts";
import { methodAndPath, type RestOperation } from "../spec/operations.ts";
import type { RestNode } from "../spec/rest-document.ts";
import type { Path } from "../spec/yaml-file.ts";
import { ParameterComparison } from "./compare-parameters.ts";
import { compareSecurity } from "./compare-security.ts";
import { ShapeComparison } from "./compare-shapes.ts";
import type { ChangeClass } from "./report.ts";
import { type RestChange, RestChanges, type RestRule } from "./rest-change.ts";
import { alone } from "./spot.ts";

export function restChanges(base: Model, head: Model): RestChange[] {
  const changes = new RestChanges();
  const shapes = new ShapeComparison(changes);
  const byPlace = new Map(
    [...head.operations.values()].map((operation) => [methodAndPath(operation), operation]),
  );
  const pairs: [RestOperation, RestOperation][] = [];
  for (const old of base.operations.values()) {
    const now = head.operations.get(old.id) ?? renamed(old, byPlace, base);
    if (now) pairs.push([old, now]);
    new OperationComparison(changes, shapes, old, now, head.document.root).run();
  }
  compareSecurity(changes, base, head, pairs);
  const matched = new Set(pairs.map(([, now]) => now));
  for (const now of head.operations.values()) {
    if (matched.has(now)) continue;
    const at = methodAndPath(now);
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

/** The operation that stands where `old` stood, unless it is another one that existed before. */
function renamed(old: RestOperation, byPlace: ReadonlyMap<string, RestOperation>, base: Model) {
  const now = byPlace.get(methodAndPath(old));
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
    this.#at = methodAndPath(old);
  }

  run(): void {
    const now = this.#new;
    if (!now)
      return this.#add("rest-operation-removed", "breaking", `(${this.#old.id}) is gone`, this.#old.id, null);
    this.#identity(now);
    new ParameterComparison(this.#changes, this.#shapes, this.#old).run(now);
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
      this.#shapes.compare({
        at: `${this.#at} answer`,
        direction: "answer",
        old: alone(old.shape),
        new: alone(answer.shape),
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
