/** Compares one operation with its successor: identity, permission, parameters, body and responses. */
import type { RestNode } from "../../openapi/document.ts";
import { methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import type { ChangeClass } from "../report.ts";
import { ParameterComparison } from "./parameter-comparison.ts";
import type { RestRule } from "./rest-change.ts";
import type { RestChangeCollector } from "./rest-change-collector.ts";
import type { ShapeComparison } from "./shape-comparison.ts";
import { standaloneUse } from "./shape-pair.ts";

export class OperationComparison {
  readonly #changes: RestChangeCollector;
  readonly #shapes: ShapeComparison;
  readonly #old: RestOperation;
  readonly #new: RestOperation | undefined;
  /** The root of the new document: the place of an operation that is gone. */
  readonly #root: RestNode;
  readonly #at: string;

  constructor(
    changes: RestChangeCollector,
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
    this.#responses(now);
  }

  #identity(now: RestOperation): void {
    const old = this.#old;
    const { id, method, path, product, permission } = now;
    this.#differs("rest-operation-renamed", "breaking", old.id, id, `is called ${id} now`, ["operationId"]);
    this.#differs("rest-method-changed", "breaking", old.method, method, `is a ${method.toUpperCase()} now`);
    this.#differs("rest-operation-moved", "breaking", old.path, path, `stands at ${path} now`);
    const belongs = `belongs to ${product || "no product"} now`;
    this.#differs("rest-product-changed", "dangerous", old.product, product, belongs, ["tags"]);
    const needs = `needs ${permission ?? "no permission"} now`;
    this.#differs("rest-permission-changed", "dangerous", old.permission, permission, needs, [
      "x-permission",
    ]);
    const [had404, has404] = [old, now].map(({ statuses }) => statuses.includes("404"));
    const notFound = `${has404 ? "documents" : "no longer documents"} 404`;
    this.#differs("rest-not-found-changed", "dangerous", had404, has404, notFound, ["responses", "404"]);
  }

  #differs(
    rule: RestRule,
    kind: ChangeClass,
    before: unknown,
    after: unknown,
    phrase: string,
    below: NodePath = [],
  ): void {
    if (before !== after) this.#add(rule, kind, phrase, before ?? null, after ?? null, below);
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

  #responses(now: RestOperation): void {
    const json = (operation: RestOperation) => operation.successes.filter(({ shape }) => shape);
    const [before, after] = [json(this.#old), json(now)];
    const hasEmpty = (operation: RestOperation): boolean => operation.successes.some(({ shape }) => !shape);
    if (!hasEmpty(this.#old) && hasEmpty(now))
      this.#add("rest-answer-empty", "breaking", "may answer without content now", false, true);
    // the place of the change: the media type if the status is still there, else the status
    const hasStatus = now.successes.some(({ status }) => status === this.#old.successPath[1]);
    const gone = this.#old.successPath.slice(0, hasStatus ? undefined : 2);
    if (before.length > 0 && after.length === 0)
      this.#add("rest-answer-removed", "breaking", "has no JSON answer now", "json", null, gone);
    for (const answer of after) {
      const old = before.find(({ status }) => status === answer.status) ?? before[0];
      if (!old?.shape || !answer.shape) continue;
      this.#shapes.compare({
        at: `${this.#at} answer`,
        direction: "response",
        old: standaloneUse(old.shape),
        new: standaloneUse(answer.shape),
      });
    }
  }

  #add(
    rule: RestRule,
    kind: ChangeClass,
    phrase: string,
    before: unknown,
    after: unknown,
    below: NodePath = [],
  ): void {
    this.#changes.add({
      rule,
      class: kind,
      at: this.#at,
      message: `${this.#at} ${phrase}`,
      before,
      after,
      old: this.#old.node,
      new: this.#new?.node ?? this.#root,
      below,
      joins: [],
      operations: [{ id: this.#old.id }],
    });
  }
}
